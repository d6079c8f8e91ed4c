#ifndef AAREN_MODEL_ENGINE_EVENTS_MIXTURE_POINTS_H_
#define AAREN_MODEL_ENGINE_EVENTS_MIXTURE_POINTS_H_

// A mixture at up to kPoints places (outlook.h) at once, in floats. The bits are the same on every machine and in any
// company: vectors run over places, and each place adds the components in order. Threading: plain functions.

#include <cstddef>

#include "model/engine/events/outlook.h"
#include "model/math/lanes.h"

namespace aaren::events {

inline constexpr size_t kPoints = 16;
static_assert(kPoints % math::kLanes == 0);

struct Points {
  alignas(64) float at[kPoints];
};

inline constexpr float kFurthest = 40;  // places beyond are not searched

// The components of a mixture that have a weight, the log-normal ones first.
struct Components {
  size_t normals = 0, count = 0;
  float weight[kComponents], at[kComponents], inverse[kComponents];  // inverse: 1 / spread
  float low = kFurthest, high = -kFurthest;                          // where a search begins
};

// REQUIRES throughout: 1 <= count <= kPoints, and all kPoints places of an argument hold numbers. Results beyond
// `count` may be left as they are.

// The probabilities below the first `count` places, with errors below 1e-6.
void ProbabilitiesBelow(const Components& components, size_t count, const Points& places, Points& below);

// The places of the first `count` probabilities. Each misses its probability by less than 1e-5.
void FindPlaces(const Components& components, size_t count, const Points& wanted, Points& found);

}  // namespace aaren::events

#endif  // AAREN_MODEL_ENGINE_EVENTS_MIXTURE_POINTS_H_
