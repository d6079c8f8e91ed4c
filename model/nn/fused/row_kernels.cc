#include "model/nn/fused/row_kernels.h"

#include <cmath>

#include "model/math/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/nn/fused/row_kernels.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "model/math/exact_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aaren::nn {
namespace HWY_NAMESPACE {

namespace exact = math::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;

// Calls work(tag, i) for whole vectors of floats, then for each number left.
template <class Work>
HWY_INLINE void ForFloats(size_t count, const Work& work) {
  const hn::ScalableTag<float> d;
  size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) work(d, i);
  const hn::CappedTag<float, 1> one;
  for (; i < count; ++i) work(one, i);
}

// The sum of term(tag, i) over all i < count.
template <class Term>
HWY_INLINE float Sum(size_t count, const Term& term) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> one;
  auto sums = hn::Zero(d);
  size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) sums = hn::Add(sums, term(d, i));
  float sum = hn::GetLane(hn::SumOfLanes(d, sums));
  for (; i < count; ++i) sum += hn::GetLane(term(one, i));
  return sum;
}

float RmsNormForward(const float* x, const float* weight, size_t width, float epsilon, float* out) {
  const float squares = Sum(width, [&](auto d, size_t i) {
    const auto v = hn::LoadU(d, x + i);
    return hn::Mul(v, v);
  });
  const float inverse = 1 / std::sqrt(squares / static_cast<float>(width) + epsilon);
  ForFloats(width, [&](auto d, size_t i) {
    const auto scaled = hn::Mul(hn::LoadU(d, x + i), hn::Set(d, inverse));
    hn::StoreU(hn::Mul(scaled, hn::LoadU(d, weight + i)), d, out + i);
  });
  return inverse;
}

// With n = x / rms and h = gradient * weight, the gradient of x is (h - n * mean(h * n)) / rms. The gradient of the
// weight is gradient * n.
void RmsNormBackward(const float* gradient, const float* x, const float* weight, size_t width, float inverse,
                     float* x_gradient, float* weight_gradient) {
  const float product = Sum(width, [&](auto d, size_t i) {
    return hn::Mul(hn::Mul(hn::LoadU(d, gradient + i), hn::LoadU(d, weight + i)), hn::LoadU(d, x + i));
  });
  const float back = product * inverse * inverse / static_cast<float>(width);
  ForFloats(width, [&](auto d, size_t i) {
    const auto g = hn::LoadU(d, gradient + i), v = hn::LoadU(d, x + i), scale = hn::Set(d, inverse);
    const auto h = hn::Mul(g, hn::LoadU(d, weight + i));
    hn::StoreU(hn::Mul(hn::Sub(h, hn::Mul(v, hn::Set(d, back))), scale), d, x_gradient + i);
    const auto sum = hn::Add(hn::LoadU(d, weight_gradient + i), hn::Mul(g, hn::Mul(v, scale)));
    hn::StoreU(sum, d, weight_gradient + i);
  });
}

void SiluForward(const float* gate, const float* up, size_t count, float* out) {
  ForFloats(count, [&](auto d, size_t i) {
    hn::StoreU(hn::Mul(exact::Silu(d, hn::LoadU(d, gate + i)), hn::LoadU(d, up + i)), d, out + i);
  });
}

// silu'(z) = s + z s (1 - s), where s is the sigmoid of z.
void SiluBackward(const float* gradient, const float* gate, const float* up, size_t count, float* gate_gradient,
                  float* up_gradient) {
  ForFloats(count, [&](auto d, size_t i) {
    const auto g = hn::LoadU(d, gradient + i), z = hn::LoadU(d, gate + i);
    const auto s = exact::Sigmoid(d, z), silu = hn::Mul(z, s);
    const auto slope = hn::Add(s, hn::Mul(silu, hn::Sub(hn::Set(d, 1.0f), s)));
    hn::StoreU(hn::Mul(hn::Mul(g, hn::LoadU(d, up + i)), slope), d, gate_gradient + i);
    hn::StoreU(hn::Mul(g, silu), d, up_gradient + i);
  });
}

