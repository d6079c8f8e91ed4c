#include "server/net/accept/placement.h"

#include <algorithm>
#include <utility>

namespace aaren::accept {
namespace {

constexpr absl::Duration kPeriod = absl::Seconds(1);  // a client opens its first stream within one or two periods
constexpr double kBusy = 0.01;                        // share of the period
constexpr size_t kNewTenths = 2;                      // tenths of a shard's time set aside for a new connection

}  // namespace

void Placement::Look(absl::Span<const int64_t> busy_ns, absl::Time now) {
  const int64_t passed_ns = std::max<int64_t>(absl::ToInt64Nanoseconds(now - last_look_), 1);
  busy_ = false;
  for (size_t shard = 0; shard < busy_ns.size(); ++shard) {
    const int64_t before = std::exchange(busy_ns_[shard], busy_ns[shard]);
    const double share = static_cast<double>(busy_ns[shard] - before) / static_cast<double>(passed_ns);
    tenths_[shard] = static_cast<size_t>(10.0 * share + 0.5);
    busy_ |= share > kBusy;
  }
  std::swap(lately_[0], lately_[1]);
  std::fill(lately_[0].begin(), lately_[0].end(), 0);
  if (passed_ns >= 2 * absl::ToInt64Nanoseconds(kPeriod)) lately_[1] = lately_[0];
  last_look_ = now;
  next_period_ = now + kPeriod;
}

size_t Placement::Choose(absl::Span<const size_t> connections) {
  const auto load = [&](size_t shard) {
    return std::pair(tenths_[shard] + kNewTenths * (lately_[0][shard] + lately_[1][shard]), connections[shard]);
  };
  size_t least = 0;
  for (size_t shard = 1; shard < connections.size(); ++shard) {
    if (load(shard) < load(least)) least = shard;
  }
  ++lately_[0][least];
  return least;
}

}  // namespace aaren::accept
