#ifndef AAREN_MODEL_PAPER_NN_PERCEIVER_H_
#define AAREN_MODEL_PAPER_NN_PERCEIVER_H_

// Perceiver-style cross-attention: L learned latents query all N inputs, in R rounds:
//
//   z^(0) = latents,   z^(r) = z^(r-1) + W_o Attention(W_q LN(z^(r-1)), W_k x, W_v x)    per head, scale 1 / sqrt(d_h)
//
// The module sees all N inputs in O(N L), but is no recurrence over the inputs (paper, §3.1). From the second round on
// the queries depend on the inputs through the latents, so a new input changes queries that old inputs have answered.
// The latents must then be recomputed from all inputs, in O(N L) for every token, with all inputs kept. With one round
// the queries are constants like an Aaren's, and folding would suffice. Step recomputes all the same, because the
// module exists to show that cost.

#include <torch/arg.h>
#include <torch/nn/cloneable.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/nn/mixer/mixer.h"

namespace aaren::nn {

/// Options for the `Perceiver` module.
struct PerceiverOptions {
  PerceiverOptions(int64_t width, int64_t heads, int64_t latents) : width_(width), heads_(heads), latents_(latents) {}
  /// d, the width of inputs and latents.
  TORCH_ARG(int64_t, width);
  /// H; divides width.
  TORCH_ARG(int64_t, heads);
  /// L >= 1.
  TORCH_ARG(int64_t, latents);
  /// R >= 1. All rounds use the same weights.
  TORCH_ARG(int64_t, rounds) = 2;
};

class PerceiverImpl : public torch::nn::Cloneable<PerceiverImpl> {
 public:
  /// Throws c10::Error where MakePerceiver returns InvalidArgument.
  explicit PerceiverImpl(const PerceiverOptions& options);
  void reset() override;

  /// The latents [B, L, d] after the inputs x [B, N, d], N >= 1. Differentiable. InvalidArgument if x has no inputs, or
  /// another width, dtype or device than the weights.
  absl::StatusOr<torch::Tensor> forward(const torch::Tensor& x);
  /// The state of `batch` >= 1 sequences before their first input: the inputs themselves, [B, capacity, d].
  MixerState Start(int64_t batch) const;
  /// The latents [B, L, d] after one more input of each sequence, x [B, d], computed from all inputs again. `folds`
  /// counts each input once per latent and round. Records no gradient. InvalidArgument as from forward, or if B differs
  /// from the state's; the state is then unchanged.
  absl::StatusOr<torch::Tensor> Step(MixerState& state, const torch::Tensor& x);

  /// The options of this module.
  PerceiverOptions options;
  /// The latents before the first round, [L, d].
  torch::Tensor latents;
  /// LN.
  torch::nn::LayerNorm norm{nullptr};
  /// W_q, W_k, W_v and W_o with their biases.
  torch::nn::Linear query{nullptr}, key{nullptr}, value{nullptr}, output{nullptr};

 private:
  /// [B, N, d] -> [B, H, N, d_h].
  torch::Tensor SplitHeads(const torch::Tensor& x) const;
  torch::Tensor Attend(const torch::Tensor& x);
};
TORCH_MODULE(Perceiver);

/// Makes a Perceiver. InvalidArgument if heads do not divide the width, or latents or rounds are less than 1.
absl::StatusOr<Perceiver> MakePerceiver(const PerceiverOptions& options);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_PAPER_NN_PERCEIVER_H_
