#include "model/nn/forecaster/series_encoder.h"

#include <algorithm>
#include <cmath>

#include "model/season/gaps.h"
#include "model/season/lag_search.h"
#include "model/season/seasonal_input.h"
#include "model/season/sources.h"

namespace aaren::nn {
namespace {

constexpr size_t kResiduals = package::ForecasterConfig::kSeasonalResiduals;
static_assert(season::kSeasonalNumbers == package::ForecasterConfig::kSeasonalNumbers);
static_assert(season::kSourceCount + 1 == package::ForecasterConfig::kSeasonalParts);

// The summary of the ring at one token.
struct Ring {
  int present = 0;
  double mean = 0, variance = 0, change = 0, last = 0;
};

// Rules 2.4 to 2.7, summed from left to right: training needs no bits of the engine.
Ring Summarize(const double* w, int count) {
  Ring ring;
  double sum = 0, squares = 0, changes = 0;
  int neighbours = 0;
  for (int i = 0; i < count; ++i) {
    if (std::isnan(w[i])) continue;
    ++ring.present;
    sum += w[i];
    ring.last = w[i];
    if (i == 0 || std::isnan(w[i - 1])) continue;
    changes += std::fabs(w[i] - w[i - 1]);
    ++neighbours;
  }
  if (ring.present == 0) return ring;
  ring.mean = sum / ring.present;
  // A second pass sums squares of deviations. The mean square less the squared mean would cancel for a series far from
  // 0.
  for (int i = 0; i < count; ++i) {
    if (!std::isnan(w[i])) squares += (w[i] - ring.mean) * (w[i] - ring.mean);
  }
  ring.variance = squares / ring.present;
  ring.change = neighbours > 0 ? changes / neighbours : 0;
  return ring;
}

// The scale of a token and its parts; the center is relative to the origin.
struct Standard {
  double center, scale, spread, variance;
};

Standard Standardize(const Ring& ring, int size, const math::Statistics& running, double origin) {
  Standard standard;
  // Rules 2.5 and 2.8 to 2.10. The floor is about a float's rounding of the values, 1e-7 of their size. The last addend
  // keeps a series of zeros from a division by 0.
  standard.center = ring.present > 0 ? ring.mean : running.mean;
  const double prior = running.Prior() * std::fabs(origin + standard.center);
  standard.variance = running.VarianceBeside(ring.variance, ring.present / static_cast<double>(size));
  standard.spread = ring.variance / 2 + standard.variance / 2 + prior * prior;
  standard.scale = std::sqrt(standard.spread) + 1e-7 * std::fabs(standard.center) + 1e-30;
  return standard;
}

// Writes the values' part of the features, with short gaps bridged.
void WriteValues(const double* w, int size, const Ring& ring, const Standard& standard, double* features) {
  for (int i = 0; i < size; ++i) features[i] = std::isnan(w[i]) ? 0 : (w[i] - standard.center) / standard.scale;
  if (ring.present == size) return;
  const std::vector<float> values(w, w + size);
  std::vector<float> bridged(features, features + size);
  season::BridgeGaps(values.data(), season::LikenessOf(ring.variance, ring.change), values.size(), bridged.data());
  for (int i = 0; i < size; ++i) features[i] = std::isnan(w[i]) ? bridged[i] : features[i];
}

void WriteToken(const double* w, int size, const Ring& ring, const math::Statistics& running, const Standard& standard,
                const TokenPlace& place) {
  const double center = standard.center, scale = *place.scale = standard.scale;
  *place.spread = standard.spread;
  double* features = place.features;
  WriteValues(w, size, ring, standard, features);
  features[size] = ring.present > 0 ? (ring.last - center) / scale : 0;
  features[size + 1] = running.MeanFrom(center, scale);
  // Without the 0.01, a constant series would give the logarithm of 0.
  features[size + 2] = std::sqrt(standard.variance) / scale + 0.01;
  features[size + 3] = ring.change / scale + 0.01;
  features[size + 4] = 1 - ring.present / static_cast<double>(size);
  features[size + 5] = std::log(1.0 + running.count) / 7;
  // The logarithm of a full history of 1,024 values is 6.9, so the number stays near 0 ... 1.
}

}  // namespace

SeriesEncoder::SeriesEncoder(const package::ForecasterConfig& config)
    : config_(config), probes_(config, {}), ring_(config.ring) {
  memory_.Reset();
  errors_.Reset();
}

void SeriesEncoder::Take(double value, const TokenPlace* place) {
  if (seq_ > 0 && seq_ % season::ValueMemory::kBlock == 0) MoveOrigin();
  const double bounded = math::Bounded(value);
  if (running_.count == 0 && !std::isnan(bounded)) origin_ = bounded;
  const float taken = math::Relative(bounded, origin_);
  // Rule 1.3 gives the order: the bounds come from statistics with the new value, and errors compare the value with
  // remembered values inside the bounds.
  if (!std::isnan(taken)) running_.Add(taken, config_.history);
  bounds_ = season::ReachOf(running_);
  memory_.Add(seq_, taken, bounds_);
  if (config_.seasons) errors_.Add(seq_, taken, bounds_, memory_);
  // A probe only sets the unit of errors and the seasons here. Inputs without seasons need neither.
  const bool probes = config_.seasons && probes_.At(seq_);
  if (probes || place != nullptr) AddToken(probes, place);
  ++seq_;
}

// Rules 1.40 to 1.42.
void SeriesEncoder::MoveOrigin() {
  const double before = origin_;
  origin_ += memory_.FarFromOrigin(running_.variance);
  const double away = origin_ - before;
  if (away == 0) return;
  running_.mean -= away;
  memory_.Shift(seq_, away);
}

void SeriesEncoder::AddToken(bool probes, const TokenPlace* place) {
  const float* newest = memory_.Unroll(seq_, bounds_, window_);
  std::copy(newest + 1 - config_.ring, newest + 1, ring_.begin());
  const Ring ring = Summarize(ring_.data(), config_.ring);
  const Standard standard = Standardize(ring, config_.ring, running_, origin_);
  // A probe chooses before its own input is written, because the input already uses the choice (rule 10).
  if (probes) {
    errors_.SetUnit(standard.scale);
    choice_ = season::ChooseAndSearch(seq_, newest, errors_);
  }
  if (place == nullptr) return;
  WriteToken(ring_.data(), config_.ring, ring, running_, standard, *place);
  *place->center = origin_ + standard.center;
  *place->gap = season::MissingSince(newest, config_.ring);
  if (config_.seasons) WriteSeasons(newest, {.center = standard.center, .scale = standard.scale}, *place);
}

void SeriesEncoder::WriteSeasons(const float* newest, const math::Scaling& scaling, const TokenPlace& place) const {
  const season::Past past{newest, season::ValueMemory::kValues - 1, memory_.typical, static_cast<int>(running_.far)};
  season::WriteSources(past, choice_, static_cast<float>(running_.mean), config_.horizon, place.sources);
  season::StandardizeSources(place.sources, season::kSourceCount * config_.horizon, scaling, place.sources);
  float residuals[season::kSeasonSources * season::kJudgedResiduals];
  season::WriteStandardResiduals(past, choice_, scaling.scale, season::kJudgedResiduals, residuals);
  double* numbers = place.features + config_.ring + package::ForecasterConfig::kSummaries;
  season::WriteSeasonalNumbers(seq_, errors_, choice_, residuals, /*every=*/1, numbers);
  for (size_t i = 0; i < season::kSeasonalNumbers; ++i)
    numbers[i] = season::kTakesLogarithm[i] ? std::log(numbers[i]) : numbers[i];
  for (size_t i : season::kLagNumbers) numbers[i] /= 7;
  for (size_t i = 0; i < season::kSeasonSources * kResiduals; ++i) {
    const float residual = residuals[i / kResiduals * season::kJudgedResiduals + i % kResiduals];
    place.residuals[i] = std::isnan(residual) ? 0 : residual;
  }
}

}  // namespace aaren::nn
