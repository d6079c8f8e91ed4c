#ifndef AAREN_MODEL_TASKS_FORECASTING_PARTS_PROFILE_H_
#define AAREN_MODEL_TASKS_FORECASTING_PARTS_PROFILE_H_

// A Profile is one cycle, mostly a day: a value between 0 and 1 for each step of the cycle.
//
// Threading: plain values and functions.

#include <vector>

#include "absl/types/span.h"
#include "model/tasks/forecasting/parts/random.h"

namespace aaren::forecasting {

using Profile = std::vector<double>;

struct Peak {
  double at, width;  // parts of the cycle, both in [0, 1]; width is a Gaussian's deviation
  double height;
};

// The sum of these peaks, scaled to a highest step of 1. REQUIRES: steps >= 1.
Profile Peaks(absl::Span<const Peak> peaks, int steps);

// 1 between `rise` and `fall`, 0 outside, with flanks of about `softness` of the cycle each. REQUIRES: rise < fall.
Profile Plateau(double rise, double fall, double softness, int steps);

// Warmth: climbs as a sine from the least at `sunrise` to the most at `noon`, then cools towards the next sunrise. A
// large `cooling` makes the first hours cool fast. REQUIRES: sunrise < noon.
Profile Warmth(double sunrise, double noon, double cooling, int steps);

// One to six harmonics with random phases.
Profile Harmonics(Random& random, int steps);

// A random profile: one of the above, or steps, or random heights joined by lines.
Profile RandomProfile(Random& random, int steps);

// `share` times one profile plus the rest of the other. REQUIRES: both have the same steps.
Profile Blend(const Profile& one, double share, const Profile& other);

// The profile at a step, or at the last step if a day is an hour longer.
inline double At(const Profile& profile, int step) {
  return profile[step < static_cast<int>(profile.size()) ? step : profile.size() - 1];
}

// The profile between steps, by a line; phase in cycles, any number.
double Read(const Profile& profile, double phase);

}  // namespace aaren::forecasting

#endif  // AAREN_MODEL_TASKS_FORECASTING_PARTS_PROFILE_H_
