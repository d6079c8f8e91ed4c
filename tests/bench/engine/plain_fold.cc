#include "tests/bench/engine/plain_fold.h"

#include <algorithm>
#include <cmath>

#include "model/engine/network/activation.h"
#include "model/math/lanes.h"
#include "model/math/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/bench/engine/plain_fold.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace aaren::bench {
namespace HWY_NAMESPACE {

// One head: a' = alpha a + beta v, and the output a' / c'.
void Grow(float alpha, float beta, float weight, const float* __restrict values, size_t width, float* __restrict sum,
          float* __restrict out) {
  for (size_t i = 0; i < width; ++i) {
    sum[i] = alpha * sum[i] + beta * values[i];
    out[i] = sum[i] / weight;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aaren::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aaren::bench {

HWY_EXPORT(Grow);

PlainFold::PlainFold(size_t heads, size_t width)
    : heads_(heads),
      width_(width),
      weight_(heads, 0.0f),
      peak_(heads, -INFINITY),
      sum_(hwy::AllocateAligned<float>(width)),
      growth_(hwy::AllocateAligned<float>(2 * math::PadToLanes(heads))) {
  std::fill_n(sum_.get(), width, 0.0f);
  std::fill_n(growth_.get(), 2 * math::PadToLanes(heads), 0.0f);
}

void PlainFold::Fold(const float* scores, const float* values, float* out) {
  const size_t padded = math::PadToLanes(heads_), head_width = width_ / heads_;
  float* alpha = growth_.get();
  float* beta = alpha + padded;
  for (size_t h = 0; h < heads_; ++h) {
    const float peak = std::max(peak_[h], scores[h]);
    alpha[h] = std::max(peak_[h] - peak, -200.0f);  // the empty state's -inf: Exp of it is zero
    beta[h] = scores[h] - peak;
    peak_[h] = peak;
  }
  engine::Exp(alpha, 2 * padded, alpha);
  for (size_t h = 0; h < heads_; ++h) {
    weight_[h] = alpha[h] * weight_[h] + beta[h];
    HWY_DYNAMIC_DISPATCH(Grow)
    (alpha[h], beta[h], weight_[h], values + h * head_width, head_width, sum_.get() + h * head_width,
     out + h * head_width);
  }
}

}  // namespace aaren::bench
#endif
