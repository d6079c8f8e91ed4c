#include "server/store/redis/redis_greeting.h"

#include <random>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "server/operate/log/log.h"
#include "server/store/redis/redis_error.h"
#include "server/store/redis/redis_password.h"

namespace aaren::store {
namespace {

constexpr int kLeastVersion = 7;                                // scripts have flags
constexpr absl::string_view kIdentityFormat = "aaren-store 2";  // the beginning of an identity
// Each beat of the link renews the fence. After a week without a beat the server counts as gone.
constexpr uint64_t kFenceMs = uint64_t{7 * 24} * 3600 * 1000;

std::string NewIdentity() {
  std::random_device random;
  return absl::StrCat(kIdentityFormat, " ", absl::Hex(random(), absl::kZeroPad8), absl::Hex(random(), absl::kZeroPad8));
}

// The value of a line "name:value".
std::string ValueIn(absl::string_view info, absl::string_view name) {
  for (absl::string_view line : absl::StrSplit(info, "\r\n")) {
    if (absl::ConsumePrefix(&line, name) && absl::ConsumePrefix(&line, ":")) return std::string(line);
  }
  return "";
}

absl::Status CheckVersion(const std::string& version) {
  int major = 0;
  if (absl::SimpleAtoi(version.substr(0, version.find('.')), &major) && major >= kLeastVersion) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("Redis ", version.empty() ? "of no version" : version,
                                                    " is too old: it needs ", kLeastVersion, ".0"));
}

void WarnOfEviction(absl::string_view info) {
  const std::string policy = ValueIn(info, "maxmemory_policy");
  if (policy == "noeviction") return;
  log::Log(log::LogLevel::kWarning, "redis may throw sessions away",
           {{"maxmemory_policy", policy}, {"needed", "noeviction"}});
}

}  // namespace

absl::StatusOr<RedisGreeting> RedisGreeting::Begin(const RedisOptions& options, const RedisKeys& keys,
                                                   const Facts& facts) {
  RedisGreeting greeting;
  if (!options.password_file.empty()) {
    absl::StatusOr<std::string> password = ReadRedisPassword(options.password_file);
    if (!password.ok()) return password.status();
    greeting.commands_.push_back({"AUTH", *std::move(password)});
  }
  greeting.info_ = greeting.commands_.size();
  greeting.commands_.push_back({"INFO", "server", "replication", "memory", "cluster"});
  for (size_t script = 0; script < kRedisScripts; ++script) {
    greeting.commands_.push_back({"SCRIPT", "LOAD", TextOfScript(static_cast<RedisScript>(script))});
  }
  greeting.commands_.push_back({"EVAL", TextOfHello(), "4", keys.fence, keys.sessions, keys.identity, keys.epochs,
                                absl::StrCat(facts.number), NewIdentity(), absl::StrCat(facts.greatest_epoch),
                                absl::StrCat(kFenceMs)});
  return greeting;
}

absl::Status RedisGreeting::OnReply(const redisReply& reply) {
  const size_t command = answered_++;
  if (reply.type == REDIS_REPLY_ERROR) {
    const absl::string_view error = TextOf(reply);
    // Only AUTH comes before INFO.
    return command < info_ ? absl::UnauthenticatedError(error) : FromRedisError(error);
  }
  if (command < info_) return absl::OkStatus();
  if (command == info_) return OnInfo(TextOf(reply));
  // The answers to SCRIPT LOAD follow the answer to INFO, and the hello comes last.
  const size_t script = command - info_ - 1;
  if (script == scripts_.size()) return OnHello(reply);
  scripts_[script] = std::string(TextOf(reply));
  return absl::OkStatus();
}

absl::Status RedisGreeting::OnInfo(absl::string_view info) {
  version_ = ValueIn(info, "redis_version");
  if (ValueIn(info, "redis_mode") == "sentinel") {
    return absl::FailedPreconditionError("it is a Sentinel, not a Redis: redis_sentinel names the master it watches");
  }
  if (absl::Status status = CheckVersion(version_); !status.ok()) return status;
  if (ValueIn(info, "cluster_enabled") == "1") {
    return absl::FailedPreconditionError(
        "a Redis Cluster cannot be the store: sessions and their list are apart there");
  }
  // A fail-over may make the replica a master. So the error is not permanent, and the link tries the next address.
  if (ValueIn(info, "role") != "master") {
    return absl::UnavailableError(
        absl::StrCat("READONLY: it is a replica of ", ValueIn(info, "master_host"), ":", ValueIn(info, "master_port")));
  }
  WarnOfEviction(info);
  return absl::OkStatus();
}

absl::Status RedisGreeting::OnHello(const redisReply& reply) {
  if (reply.type != REDIS_REPLY_ARRAY || reply.elements != 2)
    return absl::UnavailableError("no answer to the greeting");
  std::string identity(TextOf(*reply.element[0]));
  if (!absl::StartsWith(identity, absl::StrCat(kIdentityFormat, " "))) {
    return absl::FailedPreconditionError(
        absl::StrCat("its data is '", identity, "', this server knows '", kIdentityFormat, "'"));
  }
  last_fence_ = std::string(TextOf(*reply.element[1]));
  identity_ = std::move(identity);
  return absl::OkStatus();
}

}  // namespace aaren::store
