#ifndef AAREN_MODEL_NN_ENCODER_ENCODER_H_
#define AAREN_MODEL_NN_ENCODER_ENCODER_H_

// Encoders as in the code bases of the paper's experiments: layers with a LayerNorm after each sum and with dropout.
//
//   x = LN_1(x + Dropout(Attention(x))),   x = LN_2(x + MLP(x)),
//   MLP(x) = Dropout(W_down Dropout(gelu(W_up x + b_up)) + b_down)
//
// Without dropout a layer with an MLP of 4 d is the Block of nn/block.h.

#include <torch/nn/cloneable.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "model/nn/encoder/multi_head_attention.h"

namespace aaren::nn {

/// The MLP above, with the sum and the LayerNorm behind.
class FeedForwardImpl : public torch::nn::Cloneable<FeedForwardImpl> {
 public:
  explicit FeedForwardImpl(const EncoderOptions& options) : options(options) { reset(); }
  void reset() override;
  /// x [.., d] -> [.., d].
  torch::Tensor forward(const torch::Tensor& x);

  EncoderOptions options;
  torch::nn::Linear up{nullptr}, down{nullptr};
  torch::nn::LayerNorm norm{nullptr};
  torch::nn::Dropout dropout{nullptr};
};
TORCH_MODULE(FeedForward);

class EncoderLayerImpl : public torch::nn::Cloneable<EncoderLayerImpl> {
 public:
  explicit EncoderLayerImpl(const EncoderOptions& options) : options(options) { reset(); }
  void reset() override;
  /// x [B, N, d] -> [B, N, d]; output k depends on tokens 0 .. k only.
  torch::Tensor forward(const torch::Tensor& x);
  /// Folds one token of each sequence: x [B, d] -> [B, d], without dropout. REQUIRES: options.aaren.
  torch::Tensor Step(attention::AttentionState& state, const torch::Tensor& x);

  EncoderOptions options;
  MultiHeadAttention attention{nullptr};
  torch::nn::LayerNorm norm{nullptr};
  torch::nn::Dropout dropout{nullptr};
  FeedForward mlp{nullptr};
};
TORCH_MODULE(EncoderLayer);

/// L layers and a last LayerNorm.
class EncoderImpl : public torch::nn::Cloneable<EncoderImpl> {
 public:
  EncoderImpl(const EncoderOptions& options, int64_t layers) : options(options), count(layers) { reset(); }
  void reset() override;
  /// x [B, N, d] -> [B, N, d]; output k depends on tokens 0 .. k only.
  torch::Tensor forward(torch::Tensor x);
  /// The states of the layers before the first token of `batch` sequences, bottom first.
  std::vector<attention::AttentionState> Start(int64_t batch) const;
  /// Folds one token of each sequence: x [B, d] -> [B, d], without dropout. REQUIRES: options.aaren.
  torch::Tensor Step(std::vector<attention::AttentionState>& states, torch::Tensor x);

  EncoderOptions options;
  int64_t count;
  torch::nn::ModuleList layers{nullptr};
  torch::nn::LayerNorm norm{nullptr};
};
TORCH_MODULE(Encoder);

/// A LayerNorm over the width and with the epsilon of `options`.
torch::nn::LayerNorm LayerNormOf(const EncoderOptions& options);

/// Sines in even and cosines in odd places of `width`, for `values` [*] -> [*, width]: component i turns by
/// value / 10000^(2 floor(i / 2) / width).
torch::Tensor SinusoidalCode(const torch::Tensor& values, int64_t width);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_NN_ENCODER_ENCODER_H_
