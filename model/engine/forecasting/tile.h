#ifndef AAREN_MODEL_ENGINE_FORECASTING_TILE_H_
#define AAREN_MODEL_ENGINE_FORECASTING_TILE_H_

// A Tile is up to capacity() tokens, of one run or of many, that go through the network together: what the network
// reads of them, and what the task needs once their forecasts are made. Tokens of one run are in its order. Threading:
// of one thread.

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "model/engine/forecasting/input.h"
#include "model/engine/forecasting/network.h"
#include "model/engine/forecasting/refinement/support.h"
#include "model/engine/forecasting/row.h"
#include "model/engine/task.h"
#include "model/math/scaling.h"

namespace aaren::engine {

struct TileToken {
  std::byte* row;
  uint64_t seq;
  size_t age;             // tokens since the last fold, this one counted
  bool folds;             // else it peeks
  bool probes;            // its forecast is kept, to learn from
  bool wanted;            // its forecast is asked for
  Refinement refinement;  // how far that, and the surprise of the value after it, go
  float* forecast;        // out, [T, Q], if wanted; else null until a probe's is made, in memory of the pass
  math::Scaling scaling;
  float unit;       // of naive forecasts' errors
  Support support;  // as of this token
  uint32_t count;   // of values until then

  // The token after it, if that came before this one's forecast was made.
  bool followed;
  float next_value;
  float* next_surprise;  // out; null if not wanted

  bool forecasts() const { return wanted || probes; }  // else it only folds
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
  absl::Status status;     // of the passes since the last Finish
  size_t size = 0;
  std::vector<TileToken> tokens;       // [capacity]
  FloatRows input;                     // [., U]
  FloatRows judging;                   // [., Calibration's tracked horizons]: what a probe judges its forecasts by
  FloatRows evidence;                  // [., Mixture::evidence_size()]: likewise
  FloatRows sources;                   // [., 4, T]: what naive forecasts say, in the units of the series
  FloatRows standard;                  // [., 4, T]: likewise, on the token's scale; this and the next for a SeasonHead
  FloatRows residuals;                 // [., 3, 24]: what sources of seasons missed by lately
  std::vector<float> quantiles;        // [Q]
  std::vector<float> forecast;         // [T, Q]: of a probe, where another is wanted
  season::ValueMemory::Window values;  // of one token
  InputScratch window;
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_TILE_H_
