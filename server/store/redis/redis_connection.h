#ifndef AAREN_SERVER_STORE_REDIS_REDIS_CONNECTION_H_
#define AAREN_SERVER_STORE_REDIS_REDIS_CONNECTION_H_

// A RedisConnection is one connection to a Redis, by hiredis. The connection never waits: commands go out and replies
// come in when the socket lets them. Replies are in the order of the commands. The owner polls the socket. With TLS,
// OpenSSL moves the bytes (redis_tls.h). Threading: belongs to one thread, in which SIGPIPE is blocked or ignored.

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "hiredis/hiredis.h"
#include "server/machine/address/address.h"
#include "server/store/redis/redis_tls.h"

namespace aaren::store {

struct FreeRedisReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using RedisReply = std::unique_ptr<redisReply, FreeRedisReply>;

// The text of a string, a status or an error.
inline absl::string_view TextOf(const redisReply& reply) { return {reply.str, reply.str == nullptr ? 0 : reply.len}; }

class RedisConnection {
 public:
  // Begins to connect; the first Write or Read tells the result. Looks the host's name up, which may take seconds.
  // Unavailable if the host does not exist; else as RedisTls::Begin.
  static absl::StatusOr<std::unique_ptr<RedisConnection>> Begin(const address::Address& address,
                                                                const RedisTlsFiles& tls);

  int socket() const { return context_->fd; }
  bool wants_to_write() const { return unwritten_bytes_ > 0 && (tls_ == nullptr || !tls_->awaits_read()); }
  // False: further commands should wait, since each Write moves the unwritten bytes.
  bool has_room() const { return unwritten_bytes_ < kMostUnwritten; }

  void Send(absl::Span<const absl::string_view> command);

  // Writes or reads as much as the socket takes or has. Unavailable if the connection has ended.
  absl::Status Write();
  absl::Status Read();

  // The next whole reply among the read bytes; null if none is whole yet. Unavailable for bytes that are no reply.
  absl::StatusOr<RedisReply> Next();

 private:
  static constexpr size_t kMostUnwritten = 256 << 10;
  struct Free {
    void operator()(redisContext* context) const { redisFree(context); }
  };

  explicit RedisConnection(redisContext* context) : context_(context) {}
  absl::Status Failed() const;
  absl::Status Ended(absl::string_view how) const;
  absl::Status WriteByTls();
  absl::Status ReadByTls();

  const std::unique_ptr<redisContext, Free> context_;
  std::unique_ptr<RedisTls> tls_;  // null: plain text
  std::string for_tls_;            // commands that TLS has not taken
  bool heard_ = false;             // the Redis has said something, in plain text
  size_t unwritten_bytes_ = 0;     // about: the bytes of all commands since everything was written
};

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_REDIS_REDIS_CONNECTION_H_
