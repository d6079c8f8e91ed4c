#include "server/store/redis/redis_attempts.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/operate/log/log.h"

namespace aaren::store {
namespace {

// Adds an address's error to the errors of other addresses.
absl::Status Add(const absl::Status& others, const absl::Status& here) {
  if (others.ok()) return here;
  // A permanent error outlasts the errors of other addresses: an operator has to act.
  return absl::Status(IsPermanent(others) ? others.code() : here.code(),
                      absl::StrCat(others.message(), "; ", here.message()));
}

}  // namespace

bool IsPermanent(const absl::Status& status) {
  return absl::IsUnauthenticated(status) || absl::IsPermissionDenied(status) || absl::IsFailedPrecondition(status) ||
         absl::IsNotFound(status);
}

absl::Status WithAddress(const address::Address& address, const absl::Status& why) {
  return absl::Status(why.code(), absl::StrCat(address.ToString(), ": ", why.message()));
}

RedisAttempts::RedisAttempts(const RedisOptions& options) : options_(options), random_(std::random_device()()) {}

void RedisAttempts::OnConnected() {
  last_log_.clear();
  tried_ = 0;
  round_ = down_ = absl::OkStatus();
}

void RedisAttempts::OnBroken(Time now) {
  // Sentinels may name another master by now.
  master_.reset();
  Pause(now);
}

bool RedisAttempts::OnFailed(const absl::Status& why, Time now) {
  round_ = Add(round_, WithAddress(address(), why));
  master_.reset();
  at_ = (at_ + 1) % options_.addresses.size();
  // A pause follows a whole round: a dead address must not delay the attempt at the next.
  if (++tried_ < options_.addresses.size()) return false;
  tried_ = 0;
  down_ = std::exchange(round_, absl::OkStatus());
  // A long outage logs each reason once, not at each attempt.
  if (last_log_ != down_.message()) {
    log::Log(log::LogLevel::kError, "no redis", {{"why", std::string(down_.message())}});
    last_log_ = std::string(down_.message());
  }
  Pause(now);
  return true;
}

// Half of the pause is chance: servers that have lost one Redis must not come back all at once.
void RedisAttempts::Pause(Time now) {
  const auto half = pause_ / 2;
  next_ = now + half + std::chrono::milliseconds(random_() % static_cast<uint64_t>(half.count() + 1));
  pause_ = std::min(2 * pause_, std::chrono::milliseconds(kLongestPause));
}

}  // namespace aaren::store
