#include "server/net/accept/placement.h"

#include <algorithm>
#include <utility>

namespace aaren::accept {
namespace {

constexpr double kBusy = 0.01;    // share of the period
constexpr size_t kNewTenths = 2;  // tenths of a shard's time set aside for a new connection

}  // namespace

void Placement::Look(absl::Span<const int64_t> busy_ns, absl::Time now) {
  const double passed_ns =
      absl::ToDoubleNanoseconds(std::max(now - std::exchange(last_look_, now), absl::Nanoseconds(1)));
  busy_ = false;
  for (size_t i = 0; i < busy_ns.size(); ++i) {
    Shard& shard = shards_[i];
    const double share = static_cast<double>(busy_ns[i] - std::exchange(shard.busy_ns, busy_ns[i])) / passed_ns;
    shard.tenths = static_cast<size_t>(10.0 * share + 0.5);
    shard.before = std::exchange(shard.lately, 0);
    busy_ |= share > kBusy;
  }
}

size_t Placement::Choose(absl::Span<const size_t> connections) {
  const auto load = [&](size_t i) {
    const Shard& shard = shards_[i];
    return std::pair(shard.tenths + kNewTenths * (shard.lately + shard.before), connections[i]);
  };
  size_t least = 0;
  for (size_t i = 1; i < connections.size(); ++i) {
    if (load(i) < load(least)) least = i;
  }
  ++shards_[least].lately;
  return least;
}

}  // namespace aaren::accept