void SigmoidForward(const float* gate, const float* x, size_t count, float* out) {
  ForFloats(count, [&](auto d, size_t i) {
    const auto s = exact::Sigmoid(d, hn::LoadU(d, gate + i));
    hn::StoreU(hn::Mul(hn::LoadU(d, x + i), hn::Add(s, s)), d, out + i);
  });
}

void SigmoidBackward(const float* gradient, const float* gate, const float* x, size_t count, float* gate_gradient,
                     float* x_gradient) {
  ForFloats(count, [&](auto d, size_t i) {
    const auto g = hn::LoadU(d, gradient + i), s = exact::Sigmoid(d, hn::LoadU(d, gate + i));
    // The slope of 2 s is 2 s (1 - s), so `moved` is a factor of both gradients.
    const auto moved = hn::Mul(g, hn::Add(s, s));
    hn::StoreU(moved, d, x_gradient + i);
    hn::StoreU(hn::Mul(hn::Mul(moved, hn::LoadU(d, x + i)), hn::Sub(hn::Set(d, 1.0f), s)), d, gate_gradient + i);
  });
}

void Turn(const float* x, const float* cosines, const float* sines, size_t width, bool back, float* out) {
  const float sign = back ? -1.0f : 1.0f;
  size_t i = 0;
#if HWY_TARGET != HWY_SCALAR  // a target without neighbouring lanes
  const hn::ScalableTag<float> d;
  for (; i + hn::Lanes(d) <= width; i += hn::Lanes(d)) {
    const auto v = hn::LoadU(d, x + i), sine = hn::Mul(hn::LoadU(d, sines + i), hn::Set(d, sign));
    hn::StoreU(hn::MulAdd(hn::Shuffle2301(v), sine, hn::Mul(v, hn::LoadU(d, cosines + i))), d, out + i);
  }
#endif
  for (; i < width; ++i) out[i] = x[i] * cosines[i] + x[i ^ 1] * sines[i] * sign;
}

}  // namespace HWY_NAMESPACE
}  // namespace aaren::nn
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aaren::nn {

HWY_EXPORT(RmsNormForward);
HWY_EXPORT(RmsNormBackward);
HWY_EXPORT(SiluForward);
HWY_EXPORT(SiluBackward);
HWY_EXPORT(SigmoidForward);
HWY_EXPORT(SigmoidBackward);
HWY_EXPORT(Turn);

float RmsNormRow(const float* x, const float* weight, size_t width, float epsilon, float* out) {
  return HWY_DYNAMIC_DISPATCH(RmsNormForward)(x, weight, width, epsilon, out);
}

void RmsNormRowGradient(const float* gradient, const float* x, const float* weight, size_t width, float inverse_rms,
                        float* x_gradient, float* weight_gradient) {
  HWY_DYNAMIC_DISPATCH(RmsNormBackward)(gradient, x, weight, width, inverse_rms, x_gradient, weight_gradient);
}

void SiluTimes(const float* gate, const float* up, size_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(SiluForward)(gate, up, count, out);
}

void SiluTimesGradient(const float* gradient, const float* gate, const float* up, size_t count, float* gate_gradient,
                       float* up_gradient) {
  HWY_DYNAMIC_DISPATCH(SiluBackward)(gradient, gate, up, count, gate_gradient, up_gradient);
}

void SigmoidTimes(const float* gate, const float* x, size_t count, float* out) {
  HWY_DYNAMIC_DISPATCH(SigmoidForward)(gate, x, count, out);
}

void SigmoidTimesGradient(const float* gradient, const float* gate, const float* x, size_t count, float* gate_gradient,
                          float* x_gradient) {
  HWY_DYNAMIC_DISPATCH(SigmoidBackward)(gradient, gate, x, count, gate_gradient, x_gradient);
}

void TurnRow(const float* x, const float* cosines, const float* sines, size_t width, bool back, float* out) {
  HWY_DYNAMIC_DISPATCH(Turn)(x, cosines, sines, width, back, out);
}

}  // namespace aaren::nn
#endif
