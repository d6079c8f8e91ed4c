#ifndef AAREN_MODEL_ENGINE_CLASSIFICATION_NETWORK_H_
#define AAREN_MODEL_ENGINE_CLASSIFICATION_NETWORK_H_

// The network of the classifier: tokens wait in a Tile, of any number of series, and one Pass takes all of them through
// the layers, so that each weight is read once (README.md shows the formulas). A token's bits do not depend on the
// other tokens of a tile. Threading: a Network is immutable; a Tile belongs to one thread. Take and Pass do not
// allocate.

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <vector>

#include "model/engine/classification/activation.h"
#include "model/engine/classification/row.h"
#include "model/engine/classification/sizes.h"
#include "model/engine/network/packed_matrix.h"
#include "model/package/package.h"

namespace aaren::classification {

inline constexpr size_t kTile = 64;  // tokens that read each weight once

// Tokens on their way through the network.
struct Tile {
  Tile(size_t channels, size_t classes);

  struct Waiting {
    RowView row;
    size_t position;       // the token's, in its series
    float* probabilities;  // out, [C], or null
  };

  float* input(size_t token) { return inputs.get() + token * input_stride; }

  size_t size = 0;  // tokens in `waiting`
  Waiting waiting[kTile];
  size_t input_stride;
  hwy::AlignedFreeUniquePtr<float[]> inputs;  // [kTile, input_stride], three steps each, the oldest first
  hwy::AlignedFreeUniquePtr<float[]> x, attended, added, hidden;
  std::vector<double> sums, work;  // [C]
};

class Network {
 public:
  // REQUIRES: CheckClassifierPackage accepted the package.
  explicit Network(const package::ModelPackage& package);

  size_t steps() const { return steps_; }
  const double* bias() const { return bias_.data(); }  // the head's, [C]
  Tile NewTile() const { return Tile(channels_, bias_.size()); }

  // Takes a token of V standardised numbers into the row. `probabilities` may be null, and is written by Pass. A token
  // behind the last step changes nothing but the count. REQUIRES: fewer than kTile tokens wait.
  void Take(const float* token, const RowView& row, float* probabilities, Tile& tile) const;

  // Sends the waiting tokens through the layers. Rows and probabilities are complete afterwards.
  void Pass(Tile& tile) const;

 private:
  struct Layer {
    enum Wide { kScore, kValue };
    engine::PackedMatrix wide, output, up, down;
    Norm norm, mlp_norm;
  };

  void Embed(Tile& tile) const;
  void Attend(size_t index, Tile& tile) const;
  void AddMlp(const Layer& layer, Tile& tile) const;
  void Finish(size_t token, Tile& tile) const;

  const size_t channels_, steps_;
  engine::PackedMatrix embedding_;
  std::vector<float> positions_;  // [N, d]
  std::vector<Layer> layers_;
  Norm norm_;
  std::vector<float> head_;   // [N, d, C]
  std::vector<double> bias_;  // [C]
};

}  // namespace aaren::classification

#endif  // AAREN_MODEL_ENGINE_CLASSIFICATION_NETWORK_H_
