#ifndef AAREN_MODEL_ENGINE_EVENTS_MIXTURE_POINTS_H_
#define AAREN_MODEL_ENGINE_EVENTS_MIXTURE_POINTS_H_

// A mixture at kPoints places of z at once, in floats. The bits are the same on every machine: vectors run over places,
// and each place adds the components in order. Threading: plain functions.

#include <cstddef>

#include "model/engine/events/outlook.h"
#include "model/math/lanes.h"

namespace aaren::events {

inline constexpr size_t kPoints = 16;
static_assert(kPoints % math::kLanes == 0);

struct Points {
  alignas(64) float at[kPoints];
};

// The components of a mixture that have a weight, the log-normal ones first.
struct Components {
  size_t normals = 0, count = 0;
  float weight[kComponents], at[kComponents], inverse[kComponents];  // inverse: 1 / spread
};

// The probabilities below the places, and the densities. Errors of probabilities are below 1e-6.
void MixtureAt(const Components& components, const Points& z, Points& below, Points& density);

}  // namespace aaren::events

#endif  // AAREN_MODEL_ENGINE_EVENTS_MIXTURE_POINTS_H_
