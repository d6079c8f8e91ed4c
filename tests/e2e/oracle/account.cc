#include "tests/e2e/oracle/account.h"

#include <chrono>
#include <utility>

namespace aaren::oracle {

int64_t Now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void Account::Forecast(int64_t latency) {
  absl::MutexLock lock(&mutex_);
  ++figures_.forecasts;
  figures_.latency.Record(latency, 1);
  recent_.Record(latency, 1);
}

void Account::Gap(const std::string& session, int64_t gap) {
  absl::MutexLock lock(&mutex_);
  if (gap <= figures_.longest_gap) return;
  figures_.longest_gap = gap;
  figures_.gap_session = session;
}

void Account::Reopened(uint64_t replayed) {
  absl::MutexLock lock(&mutex_);
  ++figures_.reopened;
  figures_.replayed += replayed;
}

void Account::Break(Breach breach) {
  absl::MutexLock lock(&mutex_);
  if (!breach_) breach_ = std::move(breach);
  broken_ = true;
}

std::optional<Breach> Account::breach() const {
  absl::MutexLock lock(&mutex_);
  return breach_;
}

Figures Account::figures() const {
  absl::MutexLock lock(&mutex_);
  return figures_;
}

client::DurationHistogram Account::TakeRecent() {
  absl::MutexLock lock(&mutex_);
  return std::exchange(recent_, client::DurationHistogram());
}

}  // namespace aaren::oracle
