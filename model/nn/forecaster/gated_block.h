#ifndef AAREN_MODEL_NN_FORECASTER_GATED_BLOCK_H_
#define AAREN_MODEL_NN_FORECASTER_GATED_BLOCK_H_

// The forecaster's block: RMSNorm, the gated MLP, and the pre-norm block that joins both to an Aaren layer.

#include <torch/nn/cloneable.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <cstdint>

#include "model/nn/mixer/aaren.h"

namespace aaren::nn {

/// x / sqrt(mean(x^2) + 1e-6) * weight over the last dimension.
class RmsNormImpl : public torch::nn::Cloneable<RmsNormImpl> {
 public:
  explicit RmsNormImpl(int64_t width) : width(width) { reset(); }
  void reset() override;
  torch::Tensor forward(const torch::Tensor& x);

  int64_t width;
  /// The learned gain, [width], starting at ones.
  torch::Tensor weight;
};
TORCH_MODULE(RmsNorm);

/// W_down(silu(W_gate x) * (W_up x)), without biases.
class GatedMlpImpl : public torch::nn::Cloneable<GatedMlpImpl> {
 public:
  GatedMlpImpl(int64_t inputs, int64_t hidden, int64_t outputs);
  void reset() override;
  torch::Tensor forward(const torch::Tensor& x);

  int64_t inputs, hidden, outputs;
  /// [hidden, inputs] twice and [outputs, hidden].
  torch::nn::Linear gate{nullptr}, up{nullptr}, down{nullptr};
};
TORCH_MODULE(GatedMlp);

/// x + Aaren(RMSNorm(x)), then x + MLP(RMSNorm(x)). Both branches start at zero output, so a new stack is the identity.
class GatedBlockImpl : public torch::nn::Cloneable<GatedBlockImpl> {
 public:
  GatedBlockImpl(const AarenOptions& attention_options, int64_t mlp_hidden);
  void reset() override;
  /// x [B, N, d] at positions [N] -> [B, N, d].
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& positions);

  AarenOptions attention_options;
  int64_t mlp_hidden;
  RmsNorm norm1{nullptr}, norm2{nullptr};
  Aaren attention{nullptr};
  GatedMlp mlp{nullptr};
};
TORCH_MODULE(GatedBlock);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_NN_FORECASTER_GATED_BLOCK_H_
