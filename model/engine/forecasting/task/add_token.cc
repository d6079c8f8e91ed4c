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
constexpr float kLearnedScore = 0.5f;  // a season's score below which a surprise may be believed before

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
void ForecastingTask::AddToken(const Run& run, size_t i, std::byte* row, float* forecast, const ViewPlaces& views,
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
  const SeriesInput::Standpoint from = input_.Look(token, tile);
  if (token.probes) AddEvidence(from.past, token.scaling.scale, row, tile);
  input_.Add(from.places, token, tile);
  token.tail = {header.origin, token.wanted && IsLearning(token.seq, token.count, layout_.errors(row), token.choice)};
  if (views_.Has(row)) views_.Fill(row, views, token, tile);
  if (SelectsFar(token)) AddFarSources(from.places, token, tile);
  if (layout_.covariates() && token.wanted && token.selection != nullptr) AddEffects(run, i, token, tile);
  ++tile.size;
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

// Adds the evidence by which a probe judges.
void ForecastingTask::AddEvidence(const season::Past& past, double scale, std::byte* row, Tile& tile) const {
  const RowHeader& header = layout_.header(row);
  const season::SeasonChoice now = input_.Choose(header.seq, past, scale, row);
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
