#include "server/operate/admin/busy_shares.h"

#include <algorithm>

namespace aaren::admin {

BusyShares::BusyShares(const rpc::Server& server, const session::Clock& clock)
    : server_(server), clock_(clock), since_(clock.Now()), shares_(static_cast<size_t>(server.shards()), 0) {
  for (int i = 0; i < server_.shards(); ++i) before_ns_.push_back(server_.busy_ns(i));
}

void BusyShares::Tick() {
  const absl::Duration passed = clock_.Now() - since_;
  if (passed < absl::Seconds(1)) return;
  since_ += passed;
  for (size_t i = 0; i < shares_.size(); ++i) {
    const int64_t busy_ns = server_.busy_ns(static_cast<int>(i));
    const absl::Duration worked = absl::Nanoseconds(busy_ns - before_ns_[i]);
    // The counter is read after the clock: a busy second may look longer than a second.
    shares_[i] = std::clamp(absl::FDivDuration(worked, passed), 0.0, 1.0);
    before_ns_[i] = busy_ns;
  }
}

}  // namespace aaren::admin
