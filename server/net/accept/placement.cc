#include "server/net/accept/placement.h"

#include <utility>

namespace aaren::accept {
namespace {

constexpr absl::Duration kPeriod = absl::Seconds(1);  // a client opens its first stream within one or two periods

}  // namespace

void Placement::Look(absl::Span<const int64_t> busy_ns, absl::Time now) {
  const double passed_ns = absl::ToDoubleNanoseconds(now - next_period_ + kPeriod);
  busy_ = false;
  for (size_t i = 0; i < busy_ns.size(); ++i) {
    Shard& shard = shards_[i];
    const double share = static_cast<double>(busy_ns[i] - std::exchange(shard.busy_ns, busy_ns[i])) / passed_ns;
    shard.tenths = static_cast<size_t>(10.0 * share + 0.5);
    shard.before = std::exchange(shard.lately, 0);
    busy_ |= share > 0.01;
  }
  next_period_ = now + kPeriod;
}

size_t Placement::Choose(absl::Span<const size_t> connections) {
  const auto load = [&](size_t i) {
    return std::pair(shards_[i].tenths + 2 * (shards_[i].lately + shards_[i].before), connections[i]);
  };
  size_t least = 0;
  for (size_t i = 1; i < connections.size(); ++i) {
    if (load(i) < load(least)) least = i;
  }
  ++shards_[least].lately;
  return least;
}

}  // namespace aaren::accept
