// Loops over arrays of floats that compute in doubles, one vector at a time. A file includes this one once per target,
// inside foreach_target. The vectors are written by hand because no compiler turns a branch on a double into a mask.

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

// Calls work(d, i) for each whole vector, for half a vector if half still fits, and for each number left.
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

// Clamps like std::clamp, floats as well as doubles. A NaN passes.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Clamp(D d, V x, hn::TFromD<D> least, hn::TFromD<D> most) {
  x = hn::IfThenElse(hn::Lt(x, hn::Set(d, least)), hn::Set(d, least), x);
  return hn::IfThenElse(hn::Lt(hn::Set(d, most), x), hn::Set(d, most), x);
}

template <class D>
HWY_INLINE hn::Vec<D> LoadFloats(D d, const float* from) {
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>(), from));
}

// Rounds doubles to floats. REQUIRES: each number is NaN or within the range of float.
template <class D>
HWY_INLINE void StoreFloats(D, hn::Vec<D> numbers, float* to) {
  const hn::Rebind<float, D> df;
  hn::StoreU(hn::DemoteTo(df, numbers), df, to);
}

}  // namespace HWY_NAMESPACE
}  // namespace aaren::math
HWY_AFTER_NAMESPACE();

#endif  // per target
