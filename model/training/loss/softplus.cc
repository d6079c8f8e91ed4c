#include "model/training/loss/softplus.h"

#include "model/math/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/training/loss/softplus.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "model/math/exact_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aaren::training {
namespace HWY_NAMESPACE {

namespace exact = math::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;

void Both(const float* x, size_t count, float* softplus, float* slope) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  // Lanes never mix, so a number has the same bits in a full vector and alone in the tail.
  for (; i + lanes <= count; i += lanes) {
    const auto number = hn::LoadU(d, x + i);
    hn::StoreU(exact::Softplus(d, number), d, softplus + i);
    hn::StoreU(exact::Sigmoid(d, number), d, slope + i);
  }
  const hn::CappedTag<float, 1> one;
  for (; i < count; ++i) {
    const auto number = hn::LoadU(one, x + i);
    hn::StoreU(exact::Softplus(one, number), one, softplus + i);
    hn::StoreU(exact::Sigmoid(one, number), one, slope + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aaren::training
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aaren::training {

HWY_EXPORT(Both);

void SoftplusAndSlope(const float* x, size_t count, float* softplus, float* slope) {
  HWY_DYNAMIC_DISPATCH(Both)(x, count, softplus, slope);
}

}  // namespace aaren::training
#endif
