#ifndef AAREN_TESTS_MODEL_SPECIFICATION_SIZES_H_
#define AAREN_TESTS_MODEL_SPECIFICATION_SIZES_H_

// Numbers that follow from the sizes of a model (rule 0.5): judged and tracked horizons, and knots.

#include <vector>

#include "model/package/config.h"

namespace aaren::specification {

struct Sizes {
  explicit Sizes(const package::ForecasterConfig& config);

  int ProbesFor(int horizon) const { return (horizon + D - 1) / D; }  // ceil(h / D)

  int P, L, H, V, T, S, N, Q, M, D;  // 0.5
  bool seasons;
  std::vector<float> a;                  // levels
  std::vector<int> tracked;              // K of 7.1, ascending
  std::vector<std::vector<int>> judged;  // by octave, 6.25
  std::vector<int> knots;                // 10.8
};

}  // namespace aaren::specification

#endif  // AAREN_TESTS_MODEL_SPECIFICATION_SIZES_H_
