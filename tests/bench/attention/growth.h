#ifndef AAREN_TESTS_BENCH_ATTENTION_GROWTH_H_
#define AAREN_TESTS_BENCH_ATTENTION_GROWTH_H_

// The speed of a growth: the exponent p of y ~ x^p, the slope of log y over log x. A constant has 0, a proportional
// quantity 1, a square 2, and a sum of terms lies between the exponents of its terms.

#include <vector>

namespace aaren::bench {

struct GrowthPoint {
  double x, y;
};

// The least-squares slope over the last decade: the points with x >= (largest x) / 10, where the fastest growing term
// shows best. REQUIRES: x, y > 0; at least two different x in the decade.
double GrowthExponent(const std::vector<GrowthPoint>& points);

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_ATTENTION_GROWTH_H_
