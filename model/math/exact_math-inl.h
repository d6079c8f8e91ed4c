// The elementary functions of the exact tier, one float a lane: the functions of exact_functions-inl.h over vectors of
// Highway.
//
// Every CPU and vector width gives the same bits. Errors, tested against the C library's functions of double: Exp and
// Log 1 ulp; Sigmoid, Softplus and Asinh 3 ulp; Silu 4 ulp. Exp returns 0 instead of a number below the least normal
// float. A file includes this one once per target, inside foreach_target.

#if defined(AAREN_MODEL_MATH_EXACT_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AAREN_MODEL_MATH_EXACT_MATH_INL_H_
#undef AAREN_MODEL_MATH_EXACT_MATH_INL_H_
#else
#define AAREN_MODEL_MATH_EXACT_MATH_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace aaren::math {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// VectorOperations is a policy for exact_functions-inl.h. D is a tag of float vectors.
template <class D>
struct VectorOperations {
  using Number = hn::Vec<D>;
  using WholeTag = hn::RebindToSigned<D>;
  using Whole = hn::Vec<WholeTag>;
  using Mask = hn::Mask<D>;

  static HWY_INLINE Number Set(float value) { return hn::Set(D(), value); }
  static HWY_INLINE Number Add(Number a, Number b) { return hn::Add(a, b); }
  static HWY_INLINE Number Sub(Number a, Number b) { return hn::Sub(a, b); }
  static HWY_INLINE Number Mul(Number a, Number b) { return hn::Mul(a, b); }
  static HWY_INLINE Number Div(Number a, Number b) { return hn::Div(a, b); }
  static HWY_INLINE Number Sqrt(Number a) { return hn::Sqrt(a); }
  static HWY_INLINE Number Fma(Number a, Number b, Number c) { return hn::MulAdd(a, b, c); }
  static HWY_INLINE Number MinusFma(Number a, Number b, Number c) { return hn::NegMulAdd(a, b, c); }
  static HWY_INLINE Number Min(Number a, Number b) { return hn::Min(a, b); }
  static HWY_INLINE Number Max(Number a, Number b) { return hn::Max(a, b); }
  static HWY_INLINE Number Abs(Number a) { return hn::Abs(a); }
  static HWY_INLINE Number Neg(Number a) { return hn::Neg(a); }
  static HWY_INLINE Number CopySign(Number a, Number sign) { return hn::CopySign(a, sign); }
  static HWY_INLINE Number Round(Number a) { return hn::Round(a); }
  static HWY_INLINE Mask Less(Number a, Number b) { return hn::Lt(a, b); }
  static HWY_INLINE Mask AtLeast(Number a, Number b) { return hn::Ge(a, b); }
  static HWY_INLINE Number Select(Mask mask, Number yes, Number no) { return hn::IfThenElse(mask, yes, no); }

  static HWY_INLINE Whole SetWhole(int32_t value) { return hn::Set(WholeTag(), value); }
  static HWY_INLINE Whole ToWhole(Number a) { return hn::ConvertTo(WholeTag(), a); }
  static HWY_INLINE Number ToNumber(Whole a) { return hn::ConvertTo(D(), a); }
  static HWY_INLINE Whole Bits(Number a) { return hn::BitCast(WholeTag(), a); }
  static HWY_INLINE Number FromBits(Whole a) { return hn::BitCast(D(), a); }
  static HWY_INLINE Whole AddWhole(Whole a, Whole b) { return hn::Add(a, b); }
  static HWY_INLINE Whole SubWhole(Whole a, Whole b) { return hn::Sub(a, b); }
  static HWY_INLINE Whole ShiftLeft23(Whole a) { return hn::ShiftLeft<23>(a); }
  static HWY_INLINE Whole ShiftRight1(Whole a) { return hn::ShiftRight<1>(a); }
  static HWY_INLINE Whole ShiftRight23(Whole a) { return hn::ShiftRight<23>(a); }
};

#define AAREN_EXACT HWY_INLINE
#include "model/math/exact_functions-inl.h"
#undef AAREN_EXACT

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Exp(D, V x) {
  return ExpOf<VectorOperations<D>>(x);
}

// exp(x) for x <= 0, with fewer instructions than Exp.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ExpOfNegative(D, V x) {
  return ExpOfNegative<VectorOperations<D>>(x);
}

// log(x) for normal x > 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Log(D, V x) {
  return LogOf<VectorOperations<D>>(x);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Sigmoid(D, V x) {
  return SigmoidOf<VectorOperations<D>>(x);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Silu(D, V x) {
  return SiluOf<VectorOperations<D>>(x);
}

// log(1 + exp(x))
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Softplus(D, V x) {
  return SoftplusOf<VectorOperations<D>>(x);
}

// asinh(x) for finite x.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Asinh(D, V x) {
  return AsinhOf<VectorOperations<D>>(x);
}

}  // namespace HWY_NAMESPACE
}  // namespace aaren::math
HWY_AFTER_NAMESPACE();

#endif  // per target
