#ifndef AAREN_TESTS_BENCH_ENGINE_AMX_ROOF_H_
#define AAREN_TESTS_BENCH_ENGINE_AMX_ROOF_H_

// The best speed of one core's matrix registers: products in registers alone.

namespace aaren::bench {

// For one piece of work: a product of 16 x 32 by 32 x 16 is 2 * 16 * 32 * 16.
inline constexpr double kMatrixProductFlop = 2.0 * 16 * 32 * 16 * 4 * 10'000;

// REQUIRES: engine::MayUseAmx().
void MatrixProducts();

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_ENGINE_AMX_ROOF_H_
