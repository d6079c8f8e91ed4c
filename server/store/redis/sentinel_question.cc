#include "server/store/redis/sentinel_question.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "server/store/redis/redis_error.h"
#include "server/store/redis/redis_password.h"

namespace aaren::store {

absl::StatusOr<SentinelQuestion> SentinelQuestion::Begin(const RedisOptions& options) {
  SentinelQuestion question;
  question.master_ = options.sentinel;
  if (!options.password_file.empty()) {
    absl::StatusOr<std::string> password = ReadRedisPassword(options.password_file);
    if (!password.ok()) return password.status();
    question.commands_.push_back({"AUTH", *std::move(password)});
  }
  question.commands_.push_back({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", options.sentinel});
  return question;
}

absl::StatusOr<std::optional<address::Address>> SentinelQuestion::OnReply(const redisReply& reply) {
  // Many Sentinels have no password though the Redis has. A Sentinel with another password refuses the question.
  if (++answered_ < commands_.size()) return std::nullopt;
  if (reply.type == REDIS_REPLY_ERROR) {
    if (!absl::StartsWithIgnoreCase(TextOf(reply), "ERR unknown command")) return FromRedisError(TextOf(reply));
    return absl::FailedPreconditionError(
        absl::StrCat("it is no Sentinel, which redis_sentinel=", master_, " asks for the master"));
  }
  if (reply.type != REDIS_REPLY_ARRAY || reply.elements != 2) {
    return absl::UnavailableError(absl::StrCat("this Sentinel knows no master '", master_, "'"));
  }
  address::Address master{std::string(TextOf(*reply.element[0])), 0};
  if (!absl::SimpleAtoi(TextOf(*reply.element[1]), &master.port)) {
    return absl::UnavailableError("this Sentinel names no port of the master");
  }
  return std::make_optional(std::move(master));
}

}  // namespace aaren::store
