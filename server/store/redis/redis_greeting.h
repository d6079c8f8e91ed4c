#ifndef AAREN_SERVER_STORE_REDIS_REDIS_GREETING_H_
#define AAREN_SERVER_STORE_REDIS_REDIS_GREETING_H_

// A RedisGreeting makes the first commands of a new connection, all sent at once, and reads the answers. The greeting
// gives the password, asks for the identity of the Redis, loads the scripts, and puts the connection's number into the
// fence. Threading: belongs to one thread.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "server/store/redis/redis_connection.h"
#include "server/store/redis/redis_options.h"
#include "server/store/redis/redis_scripts.h"

namespace aaren::store {

// The keys common to all sessions.
struct RedisKeys {
  RedisKeys(const std::string& prefix, const std::string& server)
      : fence(prefix + "fence:" + server),
        sessions(prefix + "sessions"),
        identity(prefix + "identity"),
        epochs(prefix + "epochs") {}

  const std::string fence;  // for this server
  const std::string sessions, identity, epochs;
};

class RedisGreeting {
 public:
  struct Facts {
    uint64_t number = 0;          // the connection's number
    uint64_t greatest_epoch = 0;  // the greatest epoch known to this server
  };

  // PermissionDenied or NotFound if the password cannot be read.
  static absl::StatusOr<RedisGreeting> Begin(const RedisOptions& options, const RedisKeys& keys, const Facts& facts);

  const std::vector<std::vector<std::string>>& commands() const { return commands_; }

  // Takes the answer to the next command. Unauthenticated, PermissionDenied: the password. FailedPrecondition: the
  // Redis is too old, a cluster, or has data of a later format. Unavailable: the Redis is a replica, loads its data,
  // and the like.
  absl::Status OnReply(const redisReply& reply);
  bool done() const { return !identity_.empty(); }

  // Facts from the answers, once done.
  const std::string& version() const { return version_; }
  const std::string& identity() const { return identity_; }
  const std::string& last_fence() const { return last_fence_; }  // this server's; empty: none
  const std::array<std::string, kRedisScripts>& scripts() const { return scripts_; }

 private:
  absl::Status OnInfo(absl::string_view info);
  absl::Status OnHello(const redisReply& reply);

  std::vector<std::vector<std::string>> commands_;
  size_t answered_ = 0, info_ = 0;  // info_: the place of the INFO command; the scripts follow
  std::string version_, identity_, last_fence_;
  std::array<std::string, kRedisScripts> scripts_;  // names of the scripts
};

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_REDIS_REDIS_GREETING_H_
