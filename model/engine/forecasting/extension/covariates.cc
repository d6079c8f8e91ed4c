#include "model/engine/forecasting/extension/covariates.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "model/math/scaling.h"

namespace aaren::engine {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr double kMemory = 4000.0;      // tokens after which errors are forgotten
constexpr double kMeanMemory = 1000.0;  // tokens over which a covariate's mean goes
constexpr double kRidge = 4.0;          // samples without any effect that a coefficient begins with
constexpr double kMostError = 4.0;      // units: the most that an error counts
constexpr double kChance = 4.0;         // squared deviations from 0 that a coefficient may have by chance
constexpr double kPace = 0.25;          // share of the way to its new value that a coefficient goes at a probe
constexpr double kLargest = 1e150;      // a sum's bound

// The place of a pair of covariates among the pairs, i not below j.
size_t Pair(size_t i, size_t j) { return i * (i + 1) / 2 + j; }

double Deviation(float value, double mean) { return std::isnan(value) || std::isnan(mean) ? 0.0 : value - mean; }

}  // namespace

struct Covariates::Sums {
  double* products;  // [pairs()]: of two regressors
  double* targets;   // [count]: of a regressor and the error
  double* means;     // [count]: of the covariates; NaN before the first
  double* effects;   // [count]: the coefficients that count
  double* weight;    // all samples' weight
  double* squares;   // squared errors that the coefficients leave
};

Covariates::Sums Covariates::SumsIn(std::byte* state) const {
  double* at = reinterpret_cast<double*>(state);
  double* targets = at + pairs();
  return {at, targets, targets + count_, targets + 2 * count_, targets + 3 * count_, targets + 3 * count_ + 1};
}

// The covariates of token `seq`, one of the last every_ + 1.
const float* Covariates::Ring(const std::byte* state, uint64_t seq) const {
  return reinterpret_cast<const float*>(state + doubles() * sizeof(double)) + seq % (every_ + 1) * count_;
}

void Covariates::Reset(std::byte* state) const {
  std::fill_n(state, state_bytes(), std::byte{0});
  std::fill_n(SumsIn(state).means, count_, kMissing);
  float* ring = reinterpret_cast<float*>(state + doubles() * sizeof(double));
  std::fill_n(ring, (every_ + 1) * count_, std::numeric_limits<float>::quiet_NaN());
}

double Covariates::Take(uint64_t seq, const float* now, std::byte* state) const {
  const Sums sums = SumsIn(state);
  float* ring = const_cast<float*>(Ring(state, seq));
  const double rate = 1.0 / std::min(static_cast<double>(seq) + 1.0, kMeanMemory);
  double effect = 0.0;
  for (size_t i = 0; i < count_; ++i) {
    const float value = std::clamp(now[i], -math::kLargestValue, math::kLargestValue);  // a NaN stays
    ring[i] = value;
    if (std::isnan(value)) continue;
    if (std::isnan(sums.means[i])) sums.means[i] = value;
    if (i >= past_) effect += sums.effects[i] * Deviation(value, sums.means[i]);
    sums.means[i] += (value - sums.means[i]) * rate;
  }
  return effect;
}

void Covariates::WriteEffects(uint64_t seq, absl::Span<const uint32_t> steps, const float* ahead,
                              const std::byte* state, float* out) const {
  const Sums sums = SumsIn(const_cast<std::byte*>(state));
  const float* now = Ring(state, seq);
  for (const uint32_t step : steps) {
    const double nearness = static_cast<double>(every_) / static_cast<double>(std::max<uint64_t>(step, every_));
    double effect = 0.0;
    for (size_t i = 0; i < past_; ++i) effect += nearness * (sums.effects[i] * Deviation(now[i], sums.means[i]));
    for (size_t i = past_; i < count_; ++i) {
      const float known = ahead == nullptr ? now[i] : *ahead++;
      const float value = std::clamp(std::isnan(known) ? now[i] : known, -math::kLargestValue, math::kLargestValue);
      effect += sums.effects[i] * Deviation(value, sums.means[i]);
    }
    *out++ = math::ToFloat(effect);
  }
}

void Covariates::Learn(uint64_t seq, const Misses& misses, std::byte* state) const {
  if (seq + 1 < 2 * every_) return;  // no earlier probe
  const Sums sums = SumsIn(state);
  const double keep = 1.0 - static_cast<double>(every_) / kMemory;
  std::for_each_n(sums.products, pairs() + count_, [keep](double& sum) { sum *= keep; });
  *sums.weight *= keep;
  *sums.squares *= keep;
  for (size_t k = 0; k < misses.horizons.size(); ++k) {
    const Probes::Tracked& tracked = misses.horizons[k];
    if (tracked.kept != 1) break;  // the horizons ascend
    const float median = misses.medians[misses.probes.Place(tracked, misses.probes.Number(seq))];
    if (std::isnan(median) || std::isnan(misses.values[k])) continue;
    AddSample(misses, seq, tracked.step + 1, static_cast<double>(misses.values[k]) - median, state);
  }
  Solve(state);
}

