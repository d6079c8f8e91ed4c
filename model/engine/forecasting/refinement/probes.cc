#include "model/engine/forecasting/refinement/probes.h"

#include <algorithm>
#include <limits>

namespace aaren::engine {
namespace {

// 17 is a prime, so probes meet every phase of a season. Folds do not: a fold at every 16th token sees only a third of
// a day's hours.
constexpr uint64_t kProbeEvery = 17;

}  // namespace

Probes::Probes(const package::ForecasterConfig& config, const std::vector<size_t>& horizons)
    : every_(std::min(kProbeEvery, static_cast<uint64_t>(config.ring))),
      under_way_((static_cast<size_t>(config.horizon) + every_ - 1) / every_) {
  for (size_t horizon : horizons) {
    tracked_.push_back({.step = horizon - 1, .first = kept_, .kept = (horizon + every_ - 1) / every_});
    kept_ += tracked_.back().kept;
  }
}

void Probes::Gather(uint64_t seq, const float* newest, float* values) const {
  for (const Tracked& tracked : tracked_) {
    const uint64_t age = tracked.kept * every_ - (tracked.step + 1);
    *values++ = age > seq ? std::numeric_limits<float>::quiet_NaN() : *(newest - age);
  }
}

}  // namespace aaren::engine
