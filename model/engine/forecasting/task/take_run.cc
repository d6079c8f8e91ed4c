// ForecastingTask takes the tokens of a run into a row: values, covariates and surprises (rules 1 and 8).

#include <algorithm>
#include <cmath>

#include "model/engine/forecasting/refinement/surprise.h"
#include "model/engine/forecasting/task/task_class.h"

namespace aaren::engine {
namespace {

// The value of token i of a run.
double ValueOf(const Run& run, size_t i) {
  const float* inputs = InputsOf(run, i);
  return math::Bounded(run.values.size() == run.forecast.size() ? static_cast<double>(*inputs) : DoubleAt(inputs));
}

}  // namespace

void ForecastingTask::TakeRun(const Run& run, std::byte* row, Tile& tile) const {
  const RowHeader& header = layout_.header(row);
  float* forecast = run.forecasts;
  TileToken* pending = nullptr;  // the token before, if its forecast is still to be made
  for (size_t i = 0; i < run.forecast.size(); ++i, Advance(row)) {
    if (Prepare(row, tile)) pending = nullptr;
    // The surprise comes first, because a surprise judges the row before the value (rule 1.3).
    const double value = ValueOf(run, i), x = layout_.covariates() ? TakeCovariates(run, i, row) : value;
    TakeSurprise(run, i, x, row, pending, tile);
    input_.TakeValue(value, x, row);
    if (views_.Has(row)) views_.Take(header.seq, x, row);
    pending = nullptr;
    const bool wanted = run.forecast[i] != 0, probes = layout_.probes().At(header.seq);
    if (!wanted) ClearOneStep(row);
    const bool far = probes || SelectsFar(wanted, run.selection);
    const ViewPlaces views = views_.Has(row) ? views_.Add(row, wanted || probes, far, tile) : ViewPlaces();
    const bool folds = (header.seq + 1) % static_cast<uint64_t>(config_.fold_every) == 0;
    if (wanted || folds || probes) AddToken(run, i, row, wanted ? forecast : nullptr, views, tile);
    if (wanted) {
      forecast += result_floats() + (run.selection == nullptr ? 0 : run.selection->floats());
      pending = &tile.tokens[tile.size - 1];
    }
    // A probe that learns of covariates changes the next value that the row takes, so the probe does not wait.
    if (tile.size + tokens_per_value() > tile.capacity() || (layout_.covariates() && probes)) {
      FinishTile(tile);
      pending = nullptr;
    }
  }
}

// Does what is due before a row takes a token: the origin moves, a profile begins anew, views catch up. Tokens that
// wait in the tile are relative to the row as it is, so the tile goes first. Returns true if the tile went.
bool ForecastingTask::Prepare(std::byte* row, Tile& tile) const {
  bool went = false;
  const auto finish = [&] {
    FinishTile(tile);
    went = true;
  };
  const bool moves = input_.HasLeftOrigin(row), begins = views_.IsDue(row);
  if (moves || begins) finish();
  if (moves) layout_.MoveOrigin(row);
  if (begins) views_.Begin(row);
  if (views_.IsBehind(row)) views_.CatchUp(row, tile, finish);
  if (views_.Has(row) && views_.HaveLeftOrigin(row)) {
    finish();
    views_.MoveOrigins(row);
  }
  if (tile.size + tokens_per_value() > tile.capacity()) finish();
  return went;
}

void ForecastingTask::Advance(std::byte* row) const {
  ++layout_.header(row).seq;
  views_.Advance(row);
}

// A row keeps a one-step forecast of the newest token only (rule 8.1): a token without a forecast clears the place.
void ForecastingTask::ClearOneStep(std::byte* row) const {
  std::fill_n(layout_.one_step(row), config_.quantiles.size() + season::kSourceCount, kMissing);
  if (layout_.second_view()) layout_.second_view()->Next(layout_.second_view(row)) = kMissing;
}

// Returns the value less the effect of its future covariates.
double ForecastingTask::TakeCovariates(const Run& run, size_t i, std::byte* row) const {
  const float* now = InputsOf(run, i) + kFloatsOfDouble;
  return math::Bounded(ValueOf(run, i) -
                       layout_.covariates()->Take(layout_.header(row).seq, now, layout_.covariates(row)));
}

// Writes the surprise of token i under the forecast of the token before. While the forecast is still to be made, the
// token before keeps the value and the place of the surprise.
void ForecastingTask::TakeSurprise(const Run& run, size_t i, double x, std::byte* row, TileToken* pending,
                                   Tile& tile) const {
  float* surprise = run.surprises == nullptr ? nullptr : run.surprises + i;
  const float value = math::Relative(x, layout_.header(row).origin);
  if (pending != nullptr) {
    pending->followed = true;
    pending->next_value = value;
    pending->next_surprise = surprise;
    if (surprise != nullptr) pending->next_range = RangeOf(value, row, tile);
  } else if (surprise != nullptr) {
    *surprise = OneStepSurprise(run, value, row, tile);
  }
}

// The range of the surprise of a value that the row has not taken yet.
SurpriseRange ForecastingTask::RangeOf(float value, std::byte* row, Tile& tile) const {
  SurpriseRange range;
  const RowHeader& header = layout_.header(row);
  if (std::isnan(value) || !layout_.support(row).IsFew()) return range;
  const float* newest = layout_.values(row).Unroll(header.seq - 1, season::ReachOf(header.statistics), tile.values);
  range.Count(newest, std::min<uint64_t>(header.seq, SeriesInput::kOlder), value, layout_.support(row).span);
  return range;
}

// The surprise under the forecast that the row keeps, made from the token before. The row has learned nothing since, so
// the forecast is refined exactly as before.
float ForecastingTask::OneStepSurprise(const Run& run, float value, std::byte* row, Tile& tile) const {
  const float* one_step = layout_.one_step(row);
  if (std::isnan(one_step[0])) return kMissing;
  float* quantiles = tile.quantiles.data();
  std::copy_n(one_step, tile.quantiles.size(), quantiles);
  if (run.refinement != Refinement::kNetwork) {
    layout_.mixture().MixOneStep(layout_.header(row).seq - 1, layout_.mixture(row), layout_.errors(row).unit,
                                 layout_.one_step_sources(row), quantiles);
    if (layout_.second_view()) {
      float* state = layout_.second_view(row);
      layout_.second_view()->Move(layout_.header(row).seq - 1, state, layout_.errors(row).unit,
                                  {&layout_.second_view()->Next(state), 1}, config_.quantiles.size(), quantiles);
    }
  }
  if (run.refinement >= Refinement::kCalibrated) {
    layout_.calibration().CorrectOneStep(layout_.calibration(row), quantiles);
  }
  return RangeOf(value, row, tile).Apply(Surprise(config_.quantiles, quantiles, value));
}

}  // namespace aaren::engine
