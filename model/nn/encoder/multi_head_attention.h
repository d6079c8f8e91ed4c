#ifndef AAREN_MODEL_NN_ENCODER_MULTI_HEAD_ATTENTION_H_
#define AAREN_MODEL_NN_ENCODER_MULTI_HEAD_ATTENTION_H_

// The attention of the Transformers that the paper compares with, and the Aaren in its place. Both have W_q, W_k, W_v
// and W_o, and the dropout of the published code bases: on the weights of softmax, and on the averages of an Aaren,
// which has no matrix of weights. The mixers of nn/mixer/ have no dropout and always have biases.

#include <torch/arg.h>
#include <torch/nn/cloneable.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <cstdint>

#include "model/attention/attention_state.h"

namespace aaren::nn {

/// Options for the attentions and layers of an encoder or decoder.
struct EncoderOptions {
  EncoderOptions(bool aaren, int64_t width, int64_t heads, int64_t mlp_width)
      : aaren_(aaren), width_(width), heads_(heads), mlp_width_(mlp_width) {}
  /// Self-attention with a learned constant query, in place of a query from each token.
  TORCH_ARG(bool, aaren);
  /// d, the width of tokens.
  TORCH_ARG(int64_t, width);
  /// H; divides width.
  TORCH_ARG(int64_t, heads);
  /// The width of the MLP inside.
  TORCH_ARG(int64_t, mlp_width);
  /// The share of numbers that training sets to 0, at every dropout.
  TORCH_ARG(double, dropout) = 0.1;
  /// W_q, W_k and W_v have biases.
  TORCH_ARG(bool, input_bias) = true;
  /// The least variance of a LayerNorm.
  TORCH_ARG(double, epsilon) = 1e-5;
};

class MultiHeadAttentionImpl : public torch::nn::Cloneable<MultiHeadAttentionImpl> {
 public:
  explicit MultiHeadAttentionImpl(const EncoderOptions& options) : options(options) { reset(); }
  void reset() override;

  /// Causal self-attention: x [B, N, d] -> [B, N, d]; output k depends on tokens 0 .. k only. Throws c10::Error if the
  /// shapes do not agree.
  torch::Tensor forward(const torch::Tensor& x);
  /// Softmax attention from every token of x [B, N, d] over all of memory [B, M, d]. REQUIRES: not options.aaren.
  torch::Tensor Over(const torch::Tensor& x, const torch::Tensor& memory);

  /// The state of `batch` sequences before their first token: m and c [B, H], a [B, H, d / H].
  attention::AttentionState Start(int64_t batch) const;
  /// Folds one token of each sequence: x [B, d] -> [B, d], without dropout. REQUIRES: options.aaren.
  torch::Tensor Step(attention::AttentionState& state, const torch::Tensor& x);

  EncoderOptions options;
  /// The learned token of an Aaren, [d]; else undefined.
  torch::Tensor token;
  torch::nn::Linear query{nullptr}, key{nullptr}, value{nullptr}, output{nullptr};
  torch::nn::Dropout dropout{nullptr};

 private:
  torch::Tensor Scores(const torch::Tensor& x);
  /// [.., d] -> [.., H, d / H].
  torch::Tensor Split(const torch::Tensor& x) const { return x.unflatten(-1, {options.heads(), -1}); }
  torch::Tensor Softmax(const torch::Tensor& x, const torch::Tensor& memory, bool causal);
};
TORCH_MODULE(MultiHeadAttention);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_NN_ENCODER_MULTI_HEAD_ATTENTION_H_
