#include "model/engine/forecasting/refinement/calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "model/math/scaling.h"

namespace aaren::engine {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

constexpr double kMost = 0.75;  // the largest magnitude of theta, in spreads

// How far one value may move theta. A young session moves theta far. 0.01 is the least rate, so that theta always
// follows a drift.
double Rate(uint64_t probe) { return std::max(0.01, 2.0 / (40.0 + static_cast<double>(probe))); }

// The factor of a quantile's steps. Values seldom pass an outer quantile, and their density there is low, so an outer
// quantile moves further.
double Weight(double level) { return 0.25 / std::max(0.09, level * (1.0 - level)); }

// The tracked horizons: T, T / 2, T / 4, ... rounded up, down to 1, in ascending order.
std::vector<size_t> TrackedHorizons(size_t horizon) {
  std::vector<size_t> tracked = {horizon};
  while (tracked.back() > 1) tracked.push_back((tracked.back() + 1) / 2);
  std::reverse(tracked.begin(), tracked.end());
  return tracked;
}

}  // namespace

Calibration::Calibration(const package::ForecasterConfig& config)
    : levels_(config.quantiles),
      probes_(config, TrackedHorizons(static_cast<size_t>(config.horizon))),
      state_size_((probes_.tracked().size() + probes_.kept()) * levels_.size()) {
  const std::vector<Probes::Tracked>& tracked = probes_.tracked();
  size_t low = 0;
  for (size_t step = 0; step <= tracked.back().step; ++step) {
    if (low + 1 < tracked.size() && step == tracked[low + 1].step) ++low;
    const float width = low + 1 < tracked.size() ? static_cast<float>(tracked[low + 1].step - tracked[low].step) : 1.0f;
    steps_.push_back({.low = low, .fraction = static_cast<float>(step - tracked[low].step) / width});
  }
}

void Calibration::Reset(float* state) const {
  float* kept = std::fill_n(state, probes_.tracked().size() * levels_.size(), 0.0f);
  std::fill(kept, state + state_size_, kMissing);
}

float* Calibration::kept(float* state, const Probes::Tracked& tracked, uint64_t probe) const {
  return state + (probes_.tracked().size() + probes_.Place(tracked, probe)) * levels_.size();
}

void Calibration::Learn(uint64_t seq, int places, const float* values, const float* forecast, float* state) const {
  const uint64_t probe = probes_.Number(seq);
  const double rate = Rate(probe / static_cast<uint64_t>(places));
  float* theta = state;
  for (const Probes::Tracked& tracked : probes_.tracked()) {
    float* kept = this->kept(state, tracked, probe);
    Judge(rate, *values++, kept, theta);
    std::copy_n(forecast + tracked.step * levels_.size(), levels_.size(), kept);
    CorrectStep(state, tracked.step, kept);
    theta += levels_.size();
  }
}

void Calibration::Judge(double rate, float value, const float* kept, float* theta) const {
  if (std::isnan(value) || std::isnan(kept[0])) return;
  for (size_t i = 0; i < levels_.size(); ++i) {
    if (value == kept[i]) continue;
    const double level = levels_[i];
    const double miss = value > kept[i] ? level : level - 1.0;
    theta[i] = static_cast<float>(std::clamp(theta[i] + rate * Weight(level) * miss, -kMost, kMost));
  }
}

void Calibration::CorrectStep(const float* state, size_t step, float* quantiles) const {
  CorrectQuantiles(state, {&steps_[step], 1}, levels_.size(), quantiles);
}

void Calibration::Correct(const float* state, float* forecast) const {
  CorrectQuantiles(state, steps_, levels_.size(), forecast);
}

void Calibration::CorrectOneStep(const float* state, float* quantiles) const { CorrectStep(state, 0, quantiles); }

void Calibration::Shift(double distance, float* state) const {
  const size_t thetas = probes_.tracked().size() * levels_.size();
  std::for_each(state + thetas, state + state_size_, [=](float& q) { q = math::Shifted(q, distance); });
}

absl::Status Calibration::Check(uint64_t seq, const float* state) const {
  const size_t count = levels_.size();
  const bool fresh = seq < probes_.every();
  for (size_t i = 0; i < probes_.tracked().size() * count; ++i) {
    if (std::abs(state[i]) <= (fresh ? 0.0 : kMost)) continue;
    return absl::DataLossError(
        absl::StrCat("row: theta[", i, "] is ", state[i], ", impossible after ", seq, " tokens"));
  }
  const float* kept = state + probes_.tracked().size() * count;
  for (size_t i = 0; i < state_size_ - probes_.tracked().size() * count; ++i) {
    const float first = kept[i / count * count];
    const float below = i % count == 0 ? first : kept[i - 1];
    const bool none = std::isnan(first) && std::isnan(kept[i]);
    if (none || (!fresh && std::isfinite(kept[i]) && kept[i] >= below)) continue;
    return absl::DataLossError(
        absl::StrCat("row: kept[", i, "] is ", kept[i], ", not a quantile above the last after ", seq, " tokens"));
  }
  return absl::OkStatus();
}

}  // namespace aaren::engine
