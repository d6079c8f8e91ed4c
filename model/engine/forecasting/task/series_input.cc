#include "model/engine/forecasting/task/series_input.h"

#include <cmath>

#include "model/season/gaps.h"
#include "model/season/lag_search.h"
#include "model/season/seasonal_input.h"

namespace aaren::engine {

// Takes a value, and x, which is the value less the effect of covariates. A row remembers x; a series' possible values
// are of the value itself.
void SeriesInput::TakeValue(double value, double x, std::byte* row) const {
  RowHeader& header = layout_.header(row);
  if (header.statistics.count == 0 && !std::isnan(value)) header.origin = x;
  const float relative = math::Relative(x, header.origin);
  if (!std::isnan(value)) {
    if (header.statistics.Believes(relative)) layout_.support(row).Add(value);
    header.statistics.Add(relative, static_cast<uint64_t>(config_.history));
  }
  const season::Bounds bounds = season::ReachOf(header.statistics);
  layout_.values(row).Add(header.seq, relative, bounds);
  layout_.errors(row).Add(header.seq, relative, bounds, layout_.values(row));
}

bool SeriesInput::HasLeftOrigin(std::byte* row) const {
  const uint64_t seq = layout_.header(row).seq;
  return seq % season::ValueMemory::kBlock == 0 && seq > 0 && layout_.IsFarFromOrigin(row);
}

// Writes the values' part of the input. The result's windows belong to the tile, until the next Look.
SeriesInput::Standpoint SeriesInput::Look(TileToken& token, Tile& tile) const {
  const RowHeader& header = layout_.header(token.row);
  const season::ValueMemory& values = layout_.values(token.row);
  const float* newest = values.Unroll(token.seq, season::ReachOf(header.statistics), tile.values);
  const season::Past past{newest, kOlder, values.typical, static_cast<int>(header.statistics.far)};
  token.count = header.statistics.count;
  token.thinning = season::ThinningOf(newest);
  const season::Past places = token.thinning.every == 1 ? past : season::Thinned(past, token.thinning, tile.places);
  token.gap = season::MissingSince(places.newest, config_.ring);
  token.scaling = BuildInput(places.newest, static_cast<size_t>(config_.ring), {header.statistics, header.origin},
                             tile.window, tile.input[tile.size]);
  return {past, places};
}

// Adds the inputs that follow from the seasons, and completes the token.
void SeriesInput::Add(const season::Past& places, TileToken& token, Tile& tile) const {
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
void SeriesInput::AddSources(const season::Past& places, const TileToken& token, Tile& tile) const {
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

// Chooses the seasons and the unit of errors for all tokens until the next probe.
season::SeasonChoice SeriesInput::Choose(uint64_t seq, const season::Past& past, double scale, std::byte* row) const {
  layout_.errors(row).SetUnit(scale);
  return season::ChooseAndSearch(seq, past.newest, layout_.errors(row));
}

// Adds the seasonal inputs of the network, except for the sources.
void SeriesInput::AddSeasons(const season::Past& places, const TileToken& token, Tile& tile) const {
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

}  // namespace aaren::engine
