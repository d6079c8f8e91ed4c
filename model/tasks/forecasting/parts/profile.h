#ifndef AAREN_MODEL_TASKS_FORECASTING_PARTS_PROFILE_H_
#define AAREN_MODEL_TASKS_FORECASTING_PARTS_PROFILE_H_

// A Profile is one cycle of something, mostly a day: a value for each of its steps, between 0 and 1.
//
// Threading: plain values and functions.

#include <vector>

#include "absl/types/span.h"
#include "model/tasks/forecasting/parts/random.h"

namespace aaren::forecasting {

using Profile = std::vector<double>;

struct Peak {
  double at, width;  // of the cycle, both in [0, 1]; width is a Gaussian's deviation
  double height;
};

// The sum of these peaks, scaled so that its highest step is 1. REQUIRES: steps >= 1.
Profile Peaks(absl::Span<const Peak> peaks, int steps);

// 1 between `rise` and `fall` and 0 outside, over flanks of about `softness` of the cycle each. REQUIRES: rise < fall.
Profile Plateau(double rise, double fall, double softness, int steps);

// Warmth: from its least at `sunrise` it climbs as a sine to its most at `noon` and cools towards the next sunrise, at
// first fast if `cooling` is large. REQUIRES: sunrise < noon.
Profile Warmth(double sunrise, double noon, double cooling, int steps);

// One to six harmonics with random phases.
Profile Harmonics(Random& random, int steps);

// Any of these, or steps, or random heights joined by lines.
Profile RandomProfile(Random& random, int steps);

// `share` of one and the rest of the other. REQUIRES: as many steps.
Profile Blend(const Profile& one, double share, const Profile& other);

// The step, or the last one where a day has an hour more.
inline double At(const Profile& profile, int step) {
  return profile[step < static_cast<int>(profile.size()) ? step : profile.size() - 1];
}

// Between the steps, by a line; phase in cycles, any number.
double Read(const Profile& profile, double phase);

}  // namespace aaren::forecasting

#endif  // AAREN_MODEL_TASKS_FORECASTING_PARTS_PROFILE_H_
