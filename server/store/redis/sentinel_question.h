#ifndef AAREN_SERVER_STORE_REDIS_SENTINEL_QUESTION_H_
#define AAREN_SERVER_STORE_REDIS_SENTINEL_QUESTION_H_

// A SentinelQuestion asks a Sentinel where a master is, before a connection to the master begins.
// Threading: belongs to one thread.

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/machine/address/address.h"
#include "server/store/redis/redis_connection.h"
#include "server/store/redis/redis_options.h"

namespace aaren::store {

class SentinelQuestion {
 public:
  // Errors: RedisGreeting::Begin's. REQUIRES: options.sentinel names a master.
  static absl::StatusOr<SentinelQuestion> Begin(const RedisOptions& options);

  const std::vector<std::vector<std::string>>& commands() const { return commands_; }

  // Takes the answer to the next command: the master's address, or none while further answers are to come.
  // Unauthenticated: the password. FailedPrecondition: not a Sentinel. Unavailable: the Sentinel knows no such master.
  absl::StatusOr<std::optional<address::Address>> OnReply(const redisReply& reply);

 private:
  std::string master_;
  std::vector<std::vector<std::string>> commands_;
  size_t answered_ = 0;
};

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_REDIS_SENTINEL_QUESTION_H_
