#ifndef AAREN_SERVER_STORE_REDIS_REDIS_GREETING_H_
#define AAREN_SERVER_STORE_REDIS_REDIS_GREETING_H_

// A RedisGreeting is what a new connection says before anything else, all at once, and what it makes of the answers.
// It gives the password, asks which Redis this is, loads the scripts, and gets the connection's number for the fence.
// Threading: belongs to one thread.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "server/store/redis/redis_connection.h"
#include "server/store/redis/redis_options.h"
#include "server/store/redis/redis_scripts.h"

namespace aaren::store {

// The keys that belong to all sessions.
struct RedisKeys {
  RedisKeys(const std::string& prefix, const std::string& server)
      : fence(prefix + "fence:" + server),
        sessions(prefix + "sessions"),
        identity(prefix + "identity"),
        epochs(prefix + "epochs") {}

  const std::string fence;  // of this server
  const std::string sessions, identity, epochs;
};

class RedisGreeting {
 public:
  struct Facts {
    uint64_t number = 0;          // of this connection
    uint64_t greatest_epoch = 0;  // that this server knows
  };

  // PermissionDenied or NotFound if the password cannot be read.
  static absl::StatusOr<RedisGreeting> Begin(const RedisOptions& options, const RedisKeys& keys, const Facts& facts);

  const std::vector<std::vector<std::string>>& commands() const { return commands_; }

  // Takes the answer to the next command. Unauthenticated, PermissionDenied: the password. FailedPrecondition: a Redis
  // that is too old, a cluster, or data of a later format. Unavailable: a replica, one that loads its data, and so on.
  absl::Status OnReply(const redisReply& reply);
  bool done() const { return !identity_.empty(); }

  // What was learned, once it is done.
  const std::string& version() const { return version_; }
  const std::string& identity() const { return identity_; }
  const std::string& last_fence() const { return last_fence_; }  // of this server; empty: none
  const std::array<std::string, kRedisScripts>& scripts() const { return scripts_; }

 private:
  absl::Status OnInfo(absl::string_view info);
  absl::Status OnHello(const redisReply& reply);

  std::vector<std::vector<std::string>> commands_;
  size_t answered_ = 0, info_ = 0;  // info_: which command asks it; the scripts follow
  std::string version_, identity_, last_fence_;
  std::array<std::string, kRedisScripts> scripts_;  // their names
};

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_REDIS_REDIS_GREETING_H_
