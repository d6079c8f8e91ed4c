#ifndef AAREN_MODEL_PAPER_NN_RECOMPUTED_MIXER_H_
#define AAREN_MODEL_PAPER_NN_RECOMPUTED_MIXER_H_

// Causal softmax attention without a cache. Weights and forward are the Transformer's, but a step reads all earlier
// inputs again, one at a time. The step computes the key and the value of each input, and folds both into the (m, c, a)
// of the step's own query. The working memory does not grow; only the inputs must stay readable.
//
// In a stack the inputs of layer l are the outputs of layer l - 1, which are recomputed as well, down to the stack's
// own inputs. Nothing is used twice, so output i of layer l takes T_l(i) = sum_{j <= i} (1 + T_{l-1}(j)) folds with T_0
// = 0, about i^l / l!. MixerState::folds counts the folds.

#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "model/paper/nn/softmax_mixer.h"

namespace aaren::nn {

/// Gives a layer's input [B, d] at a position, by reading or by computing the input anew in each call.
using InputReader = absl::FunctionRef<torch::Tensor(int64_t position)>;

class RecomputedMixerImpl : public SoftmaxMixerImpl {
 public:
  using SoftmaxMixerImpl::SoftmaxMixerImpl;

  /// The inputs so far, [B, capacity, d] (token_buffer.h).
  MixerState Start(int64_t batch) const override;

  /// The output [B, d] at `position`, from the input x [B, d] at `position` and all earlier inputs, each read once,
  /// latest first. Adds position + 1 folds to `folds`; the reader adds its own folds. REQUIRES: shapes agree.
  torch::Tensor Recompute(const torch::Tensor& x, int64_t position, InputReader earlier, int64_t& folds);

 protected:
  std::vector<std::vector<int64_t>> StateSizes() const override { return {{-1, options.width()}}; }
  torch::Tensor Advance(MixerState& state, const torch::Tensor& x) override;
  Mixer Another() const override { return std::make_shared<RecomputedMixerImpl>(options); }
};
TORCH_MODULE(RecomputedMixer);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_PAPER_NN_RECOMPUTED_MIXER_H_
