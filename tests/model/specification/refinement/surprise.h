#ifndef AAREN_TESTS_MODEL_SPECIFICATION_REFINEMENT_SURPRISE_H_
#define AAREN_TESTS_MODEL_SPECIFICATION_REFINEMENT_SURPRISE_H_

// Section 8 of model/README.md: the place of a value in the distribution forecast for the value.

#include "tests/model/specification/arithmetic.h"
#include "tests/model/specification/series/series.h"

namespace aaren::specification {

// 8.12-8.14: the range of the surprise of x, by the values as seen at series.t.
struct SurpriseRange {
  SurpriseRange(const Series& series, float span, float x);

  float least = 0, most = 1;
};

// 8.4-8.11, for the levels a [Q] and the quantiles q [Q].
float Surprise(const Vector& a, const Vector& q, float x);

// 8.17-8.20: the quantile of level p.
float QuantileOf(const Vector& a, const Vector& q, float p);

}  // namespace aaren::specification

#endif  // AAREN_TESTS_MODEL_SPECIFICATION_REFINEMENT_SURPRISE_H_
