// The functions of doubles.h for many numbers at once, in vectors: the same operations in the same order, and so the
// same bits.

#include "model/math/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/math/doubles_all.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <numbers>

#include "model/math/doubles-inl.h"
#include "model/math/doubles.h"
#include "model/math/logarithm_of_two.h"

HWY_BEFORE_NAMESPACE();
namespace aaren::math {
namespace HWY_NAMESPACE {

// x / whole. With a fused multiply-add, a product by the rounded reciprocal and one correction give the quotient's bits
// (Brisebarre, Muller and Raina, "Accelerating correctly rounded floating-point division when the divisor is known in
// advance", 2004), in a third of a division's time. REQUIRES: x is 0 or far above the least normal number, or the
// quotient is added to 1.
template <class D>
HWY_INLINE hn::Vec<D> DivideBy(D d, hn::Vec<D> x, int whole) {
  const auto divisor = hn::Set(d, static_cast<double>(whole));
#if !HWY_NATIVE_FMA
  return hn::Div(x, divisor);
#else
  const auto reciprocal = hn::Set(d, 1.0 / whole), quotient = hn::Mul(x, reciprocal);
  return hn::MulAdd(hn::NegMulAdd(quotient, divisor, x), reciprocal, quotient);
#endif
}

template <class D>
HWY_INLINE hn::Vec<D> ExpOf(D d, hn::Vec<D> x) {
  const auto tiny = hn::Lt(x, hn::Set(d, -700.0));
  // The bound below keeps the exponent of a number that becomes 0 in range.
  x = Clamp(d, x, -700.0, 700.0);
  const auto n = hn::Floor(hn::Add(hn::Mul(x, hn::Set(d, std::numbers::log2e)), hn::Set(d, 0.5)));
  const auto r = hn::Sub(hn::Sub(x, hn::Mul(n, hn::Set(d, kLn2High))), hn::Mul(n, hn::Set(d, kLn2Low)));
  auto p = hn::Set(d, 1.0);
  for (int k = 13; k >= 1; --k) {
    p = hn::Add(hn::Set(d, 1.0), DivideBy(d, hn::Mul(p, r), k));
  }
  // 2^n is a normal number, so the product is exact.
  const hn::Rebind<int64_t, D> integers;
  const auto exponent = hn::Add(hn::ConvertTo(integers, n), hn::Set(integers, int64_t{1023}));
  const auto power = hn::BitCast(d, hn::ShiftLeft<52>(exponent));
  return hn::IfThenZeroElse(tiny, hn::Mul(p, power));
}

// x = 2^n m with m in [sqrt(1/2), sqrt(2)), by the bits of a normal number.
template <class D>
HWY_INLINE hn::Vec<D> LogOf(D d, hn::Vec<D> x) {
  const hn::Rebind<int64_t, D> integers;
  const auto bits = hn::BitCast(integers, x);
  // The exponent of 1/2 lies over the digits, so m is in [1/2, 1) at first.
  const auto digits = hn::And(bits, hn::Set(integers, 0x000fffffffffffff));
  auto m = hn::BitCast(d, hn::Or(digits, hn::Set(integers, 0x3fe0000000000000)));
  // The sign of a number above 0 is 0, so the exponent stands alone above the digits.
  auto n = hn::ConvertTo(d, hn::Sub(hn::ShiftRight<52>(bits), hn::Set(integers, int64_t{1022})));
  const auto small = hn::Lt(m, hn::Set(d, std::numbers::sqrt2 / 2));
  m = hn::IfThenElse(small, hn::Add(m, m), m);
  n = hn::IfThenElse(small, hn::Sub(n, hn::Set(d, 1.0)), n);
  const auto two = hn::Set(d, 2.0), f = hn::Sub(m, hn::Set(d, 1.0)), s = hn::Div(f, hn::Add(two, f)), z = hn::Mul(s, s);
  auto p = hn::Set(d, 1.0 / 23);
  for (int k = 21; k >= 3; k -= 2) p = hn::Add(hn::Mul(p, z), hn::Set(d, 1.0 / k));
  const auto twice = hn::Mul(two, s), log = hn::Add(twice, hn::Mul(hn::Mul(twice, z), p));
  return hn::Add(hn::Mul(n, hn::Set(d, kLn2High)), hn::Add(hn::Mul(n, hn::Set(d, kLn2Low)), log));
}

template <class D>
HWY_INLINE void TurnOf(D d, hn::Vec<D> turns, double* cosine_out, double* sine_out) {
  const auto one = hn::Set(d, 1.0);
  turns = hn::Sub(turns, hn::Floor(turns));
  const auto quarter = hn::Floor(hn::Add(hn::Mul(hn::Set(d, 4.0), turns), hn::Set(d, 0.5)));
  const auto rest = hn::Sub(turns, hn::Div(quarter, hn::Set(d, 4.0)));
  const auto angle = hn::Mul(hn::Set(d, 2 * std::numbers::pi), rest), square = hn::Mul(angle, angle);
  auto cosine = one, sine = one;
  for (int k = 8; k >= 1; --k) {
    cosine = hn::Sub(one, DivideBy(d, hn::Mul(square, cosine), (2 * k - 1) * (2 * k)));
    sine = hn::Sub(one, DivideBy(d, hn::Mul(square, sine), (2 * k) * (2 * k + 1)));
  }
  sine = hn::Mul(sine, angle);
  // A quarter of a turn is 0 to 4. Odd quarters swap cosine and sine.
  const auto first = hn::Eq(quarter, one), second = hn::Eq(quarter, hn::Set(d, 2.0));
  const auto third = hn::Eq(quarter, hn::Set(d, 3.0)), swapped = hn::Or(first, third);
  const auto x = hn::IfThenElse(swapped, sine, cosine), y = hn::IfThenElse(swapped, cosine, sine);
  hn::StoreU(hn::IfThenElse(hn::Or(first, second), hn::Neg(x), x), d, cosine_out);
  hn::StoreU(hn::IfThenElse(hn::Or(second, third), hn::Neg(y), y), d, sine_out);
}

void LogAll(const double* x, size_t count, double* out) {
  ForDoubles(count, [=](auto d, size_t i) { hn::StoreU(LogOf(d, hn::LoadU(d, x + i)), d, out + i); });
}

void TurnAll(const double* turns, size_t count, double* cosine, double* sine) {
  ForDoubles(count, [=](auto d, size_t i) { TurnOf(d, hn::LoadU(d, turns + i), cosine + i, sine + i); });
}

void ExpAll(const double* x, size_t count, double* out) {
  ForDoubles(count, [=](auto d, size_t i) { hn::StoreU(ExpOf(d, hn::LoadU(d, x + i)), d, out + i); });
}

}  // namespace HWY_NAMESPACE
}  // namespace aaren::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aaren::math {

HWY_EXPORT(LogAll);
HWY_EXPORT(ExpAll);
HWY_EXPORT(TurnAll);

void Log(const double* x, size_t count, double* out) { HWY_DYNAMIC_DISPATCH(LogAll)(x, count, out); }

void Exp(const double* x, size_t count, double* out) { HWY_DYNAMIC_DISPATCH(ExpAll)(x, count, out); }

void Turn(const double* turns, size_t count, double* cosine, double* sine) {
  HWY_DYNAMIC_DISPATCH(TurnAll)(turns, count, cosine, sine);
}

}  // namespace aaren::math
#endif
