#include "model/nn/forecaster/asinh.h"

#include "model/math/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/nn/forecaster/asinh.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "model/math/exact_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aaren::nn {
namespace HWY_NAMESPACE {

namespace exact = math::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;

void All(float* x, size_t count) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  // Lanes never mix, so a number has the same bits in a full vector and alone in the tail.
  for (; i + lanes <= count; i += lanes) hn::StoreU(exact::Asinh(d, hn::LoadU(d, x + i)), d, x + i);
  const hn::CappedTag<float, 1> one;
  for (; i < count; ++i) hn::StoreU(exact::Asinh(one, hn::LoadU(one, x + i)), one, x + i);
}

}  // namespace HWY_NAMESPACE
}  // namespace aaren::nn
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aaren::nn {

HWY_EXPORT(All);

void AsinhInPlace(float* x, size_t count) { HWY_DYNAMIC_DISPATCH(All)(x, count); }

}  // namespace aaren::nn
#endif
