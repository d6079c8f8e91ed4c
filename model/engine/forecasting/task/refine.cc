// ForecastingTask refines the network's forecasts, and the row learns from its probes.

#include <algorithm>
#include <vector>

#include "model/engine/forecasting/refinement/level_place.h"
#include "model/engine/forecasting/refinement/quantiles.h"
#include "model/engine/forecasting/refinement/surprise.h"
#include "model/engine/forecasting/task/task_class.h"
#include "model/season/thinning.h"

namespace aaren::engine {

// Refines what the network made of each token as far as asked. A row's last forecast stays in the row, unrefined, for
// the surprise of a later call.
void ForecastingTask::Refine(Tile& tile) const {
  for (size_t t = 0; t < tile.size; ++t) {
    const TileToken& token = tile.tokens[t];
    if (!token.forecasts()) continue;
    if (token.count == 0) {
      std::fill_n(token.forecast, quantiles(), kMissing);  // nothing is known of the series
    } else {
      WidenAfterGap(static_cast<size_t>(token.gap), {static_cast<size_t>(config_.horizon), config_.quantiles.size()},
                    token.forecast);
    }
    if (token.thinning.every > 1) {
      season::Spread(token.thinning, static_cast<size_t>(config_.horizon), config_.quantiles.size(), token.forecast);
    }
    if (token.views) continue;
    if (token.probes) Learn(tile, t);
    if (!token.wanted) continue;
    if (!token.followed) KeepOneStep(tile, t);
    token.tail.Write(token.forecast, quantiles());
    if (token.count > 0) {
      RefineWanted(tile, t);
      continue;
    }
    if (token.selection != nullptr) std::fill_n(SelectedPart(token), token.selection->floats(), kMissing);
    if (token.next_surprise != nullptr) *token.next_surprise = kMissing;
  }
}

// Refines a forecast as far as the call has asked, and judges the next value if the value came meanwhile.
void ForecastingTask::RefineWanted(Tile& tile, size_t t) const {
  const TileToken& token = tile.tokens[t];
  if (token.refinement != Refinement::kNetwork) Mix(tile, t, token.forecast);
  if (token.refinement >= Refinement::kCalibrated) {
    layout_.calibration().Correct(layout_.calibration(token.row), token.forecast);
  }
  if (token.next_surprise != nullptr) {
    *token.next_surprise = token.next_range.Apply(Surprise(config_.quantiles, token.forecast, token.next_value));
  }
  if (token.selection != nullptr) Select(tile, t);
  if (token.refinement != Refinement::kRestricted) return;
  // With covariates, only the selection is of the values whose support the row knows.
  if (!layout_.covariates()) token.support.Restrict(token.count, token.tail.origin, quantiles(), token.forecast);
  if (token.selection != nullptr) {
    token.support.Restrict(token.count, token.tail.origin, token.selection->floats(), SelectedPart(token));
  }
}

// Writes the selected steps and levels from the unrestricted forecast: the surprise is of an unrestricted forecast,
// too.
void ForecastingTask::Select(Tile& tile, size_t t) const {
  const TileToken& token = tile.tokens[t];
  const std::vector<float>& levels = token.selection->levels;
  const absl::Span<const uint32_t> steps = token.selection->steps;
  const auto horizon = static_cast<uint32_t>(config_.horizon);
  const size_t near = static_cast<size_t>(std::upper_bound(steps.begin(), steps.end(), horizon) - steps.begin());
  if (SelectsFar(token)) {
    layout_.far()->Extend(token.seq, NearOf(tile, t, token.forecast), tile.far_sources[t], steps.subspan(near),
                          layout_.far(token.row), tile.far.data());
  }
  for (size_t i = 0; i < levels.size(); ++i) {
    const LevelPlace place(config_.quantiles, levels[i]);
    float* out = SelectedPart(token) + i;
    for (size_t k = 0; k < steps.size(); ++k, out += levels.size()) {
      const float* from = k < near ? token.forecast + (steps[k] - 1) * config_.quantiles.size()
                                   : tile.far.data() + (k - near) * config_.quantiles.size();
      *out = place.In(from);
      if (layout_.covariates()) *out = math::ToForecast(static_cast<double>(*out) + tile.effects[t][k]);
    }
  }
}

FarHorizons::Near ForecastingTask::NearOf(Tile& tile, size_t t, const float* forecast) const {
  const TileToken& token = tile.tokens[t];
  const absl::Span<const float> half = layout_.second_view() ? views_.Half(tile, t) : absl::Span<const float>();
  return {.forecast = forecast,
          .sources = tile.sources[t],
          .errors = layout_.mixture().LastErrors(layout_.mixture(token.row)),
          .unit = token.unit,
          .mean = token.mean,
          .half = half};
}

void ForecastingTask::KeepOneStep(Tile& tile, size_t t) const {
  const TileToken& token = tile.tokens[t];
  std::copy_n(token.forecast, config_.quantiles.size(), layout_.one_step(token.row));
  for (size_t i = 0; i < season::kSourceCount; ++i) {
    const float source = tile.sources[t][i * static_cast<size_t>(config_.horizon)];
    layout_.one_step_sources(token.row)[i] = token.count == 0 ? kMissing : source;
  }
  if (!layout_.second_view()) return;
  const absl::Span<const float> view = views_.Second(tile, t);
  layout_.second_view()->Next(layout_.second_view(token.row)) = view.empty() ? kMissing : view.front();
}

// The row learns from a copy of the forecast, because learning must not depend on the refinement that a call asks for.
void ForecastingTask::Learn(Tile& tile, size_t t) const {
  const TileToken& token = tile.tokens[t];
  const int places = token.thinning.every;
  if (layout_.covariates()) LearnCovariates(tile, t);
  layout_.mixture().Learn(token.seq, {tile.evidence[t], token.forecast, places}, layout_.mixture(token.row));
  float* mixed = tile.forecast.data();
  std::copy_n(token.forecast, tile.forecast.size(), mixed);
  layout_.mixture().Mix(token.seq, layout_.mixture(token.row), token.unit, tile.sources[t], mixed);
  if (layout_.second_view()) {
    LearnView(tile, t);
    MoveToView(tile, t, mixed);
  }
  layout_.calibration().Learn(token.seq, places, tile.judging[t], mixed, layout_.calibration(token.row));
  if (!layout_.far()) return;
  layout_.far()->Learn(token.seq, NearOf(tile, t, mixed), tile.far_evidence[t], layout_.far(token.row));
}

// The forecast before its move to the second view is in tile.forecast.
void ForecastingTask::LearnView(Tile& tile, size_t t) const {
  const TileToken& token = tile.tokens[t];
  const std::vector<Probes::Tracked>& tracked = layout_.mixture().probes().tracked();
  const absl::Span<const float> view = views_.Second(tile, t);
  const size_t levels = config_.quantiles.size();
  for (size_t k = 0; k < tracked.size(); ++k) {
    tile.judged[k] = tile.forecast[tracked[k].step * levels + levels / 2];
    tile.judged_views[k] = view.empty() ? kMissing : view[tracked[k].step];
  }
  layout_.second_view()->Learn(token.seq,
                               {tile.evidence[t] + 1, tile.judged.data(), tile.judged_views.data(), token.unit},
                               layout_.second_view(token.row));
}

void ForecastingTask::LearnCovariates(Tile& tile, size_t t) const {
  const TileToken& token = tile.tokens[t];
  const Mixture& mixture = layout_.mixture();
  layout_.covariates()->Learn(token.seq,
                              {.horizons = mixture.probes().tracked(),
                               .values = tile.evidence[t] + 1,
                               .medians = mixture.Medians(layout_.mixture(token.row)),
                               .probes = mixture.probes(),
                               .unit = token.unit},
                              layout_.covariates(token.row));
}

void ForecastingTask::Mix(Tile& tile, size_t t, float* forecast) const {
  const TileToken& token = tile.tokens[t];
  layout_.mixture().Mix(token.seq, layout_.mixture(token.row), token.unit, tile.sources[t], forecast);
  if (layout_.second_view()) MoveToView(tile, t, forecast);
}

void ForecastingTask::MoveToView(Tile& tile, size_t t, float* forecast) const {
  const TileToken& token = tile.tokens[t];
  layout_.second_view()->Move(token.seq, layout_.second_view(token.row), token.unit, views_.Second(tile, t),
                              config_.quantiles.size(), forecast);
}

}  // namespace aaren::engine
