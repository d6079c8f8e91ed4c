#ifndef AAREN_MODEL_ENGINE_TILE_H_
#define AAREN_MODEL_ENGINE_TILE_H_

// A Tile is up to 64 tokens, of one run or of many, that go through the network together, and all the memory that
// takes. Tokens of one run are in its order. Threading: of one thread.

#include <hwy/aligned_allocator.h>

#include <array>
#include <cstddef>

#include "model/engine/engine.h"
#include "model/engine/fold.h"
#include "model/engine/input.h"
#include "model/engine/scaling.h"
#include "model/engine/weights.h"

namespace aaren {

struct TileToken {
  std::byte* row;
  size_t age;       // tokens since the last fold, this one counted
  bool folds;       // else it peeks
  float* forecast;  // out, [T, Q]; null if none is wanted
  Scaling scaling;

  // The token after it, if that came before this one's forecast was made.
  bool followed;
  float next_value;
  float* next_surprise;  // out; null if not wanted
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

struct Tile : Engine::Workspace {
  static constexpr size_t kTokens = 64;

  Tile(const ForecasterConfig& config, const Weights& weights);

  size_t size = 0;
  std::array<TileToken, kTokens> tokens;
  FloatRows input;   // [., U]
  FloatRows x;       // [., d]: the residual stream
  FloatRows normed;  // [., d]
  FloatRows wide;    // the products of a layer that reads x
  FloatRows hidden;  // what a layer feeds its last product with
  FloatRows narrow;  // that product
  FoldScratch fold;
  InputScratch window;
};

}  // namespace aaren

#endif  // AAREN_MODEL_ENGINE_TILE_H_
