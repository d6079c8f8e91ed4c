// The elementary functions of the exact tier, one float a lane.
//
// Each is a fixed sequence of IEEE operations and fused multiply-adds, so every CPU and vector width gives the same
// bits. Errors, as tested against the C library's double functions: Exp, Log 1 ulp; Sigmoid, Softplus, Asinh 3 ulp;
// Silu 4 ulp. A result of Exp below the least normal float is 0. Included once per target, inside foreach_target.

#if defined(AAREN_MODEL_MATH_EXACT_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AAREN_MODEL_MATH_EXACT_MATH_INL_H_
#undef AAREN_MODEL_MATH_EXACT_MATH_INL_H_
#else
#define AAREN_MODEL_MATH_EXACT_MATH_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace aaren::math {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// ln 2 in two parts; the first has few enough bits that its product with any exponent is exact.
inline constexpr float kLn2High = 0x1.62e4p-1f;
inline constexpr float kLn2Low = 0x1.7f7d1cp-20f;

// 2^n for n in [-126, 127].
template <class D, class VI>
HWY_INLINE hn::Vec<D> PowerOfTwo(D d, VI n) {
  const hn::RebindToSigned<D> di;
  return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(n, hn::Set(di, 127))));
}

// exp(x) = 2^n exp(r), |r| <= ln 2 / 2: the Taylor series to r^7 leaves 6e-9.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Exp(D d, V x) {
  const V bounded = hn::Min(hn::Max(x, hn::Set(d, -87.5f)), hn::Set(d, 89.0f));
  const V n = hn::Round(hn::Mul(bounded, hn::Set(d, 0x1.715476p+0f)));
  V r = hn::NegMulAdd(n, hn::Set(d, kLn2High), bounded);
  r = hn::NegMulAdd(n, hn::Set(d, kLn2Low), r);
  V p = hn::Set(d, 1.0f / 5040.0f);
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f / 720.0f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f / 120.0f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f / 24.0f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f / 6.0f));
  p = hn::MulAdd(p, r, hn::Set(d, 0.5f));
  p = hn::MulAdd(hn::Mul(r, r), p, r);
  p = hn::Add(p, hn::Set(d, 1.0f));
  // In two factors: n itself may be 128, and then overflows to the infinity that is right.
  const hn::RebindToSigned<D> di;
  const auto whole = hn::ConvertTo(di, n);
  const auto half = hn::ShiftRight<1>(whole);
  const V scaled = hn::Mul(hn::Mul(p, PowerOfTwo(d, half)), PowerOfTwo(d, hn::Sub(whole, half)));
  return hn::IfThenElseZero(hn::Ge(x, hn::Set(d, -87.33654f)), scaled);
}

// For normal x > 0. x = 2^n (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)). With s = f / (2 + f), log(1 + f) = 2 atanh(s) =
// f - s (f - R), R = 2 (s^2 / 3 + s^4 / 5 + ...). f^2 / 2 is taken apart so that f, the largest term, is added last and
// exactly.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Log(D d, V x) {
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(di, x);
  const auto n = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(di, 0x3f3504f3)));  // sqrt(1/2)
  const V f = hn::Sub(hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(n))), hn::Set(d, 1.0f));
  const V s = hn::Div(f, hn::Add(f, hn::Set(d, 2.0f)));
  const V z = hn::Mul(s, s);
  V r = hn::Set(d, 2.0f / 11.0f);
  r = hn::MulAdd(r, z, hn::Set(d, 2.0f / 9.0f));
  r = hn::MulAdd(r, z, hn::Set(d, 2.0f / 7.0f));
  r = hn::MulAdd(r, z, hn::Set(d, 2.0f / 5.0f));
  r = hn::MulAdd(r, z, hn::Set(d, 2.0f / 3.0f));
  const V half_square = hn::Mul(hn::Mul(f, f), hn::Set(d, 0.5f));
  const V exponent = hn::ConvertTo(d, n);
  const V low = hn::MulAdd(exponent, hn::Set(d, kLn2Low), hn::Mul(s, hn::MulAdd(r, z, half_square)));
  return hn::MulAdd(exponent, hn::Set(d, kLn2High), hn::Sub(f, hn::Sub(half_square, low)));
}

// What rounding 1 + t to `sum` lost, as a correction to log(sum).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Log1pCorrection(D d, V t, V sum) {
  return hn::Div(hn::Sub(t, hn::Sub(sum, hn::Set(d, 1.0f))), sum);
}

// For 0 <= t < 2^24.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Log1p(D d, V t) {
  const V sum = hn::Add(t, hn::Set(d, 1.0f));
  return hn::Add(Log(d, sum), Log1pCorrection(d, t, sum));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Sigmoid(D d, V x) {
  const V e = Exp(d, hn::Neg(hn::Abs(x)));
  const V above = hn::Div(hn::Set(d, 1.0f), hn::Add(hn::Set(d, 1.0f), e));
  return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Mul(e, above), above);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Silu(D d, V x) {
  return hn::Mul(x, Sigmoid(d, x));
}

// log(1 + exp(x))
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Softplus(D d, V x) {
  return hn::Add(hn::Max(x, hn::Zero(d)), Log1p(d, Exp(d, hn::Neg(hn::Abs(x)))));
}

// For finite x: log1p(a + a^2 / (1 + sqrt(1 + a^2))) with a = |x|. Above 1e4, where a^2 may overflow, log(2a) differs
// by less than an ulp.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Asinh(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  const V a = hn::Abs(x);
  const auto large = hn::Gt(a, hn::Set(d, 1e4f));
  const V b = hn::IfThenElse(large, one, a);
  const V square = hn::Mul(b, b);
  const V t = hn::Add(b, hn::Div(square, hn::Add(one, hn::Sqrt(hn::Add(one, square)))));
  const V sum = hn::Add(t, one);
  const V ln2 = hn::Set(d, 0x1.62e43p-1f);
  const V rest = hn::IfThenElse(large, ln2, Log1pCorrection(d, t, sum));
  return hn::CopySign(hn::Add(Log(d, hn::IfThenElse(large, a, sum)), rest), x);
}

}  // namespace HWY_NAMESPACE
}  // namespace aaren::math
HWY_AFTER_NAMESPACE();

#endif  // per target
