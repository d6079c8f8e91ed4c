#ifndef AAREN_SERVER_SESSIONS_SHARD_STEP_SLICE_PACE_H_
#define AAREN_SERVER_SESSIONS_SHARD_STEP_SLICE_PACE_H_

// The SlicePace finds out how much work fits into a slice of the wanted length. Units of work are those of
// server/sessions/queue/turns.h. Threading: belongs to one shard.

#include <cstdint>

#include "absl/time/time.h"

namespace aaren::shard {

class SlicePace {
 public:
  explicit SlicePace(absl::Duration slice) : wanted_ns_(absl::ToInt64Nanoseconds(slice)) {}

  int64_t units() const { return units_; }  // of the next slice

  // A slice of so many units took so long. It was full if more waits.
  void Adapt(int64_t units, int64_t took_ns, bool full);

 private:
  static const int64_t kFirstUnits;

  const int64_t wanted_ns_;
  int64_t units_ = kFirstUnits;
  double last_ = 0;  // units a nanosecond, of the last full slice
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SESSIONS_SHARD_STEP_SLICE_PACE_H_
