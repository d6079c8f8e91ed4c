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

template <class D>
HWY_INLINE hn::Vec<D> ExpOf(D d, hn::Vec<D> x) {
  const auto tiny = hn::Lt(x, hn::Set(d, -700.0));
  // The bound below keeps the exponent of a number that becomes 0 in range.
  x = Clamp(d, x, -700.0, 700.0);
  const auto n = hn::Floor(hn::Add(hn::Mul(x, hn::Set(d, std::numbers::log2e)), hn::Set(d, 0.5)));
  const auto r = hn::Sub(hn::Sub(x, hn::Mul(n, hn::Set(d, kLn2High))), hn::Mul(n, hn::Set(d, kLn2Low)));
  auto p = hn::Set(d, 1.0);
  for (int k = 13; k >= 1; --k) {
    p = hn::Add(hn::Set(d, 1.0), hn::Div(hn::Mul(p, r), hn::Set(d, static_cast<double>(k))));
  }
  // 2^n is a normal number, so the product is exact.
  const hn::Rebind<int64_t, D> integers;
  const auto exponent = hn::Add(hn::ConvertTo(integers, n), hn::Set(integers, int64_t{1023}));
  const auto power = hn::BitCast(d, hn::ShiftLeft<52>(exponent));
  return hn::IfThenZeroElse(tiny, hn::Mul(p, power));
}

void ExpAll(const double* x, size_t count, double* out) {
  ForDoubles(count, [=](auto d, size_t i) { hn::StoreU(ExpOf(d, hn::LoadU(d, x + i)), d, out + i); });
}

}  // namespace HWY_NAMESPACE
}  // namespace aaren::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aaren::math {

HWY_EXPORT(ExpAll);

void Exp(const double* x, size_t count, double* out) { HWY_DYNAMIC_DISPATCH(ExpAll)(x, count, out); }

}  // namespace aaren::math
#endif
