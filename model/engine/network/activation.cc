#include "model/engine/network/activation.h"

#include <cmath>

#include "model/math/lanes.h"
#include "model/math/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/engine/network/activation.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "model/math/exact_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aaren::engine {
namespace HWY_NAMESPACE {

namespace exact = math::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, math::kLanes>;

void ExpAll(const float* x, size_t count, float* out) {
  const D d;
  for (size_t i = 0; i < count; i += hn::Lanes(d)) hn::Store(exact::Exp(d, hn::Load(d, x + i)), d, out + i);
}

void LogAll(const float* x, size_t count, float* out) {
  const D d;
  for (size_t i = 0; i < count; i += hn::Lanes(d)) hn::Store(exact::Log(d, hn::Load(d, x + i)), d, out + i);
}

void AsinhAll(const float* x, size_t count, float* out) {
  const D d;
  for (size_t i = 0; i < count; i += hn::Lanes(d)) hn::Store(exact::Asinh(d, hn::Load(d, x + i)), d, out + i);
}

void SoftplusAll(const float* x, size_t count, float* out) {
  const D d;
  for (size_t i = 0; i < count; i += hn::Lanes(d)) hn::Store(exact::Softplus(d, hn::Load(d, x + i)), d, out + i);
}

void AddRowsAll(const float* y, size_t y_stride, size_t rows, size_t count, float* x, size_t x_stride) {
  const D d;
  for (; rows > 0; --rows, x += x_stride, y += y_stride) {
    for (size_t i = 0; i < count; i += hn::Lanes(d))
      hn::Store(hn::Add(hn::Load(d, x + i), hn::Load(d, y + i)), d, x + i);
  }
}

void GateBySiluAll(const float* gate, const float* value, size_t count, float* out) {
  const D d;
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::Store(hn::Mul(exact::Silu(d, hn::Load(d, gate + i)), hn::Load(d, value + i)), d, out + i);
  }
}

void GateBySigmoidAll(const float* gate, const float* value, size_t count, float* out) {
  const D d;
  const auto two = hn::Set(d, 2.0f);
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::Store(hn::Mul(hn::Mul(two, exact::Sigmoid(d, hn::Load(d, gate + i))), hn::Load(d, value + i)), d, out + i);
  }
}

// The sum of squares in kLanes partials: FMA adds the square of x[i] to partial i mod kLanes. The partials are joined
// in the one fixed tree, so the sum has the same bits for every vector width.
float SumOfSquares(const float* x, size_t count) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  alignas(64) float p[math::kLanes];
  for (size_t lane = 0; lane < math::kLanes; lane += lanes) {
    auto sum = hn::Zero(d);
    for (size_t i = lane; i < count; i += math::kLanes) {
      const auto value = hn::Load(d, x + i);
      sum = hn::MulAdd(value, value, sum);
    }
    hn::Store(sum, d, p + lane);
  }
  const float even = ((p[0] + p[8]) + (p[4] + p[12])) + ((p[2] + p[10]) + (p[6] + p[14]));
  const float odd = ((p[1] + p[9]) + (p[5] + p[13])) + ((p[3] + p[11]) + (p[7] + p[15]));
  return even + odd;
}

void RmsNormAll(const float* x, const float* gain, size_t width, size_t count, float* out) {
  const float mean = SumOfSquares(x, count) / static_cast<float>(width);
  const D d;
  // Rule 11.8. Quotient and root are IEEE operations, because approximate instructions differ between CPUs.
  const auto inverse = hn::Set(d, 1.0f / std::sqrt(mean + 1e-6f));
  for (size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::Store(hn::Mul(hn::Mul(hn::Load(d, x + i), inverse), hn::Load(d, gain + i)), d, out + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aaren::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aaren::engine {

HWY_EXPORT(ExpAll);
HWY_EXPORT(LogAll);
HWY_EXPORT(AsinhAll);
HWY_EXPORT(SoftplusAll);
HWY_EXPORT(AddRowsAll);
HWY_EXPORT(GateBySiluAll);
HWY_EXPORT(GateBySigmoidAll);
HWY_EXPORT(RmsNormAll);

void Exp(const float* x, size_t count, float* out) { HWY_DYNAMIC_DISPATCH(ExpAll)(x, count, out); }

void Log(const float* x, size_t count, float* out) { HWY_DYNAMIC_DISPATCH(LogAll)(x, count, out); }

void Asinh(const float* x, size_t count, float* out) { HWY_DYNAMIC_DISPATCH(AsinhAll)(x, count, out); }

void Softplus(const float* x, size_t count, float* out) { HWY_DYNAMIC_DISPATCH(SoftplusAll)(x, count, out); }

void AddRows(const float* y, size_t y_stride, size_t rows, size_t count, float* x, size_t x_stride) {
  HWY_DYNAMIC_DISPATCH(AddRowsAll)(y, y_stride, rows, count, x, x_stride);
}

void GateBySilu(const float* gate, const float* value, size_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(GateBySiluAll)(gate, value, count, out);
}

void GateBySigmoid(const float* gate, const float* value, size_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(GateBySigmoidAll)(gate, value, count, out);
}

void RmsNorm(const float* x, const float* gain, size_t width, size_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(RmsNormAll)(x, gain, width, count, out);
}

}  // namespace aaren::engine
#endif
