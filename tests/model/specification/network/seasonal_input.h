#ifndef AAREN_TESTS_MODEL_SPECIFICATION_NETWORK_SEASONAL_INPUT_H_
#define AAREN_TESTS_MODEL_SPECIFICATION_NETWORK_SEASONAL_INPUT_H_

// Rules 10.1-10.7 of model/README.md: what the network sees of a series' seasons.

#include <array>
#include <vector>

#include "tests/model/specification/arithmetic.h"
#include "tests/model/specification/network/input.h"
#include "tests/model/specification/series/lag_errors.h"

namespace aaren::specification {

using SourcesOfSteps = std::vector<std::array<float, 4>>;  // for steps 1 ... T

struct SeasonalInput {
  // The seasons are in tokens, and the sources those of steps of places.
  SeasonalInput(const Series& series, const LagErrors& errors, Seasons seasons, Thinning thinning, const Input& input,
                const SourcesOfSteps& sources);

  std::array<Vector, 4> Z;          // 10.1, [4, T]
  std::array<Vector, 3> residuals;  // 10.2-10.5, [3, 48], of A1, AM and B1
  Vector numbers;                   // 10.6, 17
};

}  // namespace aaren::specification

#endif  // AAREN_TESTS_MODEL_SPECIFICATION_NETWORK_SEASONAL_INPUT_H_
