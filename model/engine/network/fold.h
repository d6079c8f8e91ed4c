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

namespace aaren {

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
  Ageing(const ForecasterConfig& config, const Tensor& decay, const Tensor& cosine, const Tensor& sine);

  size_t heads;
  size_t head_width;
  size_t width;                // of all heads, padded to kLanes
  std::vector<double> decay;   // lambda: [heads]
  std::vector<double> cosine;  // [fold_every, width / 2], of age 1, 2, ...
  std::vector<double> sine;
};

// Memory that Fold works in.
class FoldScratch {
 public:
  FoldScratch(size_t heads, size_t width);

 private:
  friend void Fold(const Ageing&, size_t, bool, const float*, const float*, const LayerState&, FoldScratch&, float*);
  hwy::AlignedFreeUniquePtr<float[]> exponents_;  // of alpha, then of beta: [2, heads padded]
  std::vector<double> weight_;                    // c': [heads]
  std::vector<double> peak_;                      // m': [heads]
  std::vector<double> share_;                     // p of each value's head: [width]
  std::vector<double> output_;                    // o': [width]
};

// age: tokens since the last fold, in [1, fold_every]. scores: [heads]; values: [width]. Writes the attention's output
// to out: [width].
void Fold(const Ageing& ageing, size_t age, bool store, const float* scores, const float* values,
          const LayerState& state, FoldScratch& scratch, float* out);

}  // namespace aaren

#endif  // AAREN_MODEL_ENGINE_NETWORK_FOLD_H_
