#ifndef AAREN_MODEL_ENGINE_FORECASTING_TILE_H_
#define AAREN_MODEL_ENGINE_FORECASTING_TILE_H_

// A Tile is up to capacity() tokens, of one run or of many, that pass through the network together. A tile has the
// network's inputs, and everything that the task needs once the forecasts are made. Tokens of one run are in the order
// of the run. Threading: one thread.

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include "model/engine/forecast_result.h"
#include "model/engine/forecasting/input.h"
#include "model/engine/forecasting/network.h"
#include "model/engine/forecasting/refinement/support.h"
#include "model/engine/forecasting/refinement/surprise.h"
#include "model/engine/forecasting/row.h"
#include "model/engine/task.h"
#include "model/math/scaling.h"
#include "model/season/seasons.h"
#include "model/season/thinning.h"

namespace aaren::engine {

struct TileToken {
  static constexpr size_t kNoView = ~size_t{0};

  std::byte* row = nullptr;
  uint64_t seq = 0;
  size_t age = 0;       // places (season/thinning.h) since the last fold, this token's included
  bool folds = false;   // false if the token only peeks
  bool probes = false;  // true if the row learns from the token's forecast
  bool wanted = false;  // true if the forecast is asked for
  bool views = false;   // true for a token of a second view whose forecast the row's own token needs
  Refinement refinement = Refinement::kNetwork;  // for the forecast, and for the next value's surprise
  float* forecast = nullptr;  // out, [T, Q], a tail and the selection, if wanted; else null until the pass has made
                              // the forecast, in the pass's memory
  math::Scaling scaling = {};
  season::Thinning thinning = {};
  int gap = 0;  // places missing after the newest value
  season::SeasonChoice choice = {};
  float unit = 0.0f;     // unit of the naive forecasts' errors
  Support support = {};  // the support after this token
  uint32_t count = 0;    // values up to this token
  float mean = 0.0f;     // the series' mean after this token
  ResultTail tail = {};
  const Selection* selection = nullptr;  // null: none
  size_t view = kNoView;                 // the place of the second view's token in the tile
  size_t half = kNoView;                 // the place of the half-rate view's token
  double view_origin = 0.0;              // the second view's, from the row's origin
  double half_origin = 0.0;              // the half-rate view's, from the row's origin
  size_t half_age = 0;                   // tokens since the newest of the half-rate view: 0 or 1

  // The next token of the run, if that token came before this token's forecast was made.
  bool followed = false;
  float next_value = std::numeric_limits<float>::quiet_NaN();
  SurpriseRange next_range = {};
  float* next_surprise = nullptr;  // out; null if not wanted

  bool forecasts() const { return wanted || probes || views; }  // false: the token only folds
};

// Rows of floats, each padded to lanes and aligned.
class FloatRows {
 public:
  FloatRows(size_t rows, size_t width);
  float* operator[](size_t row) { return data_.get() + row * stride_; }
  size_t stride() const { return stride_; }

 private:
  size_t stride_;
  hwy::AlignedFreeUniquePtr<float[]> data_;
};

struct Tile final : Task::Scratch {
  Tile(const package::ForecasterConfig& config, const RowLayout& layout, const Network& network);

  size_t capacity() const { return tokens.size(); }

  const std::unique_ptr<Network::Pass> pass;
  bool under_way = false;  // in the pass
  absl::Status status;     // joined from the passes since the last Finish
  size_t size = 0;
  std::vector<TileToken> tokens;  // [capacity]
  FloatRows input;                // [., U]
  FloatRows judging;              // [., Calibration's tracked horizons]: values by which a probe judges
  FloatRows evidence;             // [., Mixture::evidence_size()]: evidence by which a probe judges
  FloatRows sources;              // [., 4, T]: naive forecasts, in the units of the series
  FloatRows profile;              // [., FarHorizons::kLast]: the profile at the steps ahead, in rows with a profile
  FloatRows effects;              // [., kFarHorizon]: covariates' effects on the selected steps
  FloatRows far_evidence;         // [., FarHorizons::evidence_size()], in extended rows
  FloatRows far_sources;          // [., 4, FarHorizons::kLast], naive forecasts, in extended rows
  FloatRows standard;             // [., 4, T]: naive forecasts on the token's scale, for a SeasonHead
  FloatRows residuals;            // [., 3, 24]: recent residuals of the sources of seasons, for a SeasonHead
  std::vector<float> quantiles;   // [Q]
  std::vector<float> far;         // [FarHorizons::kLast, Q]: far steps of a forecast, in extended rows
  std::vector<float> view;        // [T]: medians of the second view, in rows with a profile
  std::vector<float> half;        // [FarHorizons::kLast]: medians of the half-rate view, likewise
  std::vector<float> judged, judged_views;  // [judged horizons]: medians that a probe keeps, likewise
  std::vector<float> forecast;              // [T, Q]: a probe's forecast, while the wanted forecast lies elsewhere
  season::ValueMemory::Window values;       // the values of a single token
  season::ValueMemory::Window places;       // the same without regular holes
  season::ValueMemory::Window remembered;   // the values from which a profile is learned
  InputScratch window;
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_TILE_H_
