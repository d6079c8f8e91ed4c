#include "model/training/events/mark_loss.h"

#include <algorithm>
#include <cmath>

#include "model/engine/events/memory.h"
#include "model/engine/events/sizes.h"
#include "model/math/lanes.h"
#include "model/math/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/training/events/mark_loss.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "model/math/exact_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aaren::training {
namespace HWY_NAMESPACE {

namespace exact = math::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;

// Vectors divide the numbers of a mark.
using Lanes = hn::CappedTag<float, math::kLanes>;
constexpr size_t kMiddle = events::kMarkHidden, kStride = math::PadToLanes(events::kMarkInputs);

float Dot(const float* x, const float* y, size_t count) {
  const Lanes d;
  auto sum = hn::Zero(d);
  for (size_t j = 0; j < count; j += hn::Lanes(d)) sum = hn::MulAdd(hn::LoadU(d, x + j), hn::LoadU(d, y + j), sum);
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

// out += factor * x
void AddScaled(float factor, const float* x, size_t count, float* out) {
  const Lanes d;
  for (size_t j = 0; j < count; j += hn::Lanes(d)) {
    hn::StoreU(hn::MulAdd(hn::Set(d, factor), hn::LoadU(d, x + j), hn::LoadU(d, out + j)), d, out + j);
  }
}

// silu of a mark's middle, and the slope of silu there, s + z s (1 - s) with s the sigmoid of z.
void Activate(const float* middle, const float* token, float* silu, float* slope) {
  const Lanes d;
  for (size_t j = 0; j < kMiddle; j += hn::Lanes(d)) {
    const auto z = hn::Add(hn::LoadU(d, middle + j), hn::LoadU(d, token + j));
    const auto s = exact::Sigmoid(d, z), out = hn::Mul(z, s);
    hn::StoreU(out, d, silu + j);
    hn::StoreU(hn::MulAdd(out, hn::Sub(hn::Set(d, 1.0f), s), s), d, slope + j);
  }
}

// The gradient at a mark's middle: by_logit * w * slope.
void BackToMiddle(float by_logit, const float* hidden, const float* slope, float* middle) {
  const Lanes d;
  for (size_t j = 0; j < kMiddle; j += hn::Lanes(d)) {
    const auto scaled = hn::Mul(hn::Set(d, by_logit), hn::LoadU(d, hidden + j));
    hn::StoreU(hn::Mul(scaled, hn::LoadU(d, slope + j)), d, middle + j);
  }
}

double Loss(const MarkForecast& forecast, int64_t mark, MarkGradient& gradient) {
  float silu[events::kMarkSlots * kMiddle], slope[events::kMarkSlots * kMiddle];
  float share[events::kMarkSlots + 1];
  const auto known = static_cast<size_t>(forecast.known);
  for (size_t k = 0; k < known; ++k) {
    Activate(forecast.middle + k * kMiddle, forecast.token, silu + k * kMiddle, slope + k * kMiddle);
    share[k] =
        Dot(silu + k * kMiddle, forecast.hidden, kMiddle) + Dot(forecast.inputs + k * kStride, forecast.line, kStride);
  }
  share[known] = forecast.fresh;
  const float most = *std::max_element(share, share + known + 1), came = share[mark];
  float sum = 0;
  for (size_t k = 0; k <= known; ++k) sum += share[k] = std::exp(share[k] - most);
  std::fill_n(gradient.token, kMiddle, 0.0f);
  std::fill_n(gradient.line, kStride, 0.0f);
  for (size_t k = 0; k < known; ++k) {
    const float by_logit = share[k] / sum - (static_cast<int64_t>(k) == mark ? 1.0f : 0.0f);
    AddScaled(by_logit, silu + k * kMiddle, kMiddle, gradient.hidden);
    BackToMiddle(by_logit, forecast.hidden, slope + k * kMiddle, gradient.middle + k * kMiddle);
    AddScaled(1, gradient.middle + k * kMiddle, kMiddle, gradient.token);
    AddScaled(by_logit, forecast.inputs + k * kStride, kStride, gradient.line);
  }
  gradient.fresh = share[known] / sum - (mark == forecast.known ? 1.0f : 0.0f);
  return std::log(static_cast<double>(sum)) - (static_cast<double>(came) - static_cast<double>(most));
}

}  // namespace HWY_NAMESPACE
}  // namespace aaren::training
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aaren::training {

HWY_EXPORT(Loss);

double MarkLoss(const MarkForecast& forecast, int64_t mark, MarkGradient& gradient) {
  return HWY_DYNAMIC_DISPATCH(Loss)(forecast, mark, gradient);
}

}  // namespace aaren::training
#endif  // HWY_ONCE
