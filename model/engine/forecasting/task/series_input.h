#ifndef AAREN_MODEL_ENGINE_FORECASTING_TASK_SERIES_INPUT_H_
#define AAREN_MODEL_ENGINE_FORECASTING_TASK_SERIES_INPUT_H_

// SeriesInput takes values into a row and makes the network's inputs from the row (model/README.md, steps 1, 2 and 10).
// It reads and writes the plain part of rows alone, so it serves the rows of views, too.
//
// Threading: immutable; a row and a Tile belong to one thread at a time. Lifetime: the configuration and the layout
// outlive this.

#include <cstddef>
#include <cstdint>

#include "model/engine/forecasting/row.h"
#include "model/engine/forecasting/tile.h"
#include "model/math/scaling.h"
#include "model/package/config.h"
#include "model/season/seasons.h"
#include "model/season/sources.h"

namespace aaren::engine {

class SeriesInput {
 public:
  static constexpr int kOlder = season::ValueMemory::kValues - 1;

  SeriesInput(const package::ForecasterConfig& config, const RowLayout& layout) : config_(config), layout_(layout) {}
  SeriesInput(const SeriesInput&) = delete;
  SeriesInput& operator=(const SeriesInput&) = delete;

  // The series as a token sees it, by tokens, and by places (season/thinning.h).
  struct Standpoint {
    season::Past past, places;
  };

  // Takes the value of the row's next token, and x, which is the value less the effect of covariates.
  void TakeValue(double value, double x, std::byte* row) const;

  // True if the origin is to move before the row's next token.
  bool HasLeftOrigin(std::byte* row) const;

  // Begins the inputs of token.seq of token.row, at the tile's next place. The windows of the result belong to the
  // tile, until the next Look.
  Standpoint Look(TileToken& token, Tile& tile) const;

  // Adds the inputs that follow from the seasons, and completes the token's fields about the series.
  void Add(const season::Past& places, TileToken& token, Tile& tile) const;

  // Chooses the seasons and the unit of errors for all tokens until the next probe.
  season::SeasonChoice Choose(uint64_t seq, const season::Past& past, double scale, std::byte* row) const;

 private:
  void AddSources(const season::Past& places, const TileToken& token, Tile& tile) const;
  void AddSeasons(const season::Past& places, const TileToken& token, Tile& tile) const;

  const package::ForecasterConfig& config_;
  const RowLayout& layout_;
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_TASK_SERIES_INPUT_H_
