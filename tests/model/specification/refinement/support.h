#ifndef AAREN_TESTS_MODEL_SPECIFICATION_REFINEMENT_SUPPORT_H_
#define AAREN_TESTS_MODEL_SPECIFICATION_REFINEMENT_SUPPORT_H_

// Section 9 of model/README.md: the values that a series can take, and forecasts restricted to them.

#include <limits>

#include "tests/model/specification/arithmetic.h"
#include "tests/model/specification/series/series.h"

namespace aaren::specification {

struct Support {
  void Take(const Series& before, double v, double x);          // 9.2-9.12. REQUIRES: the series has not taken x yet
  void Restrict(const Series& series, Vector& forecast) const;  // 9.13-9.18
  bool IsFew() const { return span > 0 && greatest - least <= 11.5 * span; }  // 9.12

  double origin = kMissing;
  float least = std::numeric_limits<float>::infinity(), greatest = -least, span = 0;
  uint32_t negative = 0;
};

}  // namespace aaren::specification

#endif  // AAREN_TESTS_MODEL_SPECIFICATION_REFINEMENT_SUPPORT_H_
