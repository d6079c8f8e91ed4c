#include "server/sessions/shard/step/slice_pace.h"

#include <algorithm>
#include <utility>

#include "server/sessions/queue/turns.h"

namespace aaren::shard {
namespace {

constexpr int64_t kLeastUnits = 4 * queue::Turns::kForecastUnits;
constexpr int64_t kMostUnits = 4096 * queue::Turns::kForecastUnits;

}  // namespace

// The first slice takes about a millisecond on a slow core; measuring tells more.
const int64_t SlicePace::kFirstUnits = 64 * queue::Turns::kForecastUnits;

// A slice shrinks faster than it grows. A slice short of tokens says nothing about larger slices. The better pace of
// two slices in a row counts: the thread may have been kept waiting.
void SlicePace::Adapt(int64_t units, int64_t took_ns, bool full) {
  if (took_ns < wanted_ns_ && !full) return;
  const double pace = static_cast<double>(units) / static_cast<double>(std::max<int64_t>(took_ns, 1));
  const double better = std::max(pace, std::exchange(last_, pace));
  const double fitting = std::min<double>(better * static_cast<double>(wanted_ns_), kMostUnits);
  units_ = std::clamp(static_cast<int64_t>(fitting), units_ / 2, units_ + units_ / 4);
  units_ = std::clamp(units_, kLeastUnits, kMostUnits);
}

}  // namespace aaren::shard
