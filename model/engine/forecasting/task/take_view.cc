// ForecastingTask takes the series less its profile into the second view of a row (section 17). The view is a row of
// its own, which began with the values that the first row remembered.

#include <algorithm>

#include "model/engine/forecasting/task/task_class.h"

namespace aaren::engine {

// Takes x, the value of token `seq`. The view takes what the profile has not expected, and then the profile learns.
void ForecastingTask::TakeView(uint64_t seq, double x, std::byte* row) const {
  const RowHeader& header = layout_.header(row);
  season::Profile& profile = layout_.profile(row);
  const double rest = Bounded(x - static_cast<double>(profile.At(seq)));
  TakeValue(rest, rest, layout_.view(row));
  const season::Bounds reach = season::ReachOf(header.statistics);
  profile.Learn(seq, reach.Apply(Relative(x, header.origin)));
}

// Begins a profile of the candidate's season, and the view, from the values that the row remembers.
void ForecastingTask::BeginView(std::byte* row, Tile& tile) const {
  season::Profile& profile = layout_.profile(row);
  profile.Reset(profile.candidate);
  std::byte* view = layout_.view(row);
  layout_.ResetView(view);
  if (profile.season == 0) return;
  const RowHeader& header = layout_.header(row);
  const float* newest = layout_.values(row).Unroll(header.seq - 1, season::ReachOf(header.statistics), tile.remembered);
  for (uint64_t age = std::min<uint64_t>(header.seq, season::ValueMemory::kValues); age > 0; --age) {
    if (HasLeftOrigin(view)) {
      FinishTile(tile);
      layout_.MoveOriginOfView(view);
    }
    TakeView(header.seq - age, header.origin + static_cast<double>(newest[1 - static_cast<int>(age)]), row);
    AddView(row, false, tile);
    if (tile.size == tile.capacity()) FinishTile(tile);
    ++layout_.header(view).seq;
  }
  FinishTile(tile);
}

// Adds the view's token to the tile, if the token folds or its forecast is needed. Returns its place in the tile.
size_t ForecastingTask::AddView(std::byte* row, bool needed, Tile& tile) const {
  std::byte* view = layout_.view(row);
  const RowHeader& header = layout_.header(view);
  const bool folds = (header.seq + 1) % static_cast<uint64_t>(config_.fold_every) == 0;
  const bool probes = layout_.probes().At(header.seq) && header.statistics.count > 0;
  if (!needed && !folds && !probes) return TileToken::kNoView;
  TileToken& token = tile.tokens[tile.size];
  token = {.row = view, .seq = header.seq, .views = needed};
  const Standpoint from = Look(token, tile);
  if (probes) layout_.KeepChoice(header.seq, Choose(from.past, token.scaling.scale, view), view);
  if (!needed && !folds) return TileToken::kNoView;
  AddInputs(from.places, token, tile);
  const uint64_t next = layout_.header(row).seq + 1;
  float* ahead = tile.profile[tile.size];
  for (size_t step = 0; needed && step < static_cast<size_t>(config_.horizon); ++step) {
    ahead[step] = layout_.profile(row).At(next + step);
  }
  return tile.size++;
}

// The medians of the second view for the steps ahead of token t of the tile, relative to the row's origin; empty
// without a view.
absl::Span<const float> ForecastingTask::ViewOf(Tile& tile, size_t t) const {
  const TileToken& token = tile.tokens[t];
  if (token.view == TileToken::kNoView) return {};
  const TileToken& view = tile.tokens[token.view];
  const float* ahead = tile.profile[token.view];
  const size_t levels = config_.quantiles.size();
  for (size_t step = 0; step < tile.view.size(); ++step) {
    const double rest = view.forecast[step * levels + levels / 2];
    tile.view[step] = view.count == 0 ? kMissing : math::ToForecast(token.view_origin + rest + ahead[step]);
  }
  return tile.view;
}

}  // namespace aaren::engine