// A sample counts less the further ahead its horizon is: errors grow with the horizon. All numbers are in units.
void Covariates::AddSample(const Misses& misses, uint64_t seq, size_t horizon, double error, std::byte* state) const {
  const Sums sums = SumsIn(state);
  const float *from = Ring(state, seq - every_), *at = Ring(state, seq - every_ + horizon);
  const double unit = misses.unit, weight = 1.0 / static_cast<double>(horizon);
  double regressors[kMost];
  double target = std::clamp(error / unit, -kMostError, kMostError), left = target;
  for (size_t i = 0; i < count_; ++i) {
    const bool future = i >= past_;
    const double moved = future ? static_cast<double>(at[i]) - from[i] : Deviation(from[i], sums.means[i]);
    regressors[i] = std::isnan(moved) ? 0.0 : moved / unit;
    // The future covariates' effect is no part of x, and so no part of the error: it comes back.
    (future ? target : left) += (future ? 1.0 : -1.0) * (sums.effects[i] * regressors[i]);
  }
  for (size_t i = 0; i < count_; ++i) {
    for (size_t j = 0; j <= i; ++j) {
      double& sum = sums.products[Pair(i, j)];
      sum = std::clamp(sum + weight * (regressors[i] * regressors[j]), -kLargest, kLargest);
    }
    sums.targets[i] = std::clamp(sums.targets[i] + weight * (regressors[i] * target), -kLargest, kLargest);
  }
  *sums.weight += weight;
  *sums.squares = std::min(*sums.squares + weight * (left * left), kLargest);
}

// Solves by Cholesky's decomposition L Lt = products + ridge. A covariate that never moved has no coefficient.
void Covariates::Solve(std::byte* state) const {
  const Sums sums = SumsIn(state);
  if (*sums.weight <= 0.0) return;
  double lower[kMost][kMost], solved[kMost];
  for (size_t i = 0; i < count_; ++i) {
    for (size_t j = 0; j <= i; ++j) {
      double sum = sums.products[Pair(i, j)];
      if (i == j) sum += sum * (kRidge / *sums.weight);
      for (size_t k = 0; k < j; ++k) sum -= lower[i][k] * lower[j][k];
      if (i == j) {
        lower[i][i] = sum > 0.0 ? std::sqrt(sum) : 0.0;
      } else {
        lower[i][j] = lower[j][j] > 0.0 ? sum / lower[j][j] : 0.0;
      }
    }
  }
  for (size_t i = 0; i < count_; ++i) {
    double sum = sums.targets[i];
    for (size_t k = 0; k < i; ++k) sum -= lower[i][k] * solved[k];
    solved[i] = lower[i][i] > 0.0 ? sum / lower[i][i] : 0.0;
  }
  for (size_t i = count_; i-- > 0;) {
    double sum = solved[i];
    for (size_t k = i + 1; k < count_; ++k) sum -= lower[k][i] * solved[k];
    solved[i] = lower[i][i] > 0.0 ? sum / lower[i][i] : 0.0;
  }
  const double variance = *sums.squares / *sums.weight;
  for (size_t i = 0; i < count_; ++i) {
    const double evidence = solved[i] * solved[i] * sums.products[Pair(i, i)];
    const double trust = evidence > kChance * variance ? 1.0 - kChance * variance / evidence : 0.0;
    const double effect = sums.effects[i] + (trust * solved[i] - sums.effects[i]) * kPace;
    sums.effects[i] = std::abs(effect) <= kLargest ? effect : 0.0;
  }
}

absl::Status Covariates::Check(const std::byte* state) const {
  const Sums sums = SumsIn(const_cast<std::byte*>(state));
  for (size_t i = 0; i < doubles(); ++i) {
    const double number = sums.products[i];
    const bool mean = &sums.products[i] >= sums.means && &sums.products[i] < sums.effects;
    const double most = mean ? 1.001 * math::kLargestValue : kLargest;
    const double least = &sums.products[i] >= sums.weight ? 0.0 : -most;
    if ((mean && std::isnan(number)) || (number >= least && number <= most)) continue;
    return absl::DataLossError(absl::StrCat("row: sum ", i, " of the covariates is ", number, ", impossible"));
  }
  for (uint64_t seq = 0; seq <= every_; ++seq) {
    for (size_t i = 0; i < count_; ++i) {
      const float value = Ring(state, seq)[i];
      if (std::isnan(value) || std::abs(value) <= math::kLargestValue) continue;
      return absl::DataLossError(absl::StrCat("row: covariate ", i, " is ", value, ", beyond all values"));
    }
  }
  return absl::OkStatus();
}

}  // namespace aaren::engine
