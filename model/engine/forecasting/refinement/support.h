#ifndef AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_SUPPORT_H_
#define AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_SUPPORT_H_

// Support is a session's knowledge of the values that its series can take (model/README.md, step 9): if the series was
// ever negative, and the lattice on which all values lie, if a lattice exists. Examples of lattices are whole numbers,
// tenths of a degree, and on/off. Forecasts are moved onto the lattice. A series on few points of a lattice is forecast
// between its least and its greatest value.
//
// The lattice is origin + k span, k = ..., -1, 0, 1, ... The span is the greatest common divisor of all distances seen
// (Euclid's algorithm, on floats of decimal numbers). A single value beside the lattice ends the lattice for good. So
// does a range of more steps than matter to a forecast. Support lies in the bytes of a row. Threading: a plain value.

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"

namespace aaren::engine {

struct Support {
  static constexpr uint32_t kSettled = 32;    // values before a forecast is restricted
  static constexpr double kMostSteps = 4096;  // steps from the origin to a value
  static constexpr double kFewSteps = 11;     // steps from the least to the greatest of few values

  double origin;      // the value nearest to 0, whose rounding is least; NaN before the first
  float least;        // the least value, less origin; +infinity before the first
  float greatest;     // the greatest value, less origin; -infinity before the first
  float span;         // 0 while all values are equal; NaN if no lattice exists
  uint32_t negative;  // 1 if a value was below 0

  void Reset();

  // Learns from a value. REQUIRES: the value is not NaN.
  void Add(double value);

  // True if the series has at most kFewSteps + 1 possible values, and more than one.
  bool IsFew() const { return span > 0.0f && greatest - least <= (kFewSteps + 0.5) * span; }

  // Restricts forecast [size], relative to `from`, of a series of which `count` values came, to values that the series
  // can take. No quantile moves by more than half a span, to below 0, or beyond few values, and quantiles stay in
  // order.
  void Restrict(uint32_t count, double from, size_t size, float* forecast) const;

  // DataLoss naming the number if no series can have left such a support.
  absl::Status Check() const;
};
static_assert(sizeof(Support) == 24);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_REFINEMENT_SUPPORT_H_
