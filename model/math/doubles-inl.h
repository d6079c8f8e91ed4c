// Loops over arrays of floats whose arithmetic is in doubles, a vector at a time. Included once per target, inside
// foreach_target. Written out, because a compiler turns no branch on a double into a mask.

#if defined(AAREN_MODEL_MATH_DOUBLES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AAREN_MODEL_MATH_DOUBLES_INL_H_
#undef AAREN_MODEL_MATH_DOUBLES_INL_H_
#else
#define AAREN_MODEL_MATH_DOUBLES_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace aaren::math {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, 8>;

// Calls work(d, i) for each vector, for one of half the size, and for single numbers where none fits any more.
template <class Work>
HWY_INLINE void ForDoubles(size_t count, const Work& work) {
  const Doubles d;
  size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) work(d, i);
  if constexpr (hn::MaxLanes(Doubles()) > 2) {
    const hn::Half<Doubles> half;
    if (i + hn::Lanes(half) <= count) {
      work(half, i);
      i += hn::Lanes(half);
    }
  }
  for (; i < count; ++i) work(hn::CappedTag<double, 1>(), i);
}

// As std::clamp: NaN passes. Of floats too.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Clamp(D d, V x, hn::TFromD<D> least, hn::TFromD<D> most) {
  x = hn::IfThenElse(hn::Lt(x, hn::Set(d, least)), hn::Set(d, least), x);
  return hn::IfThenElse(hn::Lt(hn::Set(d, most), x), hn::Set(d, most), x);
}

template <class D>
HWY_INLINE hn::Vec<D> LoadFloats(D d, const float* from) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>(), from));
}

// Rounds to floats. REQUIRES: within their range, or NaN.
template <class D>
HWY_INLINE void StoreFloats(D, hn::Vec<D> numbers, float* to) {
  const hn::Rebind<float, D> df;
  hn::StoreU(hn::DemoteTo(df, numbers), df, to);
}

}  // namespace HWY_NAMESPACE
}  // namespace aaren::math
HWY_AFTER_NAMESPACE();

#endif  // per target
