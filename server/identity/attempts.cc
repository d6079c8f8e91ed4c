#include "server/identity/attempts.h"

#include <algorithm>

#include "absl/hash/hash.h"

namespace aaren::identity {
namespace {

constexpr int64_t kAttemptsPeriodNs = 1'000'000'000;
constexpr absl::string_view kOtherHosts = "";

}  // namespace

int64_t Attempts::ClearNs(absl::string_view host) const {
  auto found = clear_ns_.find(host);
  if (found == clear_ns_.end()) found = clear_ns_.find(kOtherHosts);
  return found == clear_ns_.end() ? 0 : found->second;
}

bool Attempts::AreTooMany(absl::string_view host, int64_t now_ns) const {
  absl::MutexLock lock(&mutex_);
  return ClearNs(host) - now_ns >= kAttemptsPeriodNs;
}

void Attempts::NoteFailure(absl::string_view host, int64_t now_ns) {
  absl::MutexLock lock(&mutex_);
  if (clear_ns_.size() >= kMostHosts && !clear_ns_.contains(host)) {
    absl::erase_if(clear_ns_, [now_ns](const auto& entry) { return entry.second <= now_ns; });
    if (clear_ns_.size() >= kMostHosts) host = kOtherHosts;
  }
  int64_t& clear = clear_ns_[host];
  clear = std::max(clear, now_ns) + kAttemptsPeriodNs / kPerSecond;
}

void Attempts::Remember(absl::string_view token, absl::string_view known_by) {
  absl::MutexLock lock(&mutex_);
  known_.try_emplace(absl::HashOf(token), known_by);
}

bool Attempts::Remembers(absl::string_view token) const {
  absl::MutexLock lock(&mutex_);
  return known_.contains(absl::HashOf(token));
}

void Attempts::ForgetUnless(absl::FunctionRef<bool(absl::string_view known_by)> listed) {
  absl::MutexLock lock(&mutex_);
  absl::erase_if(known_, [listed](const auto& token) { return !listed(token.second); });
}

size_t Attempts::hosts() const {
  absl::MutexLock lock(&mutex_);
  return clear_ns_.size();
}

}  // namespace aaren::identity
