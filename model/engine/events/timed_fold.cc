#include "model/engine/events/timed_fold.h"

#include "model/math/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/engine/events/timed_fold.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "model/math/doubles-inl.h"
#include "model/math/doubles.h"

HWY_BEFORE_NAMESPACE();
namespace aaren::events {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
namespace wide = math::HWY_NAMESPACE;

// Each output moves towards its value by the head's share, and so never grows (model/engine/network/fold.h).
void MoveAll(const float* values, const double* shares, double* outputs, float* out) {
  constexpr size_t kHeadWidth = kValueWidth / kHeads;
  const wide::Doubles d;
  for (size_t h = 0; h < kHeads; ++h) {
    const auto share = hn::Set(d, shares[h]);
    for (size_t j = h * kHeadWidth; j < (h + 1) * kHeadWidth; j += hn::Lanes(d)) {
      const auto old = hn::LoadU(d, outputs + j), value = wide::LoadFloats(d, values + j);
      const auto moved = hn::Add(old, hn::Mul(share, hn::Sub(value, old)));
      hn::StoreU(moved, d, outputs + j);
      wide::StoreFloats(d, moved, out + j);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace aaren::events
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aaren::events {

HWY_EXPORT(MoveAll);

void FoldEvent(const float* scores, const float* values, const double* decay, float elapsed, EventLayer& layer,
               float* out) {
  double below[2][kHeads];  // how far the score and the aged peak are below the new peak
  for (size_t h = 0; h < kHeads; ++h) {
    const double age = h < kHeads / 2 ? 1.0 : static_cast<double>(elapsed), score = scores[h];
    const double aged = layer.peak[h] - decay[h] * age, peak = std::max(aged, score);
    below[0][h] = score - peak;
    below[1][h] = aged - peak;
    layer.peak[h] = peak;
  }
  math::Exp(below[0], 2 * kHeads, below[0]);
  double shares[kHeads];
  for (size_t h = 0; h < kHeads; ++h) {
    const double added = below[0][h];
    layer.weight[h] = layer.weight[h] * below[1][h] + added;
    shares[h] = added / layer.weight[h];
  }
  HWY_DYNAMIC_DISPATCH(MoveAll)(values, shares, layer.output, out);
}

}  // namespace aaren::events
#endif
