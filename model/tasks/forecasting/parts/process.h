#ifndef AAREN_MODEL_TASKS_FORECASTING_PARTS_PROCESS_H_
#define AAREN_MODEL_TASKS_FORECASTING_PARTS_PROCESS_H_

// Random processes that are stepped along a series. Families use processes for weather, moods and noise.
//
// Threading: plain values.

#include <algorithm>
#include <cmath>

#include "model/tasks/forecasting/parts/random.h"

namespace aaren::forecasting {

// A process with mean 0 and deviation 1 that forgets over `memory` steps (an AR(1)). REQUIRES: memory > 0.
class Reverting {
 public:
  Reverting(Random& random, double memory)
      : keep_(std::exp(-1 / memory)), fresh_(std::sqrt(1 - keep_ * keep_)), now_(random.Normal()) {}

  double Next(Random& random) { return now_ = keep_ * now_ + fresh_ * random.Normal(); }
  double now() const { return now_; }

 private:
  double keep_, fresh_, now_;
};

// Excursions that begin at a rate per step and end after a random time.
class Episode {
 public:
  // `rate` >= 0 per step; `duration` >= 1 steps on average.
  Episode(double rate, double duration) : rate_(rate), end_(1 / std::max(1.0, duration)) {}

  // Moves on by one step. True while an excursion lasts; begun() says if the excursion began at this step.
  bool Next(Random& random) {
    begun_ = !on_ && random.Chance(rate_);
    on_ = begun_ || (on_ && !random.Chance(end_));
    return on_;
  }
  bool begun() const { return begun_; }

 private:
  double rate_, end_;
  bool on_ = false, begun_ = false;
};

// A value as a sensor or a ledger stores numbers: a whole multiple of `grid`. A grid of 0 keeps the value.
inline double OnGrid(double value, double grid) { return grid > 0 ? grid * std::round(value / grid) : value; }

}  // namespace aaren::forecasting

#endif  // AAREN_MODEL_TASKS_FORECASTING_PARTS_PROCESS_H_
