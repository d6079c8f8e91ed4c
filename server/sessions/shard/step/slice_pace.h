#ifndef AAREN_SERVER_SESSIONS_SHARD_STEP_SLICE_PACE_H_
#define AAREN_SERVER_SESSIONS_SHARD_STEP_SLICE_PACE_H_

// The SlicePace finds out how much work fits into a slice of the wanted length. server/sessions/queue/turns.h defines
// the units of work. Threading: belongs to one shard.

#include <cstdint>

#include "absl/time/time.h"

namespace aaren::shard {

class SlicePace {
 public:
  explicit SlicePace(absl::Duration slice) : wanted_ns_(absl::ToInt64Nanoseconds(slice)) {}

  int64_t units() const { return units_; }  // for the next slice

  // Learns from a slice of `units` done in `took_ns`. `full`: more tokens wait.
  void Adapt(int64_t units, int64_t took_ns, bool full);

 private:
  static const int64_t kFirstUnits;

  const int64_t wanted_ns_;
  int64_t units_ = kFirstUnits;
  double last_ = 0;  // units a nanosecond, of the last full slice
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SESSIONS_SHARD_STEP_SLICE_PACE_H_
