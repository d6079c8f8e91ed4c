#ifndef AAREN_MODEL_PAPER_NN_BLOCK_H_
#define AAREN_MODEL_PAPER_NN_BLOCK_H_

// The Transformer's block around any mixer: two residual branches, a mixer and an MLP, each with a LayerNorm. The paper
// normalises after each sum, like the code base of its reinforcement-learning experiments:
//
//   y = LN_1(x + Mixer(x)),   out = LN_2(y + W_down gelu(W_up y + b_up) + b_down)
//
// With d = 512 and an MLP of 4 d the block has 3,152,384 parameters, and 512 more with an Aaren, for any number of
// heads (paper, §4.5).

#include <torch/arg.h>
#include <torch/nn/cloneable.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/paper/nn/mixer_kind.h"
#include "model/paper/nn/recomputed_mixer.h"

namespace aaren::nn {

/// Options for the `Block` module.
struct BlockOptions {
  BlockOptions(const MixerOptions& mixer) : mixer_(mixer), mlp_width_(4 * mixer.width()) {}  // NOLINT: implicit
  /// The mixer, and with the mixer the width d of tokens.
  TORCH_ARG(MixerOptions, mixer);
  /// The width of the MLP inside, 4 d in the paper.
  TORCH_ARG(int64_t, mlp_width);
  /// Normalise the input of each branch, x + Mixer(LN_1(x)), instead of each sum.
  TORCH_ARG(bool, norm_first) = false;
};

class BlockImpl : public torch::nn::Cloneable<BlockImpl> {
 public:
  /// Throws c10::Error where MakeBlock returns InvalidArgument.
  explicit BlockImpl(const BlockOptions& options);
  void reset() override;

  /// x [B, N, d] -> [B, N, d]; output k depends on tokens 0 .. k only. Errors are the mixer's (mixer.h).
  absl::StatusOr<torch::Tensor> forward(const torch::Tensor& x);
  /// The state of `batch` >= 1 sequences before their first token: the state of the mixer.
  MixerState Start(int64_t batch) const;
  /// Folds one token of each sequence: x [B, d] -> [B, d]. Errors are the mixer's and leave the state unchanged.
  absl::StatusOr<torch::Tensor> Step(MixerState& state, const torch::Tensor& x);

  /// The output [B, d] at `position`, from the input x at `position` and all earlier inputs (recomputed_mixer.h).
  /// REQUIRES: the mixer's kind is kRecomputed.
  torch::Tensor Recompute(const torch::Tensor& x, int64_t position, InputReader earlier, int64_t& folds);

  /// The options of this module.
  BlockOptions options;
  /// LN_1 and LN_2.
  torch::nn::LayerNorm norm1{nullptr}, norm2{nullptr};
  Mixer mixer;
  /// W_up [mlp_width, d] and W_down [d, mlp_width] with their biases.
  torch::nn::Linear up{nullptr}, down{nullptr};

 private:
  /// The mixer's input for x.
  torch::Tensor MixerInput(const torch::Tensor& x);
  /// The block's output from its input and the mixer's output.
  torch::Tensor Finish(const torch::Tensor& x, const torch::Tensor& mixed);
};
TORCH_MODULE(Block);

/// InvalidArgument if heads do not divide the width or mlp_width < 1.
absl::Status RequireBlock(const BlockOptions& options);

/// Makes a block. InvalidArgument as from RequireBlock.
absl::StatusOr<Block> MakeBlock(const BlockOptions& options);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_PAPER_NN_BLOCK_H_
