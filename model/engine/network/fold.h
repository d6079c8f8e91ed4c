#ifndef AAREN_MODEL_ENGINE_NETWORK_FOLD_H_
#define AAREN_MODEL_ENGINE_NETWORK_FOLD_H_

// One token enters the attention of one layer (paper, §3.1; model/README.md, step 4). The state of every head is aged
// by the tokens since the last fold, the token's value is weighed in, and the attention's output is read.
//
// A token that folds leaves the new state behind; one that peeks reads the same output and leaves the state as it was.

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <vector>

#include "model/package/package.h"

namespace aaren::engine {

// One layer's softmax attention over all that was folded (the plain o = a / c, so that it never grows).
struct LayerState {
  double* output;  // o: [V], padded with zeros to a multiple of kLanes
  double* weight;  // c: [H]
  double* peak;    // m: [H]
};

// What ageing does in one layer. Each rotation is brought to length one, so that a million of them neither grow nor
// shrink a state.
struct Ageing {
  // REQUIRES: the tensors of one layer as package.h describes them.
  Ageing(const package::ForecasterConfig& config, const package::Tensor& decay, const package::Tensor& cosine,
         const package::Tensor& sine);

  size_t heads;
  size_t head_width;
  size_t width;                // of all heads, padded to kLanes
  std::vector<double> decay;   // lambda: [heads]
  std::vector<double> cosine;  // [fold_every, width / 2], of age 1, 2, ...
  std::vector<double> sine;
  std::vector<double> cosines;  // [fold_every, width]: the same for each number of a pair, and the sine of the second
  std::vector<double> sines;    // negative
};

// One age's: [width] of each.
struct Turn {
  const double* cosine;
  const double* sine;
};

// What one token brings to a layer.
struct FoldToken {
  size_t age;           // tokens since the last fold, this one counted: in [1, fold_every]
  const float* scores;  // [heads]
  const float* values;  // [width]
};

// What a token weighs in a layer.
struct FoldWork {
  float* exponents;  // of alpha, then of beta: [2 heads, padded]
  double* weights;   // c': [heads]
  double* peaks;     // m': [heads]
  double* shares;    // p: [heads]
  double* share;     // p of each value's head: [width]
};

// Memory that folding works in, of one layer at a time.
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

// Both write the attention's output to out: [width]. Fold leaves the new state behind, Peek the state as it was.
class LayerFold {
 public:
  // The references outlive this.
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
