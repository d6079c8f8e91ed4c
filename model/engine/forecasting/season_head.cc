#include "model/engine/forecasting/season_head.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "model/math/lanes.h"
#include "model/math/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/engine/forecasting/season_head.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "model/math/exact_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aaren::engine {
namespace HWY_NAMESPACE {

namespace exact = math::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, math::kLanes>;
using V = hn::Vec<D>;

constexpr size_t kParts = package::ForecasterConfig::kSeasonalParts;

// Writes the softmax over each knot's logits, one vector of knots at a time. weights: [kParts, kLanes], by part and
// knot.
HWY_INLINE void WriteWeights(const float* logits, size_t knots, float* weights) {
  const D d;
  std::fill_n(weights, kParts * math::kLanes, 0.0f);
  for (size_t knot = 0; knot < knots; ++knot) {
    for (size_t part = 0; part < kParts; ++part) weights[part * math::kLanes + knot] = logits[knot * kParts + part];
  }
  for (size_t i = 0; i < knots; i += hn::Lanes(d)) {
    V parts[kParts];
    for (size_t part = 0; part < kParts; ++part) parts[part] = hn::Load(d, weights + part * math::kLanes + i);
    V largest = parts[0];
    for (size_t part = 1; part < kParts; ++part) largest = hn::Max(largest, parts[part]);
    for (V& part : parts) part = exact::ExpOfNegative(d, hn::Sub(part, largest));
    // The sum has the order of rule 10.10.
    const V sum = hn::Add(hn::Add(hn::Add(parts[0], parts[1]), hn::Add(parts[2], parts[3])), parts[4]);
    for (size_t part = 0; part < kParts; ++part) {
      hn::Store(hn::Div(parts[part], sum), d, weights + part * math::kLanes + i);
    }
  }
}

// Mixes one step ahead, in the order of the parts (rule 10.14).
HWY_INLINE void MixStep(const float* weights, const KnotsBeside& steps, const MixedParts& parts, size_t j) {
  const float share = steps.share[j];
  float mixed = 0.0f;
  for (size_t k = 0; k < kParts; ++k, weights += math::kLanes) {
    float part = k == 0 ? parts.skip[j] : parts.sources[(k - 1) * steps.count + j];
    if (k >= 2) part += parts.corrections[k - 2][j];
    // Products are rounded before the sum (rule 10.12).
    const float weight = (1.0f - share) * weights[steps.before[j]] + share * weights[steps.after[j]];
    mixed += weight * part;
  }
  parts.skip[j] = mixed;
}

// Mixes a vector of steps from j on. REQUIRES: a vector holds the weights of all knots.
HWY_INLINE void MixVector(const float* weights, const KnotsBeside& steps, const MixedParts& parts, size_t j) {
  const D d;
  const auto before = hn::SetTableIndices(d, steps.before + j), after = hn::SetTableIndices(d, steps.after + j);
  const V share = hn::LoadU(d, steps.share + j), rest = hn::Sub(hn::Set(d, 1.0f), share);
  // The operations and their order are those of MixStep, so a step has the same bits in a vector and alone.
  V mixed = hn::Zero(d);
  for (size_t k = 0; k < kParts; ++k, weights += math::kLanes) {
    V part = hn::LoadU(d, k == 0 ? parts.skip + j : parts.sources + (k - 1) * steps.count + j);
    if (k >= 2) part = hn::Add(part, hn::LoadU(d, parts.corrections[k - 2] + j));
    const V knots = hn::Load(d, weights);
    const V weight =
        hn::Add(hn::Mul(rest, hn::TableLookupLanes(knots, before)), hn::Mul(share, hn::TableLookupLanes(knots, after)));
    mixed = hn::Add(mixed, hn::Mul(weight, part));
  }
  hn::StoreU(mixed, d, parts.skip + j);
}

void MixAll(const float* logits, size_t knots, const KnotsBeside& steps, const MixedParts& parts) {
  constexpr size_t kLanes = hn::MaxLanes(D());
  alignas(64) float weights[kParts * math::kLanes];
  WriteWeights(logits, knots, weights);
  size_t j = 0;
  // A table lookup reaches the lanes of one vector only, so more knots than lanes take the scalar loop.
  for (; knots <= kLanes && j + kLanes <= steps.count; j += kLanes) MixVector(weights, steps, parts, j);
  for (; j < steps.count; ++j) MixStep(weights, steps, parts, j);
}

}  // namespace HWY_NAMESPACE
}  // namespace aaren::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aaren::engine {

HWY_EXPORT(MixAll);

namespace {

constexpr size_t kParts = package::ForecasterConfig::kSeasonalParts;

}  // namespace

SeasonHead::SeasonHead(const package::ModelPackage& package)
    : gate_(PackedMatrix::Pack({{package.tensors.at("season.gate.weight"), &package.tensors.at("season.gate.bias")}})) {
  for (size_t source = 0; source < season::kSeasonSources; ++source) {
    corrections_[source] =
        PackedMatrix::Pack({{package.tensors.at(absl::StrCat("season.residual.", source, ".weight"))}});
  }
  const std::vector<int> knots = package.config.season_knots();
  knots_ = knots.size();
  for (int step = 1; step <= package.config.horizon; ++step) {
    const size_t after = static_cast<size_t>(std::lower_bound(knots.begin(), knots.end(), step) - knots.begin());
    const size_t before = after == 0 ? 0 : after - 1;
    const int gap = knots[after] - knots[before];
    const float share = gap == 0 ? 1.0f : static_cast<float>(step - knots[before]) / static_cast<float>(gap);
    places_.push_back({.before = before * kParts, .after = after * kParts, .share = share});
    before_.push_back(static_cast<int32_t>(before));
    after_.push_back(static_cast<int32_t>(after));
    share_.push_back(share);
  }
}

void SeasonHead::Mix(const float* logits, const float* sources,
                     const std::array<const float*, season::kSeasonSources>& corrections, float* skip) const {
  HWY_DYNAMIC_DISPATCH(MixAll)
  (logits, knots_, {places_.size(), before_.data(), after_.data(), share_.data()}, {sources, corrections, skip});
}

}  // namespace aaren::engine
#endif
