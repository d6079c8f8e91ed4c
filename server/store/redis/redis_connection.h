#ifndef AAREN_SERVER_STORE_REDIS_REDIS_CONNECTION_H_
#define AAREN_SERVER_STORE_REDIS_REDIS_CONNECTION_H_

// A RedisConnection is one connection to a Redis, by hiredis. It never waits: commands go out and replies come in when
// the socket lets them. Replies are in the order of the commands. Whoever has the connection polls its socket.
// Threading: belongs to one thread, in which SIGPIPE is blocked or ignored.

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "hiredis/hiredis.h"
#include "server/address/address.h"

namespace aaren::store {

struct FreeRedisReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using RedisReply = std::unique_ptr<redisReply, FreeRedisReply>;

// Of a string, a status or an error.
inline absl::string_view TextOf(const redisReply& reply) { return {reply.str, reply.str == nullptr ? 0 : reply.len}; }

class RedisConnection {
 public:
  // Begins to connect; whether that worked the first Write or Read says. A host's name is looked up, which may take
  // seconds. Unavailable if there is no such host.
  static absl::StatusOr<std::unique_ptr<RedisConnection>> Begin(const address::Address& address);

  int socket() const { return context_->fd; }
  bool wants_to_write() const { return unwritten_bytes_ > 0; }
  // Commands beyond it had better wait where they are: each Write moves what is left.
  bool has_room() const { return unwritten_bytes_ < kMostUnwritten; }

  void Send(absl::Span<const absl::string_view> command);

  // As much as the socket takes or has. Unavailable if the connection has ended.
  absl::Status Write();
  absl::Status Read();

  // The next reply of what was read; null if it is not whole yet. Unavailable for what is no reply.
  absl::StatusOr<RedisReply> Next();

 private:
  static constexpr size_t kMostUnwritten = 256 << 10;
  struct Free {
    void operator()(redisContext* context) const { redisFree(context); }
  };

  explicit RedisConnection(redisContext* context) : context_(context) {}
  absl::Status Failed() const;

  const std::unique_ptr<redisContext, Free> context_;
  size_t unwritten_bytes_ = 0;  // about: those of all commands since everything was written
};

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_REDIS_REDIS_CONNECTION_H_
