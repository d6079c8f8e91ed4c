#ifndef AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_SUPPORT_H_
#define AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_SUPPORT_H_

// Support is what a session has learned of the values that its series can take (model/README.md, step 9). It is whether
// the series has ever been negative, and the lattice on which all of its values lie, if they do. Lattices are whole
// numbers, tenths of a degree, on and off. Forecasts are taken there.
//
// The lattice is origin + k span, k = ..., -1, 0, 1, ... Its span is the greatest common divisor of all distances seen
// (Euclid's algorithm, on floats of decimal numbers). One value beside it ends it for good, and so do more steps from
// the least value to the largest than matter to a forecast. It lies in the bytes of a row. Threading: a plain value.

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"

namespace aaren::engine {

struct Support {
  static constexpr uint32_t kSettled = 32;    // values before anything is said of those to come
  static constexpr double kMostSteps = 4096;  // from the origin

  float least;   // of all values; +infinity before the first
  float origin;  // the value nearest to 0; NaN before the first
  float span;    // 0 while all values are equal; NaN where there is no lattice

  void Reset();

  // REQUIRES: not NaN.
  void Add(float value);

  // Of a series of which `count` values came. Takes forecast [size] to what the series can be: none moves by more than
  // half a span or to below 0, and they stay in order.
  void Restrict(uint32_t count, size_t size, float* forecast) const;

  // DataLoss naming the number if no series can have left such a support.
  absl::Status Check() const;
};
static_assert(sizeof(Support) == 12);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_SUPPORT_H_
