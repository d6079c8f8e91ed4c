#include "model/engine/forecasting/task/views.h"

#include <algorithm>
#include <cmath>

#include "model/math/scaling.h"

namespace aaren::engine {

// Takes x, the value of token `seq`. The view takes what the profile has not expected, and then the profile learns.
void Views::Take(uint64_t seq, double x, std::byte* row) const {
  const RowHeader& header = layout_.header(row);
  season::Profile& profile = layout_.profile(row);
  const double rest = math::Bounded(x - static_cast<double>(profile.At(seq)));
  input_.TakeValue(rest, rest, layout_.view(row));
  const season::Bounds reach = season::ReachOf(header.statistics);
  profile.Learn(seq, reach.Apply(math::Relative(x, header.origin)));
  if (HalfIsDue(row)) TakeHalf(row);
}

// Takes the mean of the newest two values of the second view, as far as they are present.
void Views::TakeHalf(std::byte* row) const {
  const RowHeader& header = layout_.header(layout_.view(row));
  const float* recent = layout_.values(layout_.view(row)).recent;
  const size_t place = header.seq % season::ValueMemory::kBlock;
  const double before = static_cast<double>(recent[place - 1]), now = static_cast<double>(recent[place]);
  const double mean = std::isnan(before) ? now : std::isnan(now) ? before : (before + now) / 2.0;
  const double value = math::Bounded(header.origin + mean);
  std::byte* half = layout_.half(row);
  input_.TakeValue(value, value, half);
  ++layout_.header(half).seq;
}

// Asked before the second view takes a token. The half-rate view takes a token with the second of two values.
bool Views::HaveLeftOrigin(std::byte* row) const {
  return input_.HasLeftOrigin(layout_.view(row)) || (HalfIsDue(row) && input_.HasLeftOrigin(layout_.half(row)));
}

void Views::MoveOrigins(std::byte* row) const {
  if (input_.HasLeftOrigin(layout_.view(row))) layout_.MoveOriginOfView(layout_.view(row));
  if (HalfIsDue(row) && input_.HasLeftOrigin(layout_.half(row))) layout_.MoveOriginOfView(layout_.half(row));
}

void Views::Begin(std::byte* row) const {
  layout_.profile(row).Begin(layout_.header(row).seq);
  layout_.ResetView(layout_.view(row));
  layout_.ResetView(layout_.half(row));
}

void Views::CatchUp(std::byte* row, Tile& tile, absl::FunctionRef<void()> finish_tile) const {
  const RowHeader& header = layout_.header(row);
  uint16_t& behind = layout_.profile(row).behind;
  const float* newest = layout_.values(row).Unroll(header.seq - 1, season::ReachOf(header.statistics), tile.remembered);
  for (int i = 0; i < kCatchUp && behind > 0; ++i, --behind) {
    if (HaveLeftOrigin(row)) {
      finish_tile();
      MoveOrigins(row);
    }
    Take(header.seq - behind, header.origin + static_cast<double>(newest[1 - behind]), row);
    if (tile.size + 2 > tile.capacity()) finish_tile();
    Add(row, false, false, tile);
    ++layout_.header(layout_.view(row)).seq;
  }
}

void Views::Advance(std::byte* row) const {
  if (IsBehind(row)) {
    ++layout_.profile(row).behind;
  } else if (Has(row)) {
    ++layout_.header(layout_.view(row)).seq;
  }
}

// Adds the views' tokens to the tile, as far as a token folds or its forecast is needed.
ViewPlaces Views::Add(std::byte* row, bool needed, bool needed_far, Tile& tile) const {
  const auto folds = [this](uint64_t seq) { return (seq + 1) % static_cast<uint64_t>(config_.fold_every) == 0; };
  const uint64_t seq = layout_.header(layout_.view(row)).seq, taken = layout_.header(layout_.half(row)).seq;
  ViewPlaces views;
  views.second = AddView({layout_.view(row), seq, folds(seq), layout_.probes().At(seq), needed}, tile);
  if (taken == 0) return views;
  const bool now = HalfIsDue(row);
  views.half = AddView(
      {layout_.half(row), taken - 1, !now && folds(taken - 1), now && layout_.probes().At(taken - 1), needed_far},
      tile);
  return views;
}

// Returns the token's place in the tile. A probe of a view chooses the view's seasons, and judges nothing.
size_t Views::AddView(const Newest& of, Tile& tile) const {
  const bool probes = of.probes && layout_.header(of.view).statistics.count > 0;
  if (!of.needed && !of.folds && !probes) return TileToken::kNoView;
  TileToken& token = tile.tokens[tile.size];
  token = {.row = of.view, .seq = of.seq, .views = of.needed};
  const SeriesInput::Standpoint from = input_.Look(token, tile);
  if (probes) layout_.KeepChoice(of.seq, input_.Choose(of.seq, from.past, token.scaling.scale, of.view), of.view);
  if (!of.needed && !of.folds) return TileToken::kNoView;
  input_.Add(from.places, token, tile);
  token.folds &= of.folds;
  return tile.size++;
}

// Completes the row's own token by the views' tokens, and by the profile ahead.
void Views::Fill(std::byte* row, const ViewPlaces& views, TileToken& token, Tile& tile) const {
  const RowHeader &view = layout_.header(layout_.view(row)), &half = layout_.header(layout_.half(row));
  token.view = views.second;
  token.half = views.half;
  token.view_origin = view.origin - layout_.header(row).origin;
  token.half_origin = half.origin - layout_.header(row).origin;
  token.half_age = HalfIsDue(row) ? 0 : 1;
  const size_t steps = views.half != TileToken::kNoView ? FarHorizons::kLast : static_cast<size_t>(config_.horizon);
  if (token.forecasts()) layout_.profile(row).Write(token.seq + 1, steps, tile.profile[tile.size]);
}

// The medians of the second view for the steps ahead of token t of the tile, relative to the row's origin; empty
// without a view.
absl::Span<const float> Views::Second(Tile& tile, size_t t) const {
  const TileToken& token = tile.tokens[t];
  if (token.view == TileToken::kNoView) return {};
  const TileToken& view = tile.tokens[token.view];
  const float* ahead = tile.profile[t];
  const size_t levels = config_.quantiles.size();
  for (size_t step = 0; step < tile.view.size(); ++step) {
    const double rest = view.forecast[step * levels + levels / 2];
    tile.view[step] = view.count == 0 ? kMissing : math::ToForecast(token.view_origin + rest + ahead[step]);
  }
  return tile.view;
}

// The same of the half-rate view, for all steps up to the last. Beyond its own last step the rest stays.
absl::Span<const float> Views::Half(Tile& tile, size_t t) const {
  const TileToken& token = tile.tokens[t];
  if (token.half == TileToken::kNoView) return {};
  const TileToken& half = tile.tokens[token.half];
  const float* ahead = tile.profile[t];
  const size_t levels = config_.quantiles.size(), last = static_cast<size_t>(config_.horizon);
  for (size_t step = 1; step <= tile.half.size(); ++step) {
    const size_t at = std::min((step + 1 + token.half_age) / 2, last) - 1;
    const double rest = half.forecast[at * levels + levels / 2];
    tile.half[step - 1] = half.count == 0 ? kMissing : math::ToForecast(token.half_origin + rest + ahead[step - 1]);
  }
  return tile.half;
}

}  // namespace aaren::engine
