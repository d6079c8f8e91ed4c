// ForecastingTask puts a token into the tile, with the numbers of the row for the network, the mixture and a probe.

#include <cmath>

#include "model/engine/forecasting/task/task_class.h"
#include "model/season/lag_search.h"
#include "model/season/seasonal_input.h"
#include "model/season/seasons.h"
#include "model/season/sources.h"
#include "model/season/thinning.h"

namespace aaren::engine {
namespace {

constexpr uint32_t kLearned = 100;     // values after which a surprise may be believed
constexpr float kLearnedScore = 0.5f;  // of a season after which a surprise may be believed before

// True if a value is still to tell what is usual for the series.
bool IsLearning(uint64_t seq, uint32_t count, const season::LagErrors& errors, const season::SeasonChoice& choice) {
  if (count >= kLearned) return false;
  if (choice.first == 0 || seq < 2 * uint64_t{choice.first}) return true;
  const float score = season::DescribeSeasons(seq, errors, choice).first.score;  // 0: none
  return !(score > 0.0f && score < kLearnedScore);
}

}  // namespace

// The input and a probe's evidence are computed now, because the row changes before the tile is full. `views`: of the
// same token.
void ForecastingTask::AddToken(const Run& run, size_t i, std::byte* row, float* forecast, const Views& views,
                               Tile& tile) const {
  const RowHeader& header = layout_.header(row);
  TileToken& token = tile.tokens[tile.size];
  token = {.row = row,
           .seq = header.seq,
           .probes = layout_.probes().At(header.seq) && header.statistics.count > 0,
           .wanted = forecast != nullptr,
           .refinement = run.refinement,
           .forecast = forecast,
           .support = layout_.support(row),
           .mean = static_cast<float>(header.statistics.mean),
           .selection = run.selection};
  const Standpoint from = Look(token, tile);
  if (token.probes) AddEvidence(from.past, token.scaling.scale, row, tile);
  AddInputs(from.places, token, tile);
  token.tail = {header.origin, token.wanted && IsLearning(token.seq, token.count, layout_.errors(row), token.choice)};
  if (HasView(row)) FillViews(row, views, token, tile);
  if (SelectsFar(token)) AddFarSources(from.places, token, tile);
  if (layout_.covariates() && token.wanted && token.selection != nullptr) AddEffects(run, i, token, tile);
  ++tile.size;
}

// Writes the values' part of the input. The result's windows belong to the tile, until the next Look.
ForecastingTask::Standpoint ForecastingTask::Look(TileToken& token, Tile& tile) const {
  const RowHeader& header = layout_.header(token.row);
  const season::ValueMemory& values = layout_.values(token.row);
  const float* newest = values.Unroll(token.seq, season::ReachOf(header.statistics), tile.values);
  const season::Past past{newest, kOlder, values.typical, static_cast<int>(header.statistics.far)};
  token.count = header.statistics.count;
  token.thinning = season::ThinningOf(newest);
  const season::Past places = token.thinning.every == 1 ? past : season::Thinned(past, token.thinning, tile.places);
  token.scaling = BuildInput(places.newest, static_cast<size_t>(config_.ring), {header.statistics, header.origin},
                             tile.window, tile.input[tile.size]);
  return {past, places};
}

// Adds the inputs that follow from the seasons, and completes the token.
void ForecastingTask::AddInputs(const season::Past& places, TileToken& token, Tile& tile) const {
  const uint64_t every = static_cast<uint64_t>(token.thinning.every),
                 fold_every = every * static_cast<uint64_t>(config_.fold_every);
  token.age = token.seq % fold_every / every + 1;
  token.folds = (token.seq + 1) % fold_every == 0;
  token.choice = layout_.Choice(token.seq, token.row);
  token.unit = layout_.errors(token.row).unit;
  if (config_.seasons) AddSeasons(places, token, tile);
  if (token.forecasts()) AddSources(places, token, tile);
}

// Adds the naive forecasts: by tokens and in the units of the series for the mixture; by places and on the token's
// scale for a network with seasons.
void ForecastingTask::AddSources(const season::Past& places, const TileToken& token, Tile& tile) const {
  const size_t horizon = static_cast<size_t>(config_.horizon);
  float* sources = tile.sources[tile.size];
  season::WriteSources(places, season::Thinned(token.choice, token.thinning),
                       static_cast<float>(layout_.header(token.row).statistics.mean), horizon, sources);
  if (config_.seasons)
    season::StandardizeSources(sources, season::kSourceCount * horizon, token.scaling, tile.standard[tile.size]);
  for (size_t i = 0; i < season::kSourceCount && token.thinning.every > 1; ++i) {
    season::Spread(token.thinning, horizon, 1, sources + i * horizon);
  }
}

// Adds the effects of covariates on the selected steps.
void ForecastingTask::AddEffects(const Run& run, size_t i, const TileToken& token, Tile& tile) const {
  const size_t known = kFloatsOfDouble + layout_.covariates()->count();
  layout_.covariates()->WriteEffects(token.seq, token.selection->steps, InputsOf(run, i) + known,
                                     layout_.covariates(token.row), tile.effects[tile.size]);
}

// Adds the naive forecasts of all far steps.
void ForecastingTask::AddFarSources(const season::Past& places, const TileToken& token, Tile& tile) const {
  float* sources = tile.far_sources[tile.size];
  season::WriteSources(places, season::Thinned(token.choice, token.thinning), token.mean, FarHorizons::kLast, sources);
  for (size_t i = 0; i < season::kSourceCount && token.thinning.every > 1; ++i) {
    season::Spread(token.thinning, FarHorizons::kLast, 1, sources + i * FarHorizons::kLast);
  }
}

// Adds the seasonal inputs of the network, except for the sources.
void ForecastingTask::AddSeasons(const season::Past& places, const TileToken& token, Tile& tile) const {
  constexpr size_t kResiduals = package::ForecasterConfig::kSeasonalResiduals;
  const int every = token.thinning.every;
  const season::SeasonChoice choice = season::Thinned(token.choice, token.thinning);
  float residuals[season::kSeasonSources * season::kJudgedResiduals];
  season::WriteStandardResiduals(places, choice, token.scaling.scale, season::kJudgedResiduals, residuals);
  double numbers[season::kSeasonalNumbers];
  season::WriteSeasonalNumbers(token.seq, layout_.errors(token.row), season::InTokens(choice, token.thinning),
                               residuals, every, numbers);
  AddSeasonalNumbers(numbers, tile.input[tile.size] + config_.ring + package::ForecasterConfig::kSummaries);
  float* newest = tile.residuals[tile.size];
  for (size_t i = 0; i < season::kSeasonSources * kResiduals; ++i) {
    const float residual = residuals[i / kResiduals * season::kJudgedResiduals + i % kResiduals];
    newest[i] = std::isnan(residual) ? 0.0f : residual;
  }
}

// Chooses the seasons and the unit of errors for all tokens until the next probe.
season::SeasonChoice ForecastingTask::Choose(uint64_t seq, const season::Past& past, double scale,
                                             std::byte* row) const {
  layout_.errors(row).SetUnit(scale);
  return season::ChooseAndSearch(seq, past.newest, layout_.errors(row));
}

// Adds the evidence by which a probe judges.
void ForecastingTask::AddEvidence(const season::Past& past, double scale, std::byte* row, Tile& tile) const {
  const RowHeader& header = layout_.header(row);
  const season::SeasonChoice now = Choose(header.seq, past, scale, row);
  layout_.calibration().probes().Gather(header.seq, past.newest, tile.judging[tile.size]);
  layout_.mixture().Gather(header.seq, past, static_cast<float>(header.statistics.mean), layout_.errors(row),
                           layout_.choices(row), now, tile.evidence[tile.size]);
  layout_.KeepChoice(header.seq, now, row);
  if (layout_.second_view()) layout_.profile(row).Choose(now.first);
  if (!layout_.far()) return;
  layout_.far()->Gather(header.seq, past, static_cast<float>(header.statistics.mean), layout_.errors(row).unit, now,
                        layout_.far(row), tile.far_evidence[tile.size]);
}

}  // namespace aaren::engine
