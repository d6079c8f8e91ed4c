#ifndef AAREN_MODEL_ENGINE_FORECAST_RESULT_H_
#define AAREN_MODEL_ENGINE_FORECAST_RESULT_H_

// The floats of a forecaster's values and results (model/README.md, rules 1.1 and 9.21).
//
// A value is a double. A run takes the value as a float, or as the bytes of a double in the place of two floats. A
// result is [horizon, quantiles] floats relative to the origin of the row, then a tail: the origin, a double in the
// place of two floats, and 1 while the session is learning, else 0. So forecasts at a level of 1e9 are as fine as
// forecasts at 0.

#include <cmath>
#include <cstddef>
#include <cstring>
#include <vector>

#include "absl/types/span.h"
#include "model/math/scaling.h"

namespace aaren::engine {

inline constexpr size_t kFloatsOfDouble = 2;

inline void PutDouble(double value, float* floats) { std::memcpy(floats, &value, sizeof(value)); }
inline double DoubleAt(const float* floats) {
  double value;
  std::memcpy(&value, floats, sizeof(value));
  return value;
}

// Token `i` of a run's values, which have one float or two for each of `tokens`.
inline double ValueAt(absl::Span<const float> values, size_t tokens, size_t i) {
  return values.size() == tokens ? static_cast<double>(values[i]) : DoubleAt(&values[kFloatsOfDouble * i]);
}

// The values of a run that takes doubles.
inline std::vector<float> RunValues(absl::Span<const double> values) {
  std::vector<float> floats(kFloatsOfDouble * values.size());
  for (size_t i = 0; i < values.size(); ++i) PutDouble(values[i], &floats[kFloatsOfDouble * i]);
  return floats;
}

struct ResultTail {
  static constexpr size_t kFloats = kFloatsOfDouble + 1;

  double origin = 0.0;
  bool learning = false;

  // Reads the tail of a result with this many quantiles of all steps together.
  static ResultTail Of(const float* result, size_t quantiles) {
    return {DoubleAt(result + quantiles), result[quantiles + kFloatsOfDouble] != 0.0f};
  }

  void Write(float* result, size_t quantiles) const {
    PutDouble(origin, result + quantiles);
    result[quantiles + kFloatsOfDouble] = learning ? 1.0f : 0.0f;
  }

  // A quantile in the units of the series. The float next to -origin stands for 0.
  double Absolute(float quantile) const {
    return quantile == static_cast<float>(0.0 - origin) ? 0.0 : origin + static_cast<double>(quantile);
  }

  // The same as a float; NaN stays.
  float AbsoluteFloat(float quantile) const {
    return std::isnan(quantile) ? quantile : math::ToForecast(Absolute(quantile));
  }
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECAST_RESULT_H_
