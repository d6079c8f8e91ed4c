#include "model/training/softplus.h"

#include "model/math/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/training/softplus.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "model/math/exact_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aaren {
namespace HWY_NAMESPACE {

void Both(const float* x, size_t count, float* softplus, float* slope) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto number = hn::LoadU(d, x + i);
    hn::StoreU(Softplus(d, number), d, softplus + i);
    hn::StoreU(Sigmoid(d, number), d, slope + i);
  }
  const hn::CappedTag<float, 1> one;
  for (; i < count; ++i) {
    const auto number = hn::LoadU(one, x + i);
    hn::StoreU(Softplus(one, number), one, softplus + i);
    hn::StoreU(Sigmoid(one, number), one, slope + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aaren
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aaren {

HWY_EXPORT(Both);

void SoftplusAndSlope(const float* x, size_t count, float* softplus, float* slope) {
  HWY_DYNAMIC_DISPATCH(Both)(x, count, softplus, slope);
}

}  // namespace aaren
#endif
