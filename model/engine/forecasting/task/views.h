#ifndef AAREN_MODEL_ENGINE_FORECASTING_TASK_VIEWS_H_
#define AAREN_MODEL_ENGINE_FORECASTING_TASK_VIEWS_H_

// Views takes the series less its profile into the views of a row (section 17). The second view is a row of its own,
// which begins with the values that the first row remembers, a few with each new token. The half-rate view is a row of
// the means of two values of the second view.
//
//   tokens of the second view     0   1   2   3   4   5   6
//   tokens of the half-rate view  └─0─┘   └─1─┘   └─2─┘
//
// A token of the half-rate view is taken with the second value. It folds one token later, because a forecast at that
// token still needs the state without it.
//
// REQUIRES: the layout is of rows with a profile, except for Has. Threading and lifetime: as of SeriesInput.

#include <cstddef>
#include <cstdint>
#include <limits>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "model/engine/forecasting/task/series_input.h"

namespace aaren::engine {

// The places of the tokens of a row's views in the tile.
struct ViewPlaces {
  size_t second = TileToken::kNoView, half = TileToken::kNoView;
};

class Views {
 public:
  Views(const package::ForecasterConfig& config, const RowLayout& layout, const SeriesInput& input)
      : config_(config), layout_(layout), input_(input) {}
  Views(const Views&) = delete;
  Views& operator=(const Views&) = delete;

  // True if the row has views that have taken every token: its series has a season.
  bool Has(std::byte* row) const {
    return layout_.second_view() && layout_.profile(row).season > 0 && layout_.profile(row).behind == 0;
  }
  bool IsDue(std::byte* row) const { return layout_.second_view() && layout_.profile(row).IsDue(); }

  // Begins a profile of the candidate's season, and the views, which are then behind.
  void Begin(std::byte* row) const;

  // True if the views have tokens still to take, of those that the row remembers.
  bool IsBehind(std::byte* row) const { return layout_.second_view() && layout_.profile(row).behind > 0; }

  // Takes the next tokens that the row remembers, kCatchUp at most: a new token must not wait for all of them.
  // `finish_tile` empties the tile. REQUIRES: IsBehind(row).
  void CatchUp(std::byte* row, Tile& tile, absl::FunctionRef<void()> finish_tile) const;

  // Counts a token that the row has taken.
  void Advance(std::byte* row) const;

  // The functions below REQUIRE Has(row).

  // Asked before a token is taken; tokens that wait in the tile go before origins move.
  bool HaveLeftOrigin(std::byte* row) const;
  void MoveOrigins(std::byte* row) const;

  // Takes x, the value of token `seq` of the row.
  void Take(uint64_t seq, double x, std::byte* row) const;

  // Adds the views' tokens to the tile, as far as a token folds or its forecast is needed.
  ViewPlaces Add(std::byte* row, bool needed, bool needed_far, Tile& tile) const;

  // Completes the row's own token, at the tile's next place, by the views' tokens and the profile ahead.
  void Fill(std::byte* row, const ViewPlaces& views, TileToken& token, Tile& tile) const;

  // The medians of a view for the steps ahead of token t of the tile, relative to the row's origin; empty without a
  // view. The second view has the model's steps, the half-rate view all steps up to the last.
  absl::Span<const float> Second(Tile& tile, size_t t) const;
  absl::Span<const float> Half(Tile& tile, size_t t) const;

 private:
  static constexpr int kCatchUp = 24;  // tokens
  static constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

  // The newest token of a view.
  struct Newest {
    std::byte* view;
    uint64_t seq;
    bool folds, probes;  // at this moment
    bool needed;         // the row's own token needs the forecast
  };

  // True if the newest token of the second view is the second of two.
  bool HalfIsDue(std::byte* row) const { return layout_.header(layout_.view(row)).seq % 2 == 1; }
  void TakeHalf(std::byte* row) const;
  size_t AddView(const Newest& of, Tile& tile) const;

  const package::ForecasterConfig& config_;
  const RowLayout& layout_;
  const SeriesInput& input_;
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_TASK_VIEWS_H_
