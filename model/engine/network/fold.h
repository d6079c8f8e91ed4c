#ifndef AAREN_MODEL_ENGINE_NETWORK_FOLD_H_
#define AAREN_MODEL_ENGINE_NETWORK_FOLD_H_

// A fold takes a token into the attention of a layer (paper, §3.1; model/README.md, step 4). The state of every
// head is aged by the tokens since the last fold, the token's value is weighed in, and the attention's output is read.
//
// A token that *folds* stores the new state. A token that *peeks* reads the same output and leaves the state unchanged.

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <vector>

#include "model/package/package.h"

namespace aaren::engine {

// The softmax attention of a layer over all folded tokens. The output is kept as o = a / c, which never grows.
struct LayerState {
  double* output;  // o: [V], padded with zeros to a multiple of kLanes
  double* weight;  // c: [H]
  double* peak;    // m: [H]
};

// How a layer's state ages. Each rotation is brought to length one, so that a million rotations neither grow nor
// shrink a state.
struct Ageing {
  // REQUIRES: the tensors belong to one layer and are as package.h describes.
  Ageing(const package::ForecasterConfig& config, const package::Tensor& decay, const package::Tensor& cosine,
         const package::Tensor& sine);

  size_t heads;
  size_t head_width;
  size_t width;                // all heads together, padded to kLanes
  std::vector<double> decay;   // lambda: [heads]
  std::vector<double> cosine;  // [fold_every, width / 2], for age 1, 2, ...
  std::vector<double> sine;
  std::vector<double> cosines;  // [fold_every, width]: the cosine of its pair for each number, and the sine,
  std::vector<double> sines;    // negative for the second number of a pair
};

// The rotation for an age: [width] each.
struct Turn {
  const double* cosine;
  const double* sine;
};

// The contribution of a token to a layer.
struct FoldToken {
  size_t age;           // tokens since the last fold, this token included: in [1, fold_every]
  const float* scores;  // [heads]
  const float* values;  // [width]
};

// The weights of a token in a layer, as computed by a fold.
struct FoldWork {
  float* exponents;  // the exponents of alpha, then beta: [2 heads, padded]
  double* weights;   // c': [heads]
  double* peaks;     // m': [heads]
  double* shares;    // p: [heads]
  double* share;     // p of the value's head, for each value: [width]
};

// The memory for folding in a single layer at a time.
class FoldScratch {
 public:
  FoldScratch(size_t heads, size_t width);

  FoldWork work();

 private:
  hwy::AlignedFreeUniquePtr<float[]> exponents_;
  std::vector<double> weight_;
  std::vector<double> peak_;
  std::vector<double> head_share_;
  std::vector<double> share_;
};

// LayerFold folds tokens into a layer. Fold and Peek write the attention's output to out: [width]. Fold stores the
// new state; Peek leaves the state unchanged.
class LayerFold {
 public:
  // REQUIRES: `ageing` and `scratch` outlive this object.
  LayerFold(const Ageing& ageing, FoldScratch& scratch) : ageing_(ageing), scratch_(scratch) {}

  void Fold(const FoldToken& token, const LayerState& state, float* out);
  void Peek(const FoldToken& token, const LayerState& state, float* out);

 private:
  Turn TurnOf(const FoldToken& token) const;

  const Ageing& ageing_;
  FoldScratch& scratch_;
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_NETWORK_FOLD_H_
