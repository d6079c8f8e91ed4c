#ifndef AAREN_MODEL_NN_MIXER_AAREN_H_
#define AAREN_MODEL_NN_MIXER_AAREN_H_

// The Aaren layer: multi-head attention whose query is a learned constant. So token k's output needs only the (a, c, m)
// of earlier tokens (paper, §3.3). The learned token q passes through W_q like any token.
//
// Four switchable additions go beyond the paper. With forgetting, scores fall by decay * elapsed. With rotary values,
// value pairs are averaged in a frame that turns with time, so the state holds Fourier coefficients and the output is
// relative to the present. The last two are an output gate, and values wider than the tokens.

#include <torch/arg.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "model/nn/mixer/mixer.h"

namespace aaren::nn {

/// Options for the `Aaren` module. With width and heads alone the module is the paper's layer.
struct AarenOptions {
  AarenOptions(int64_t width, int64_t heads) : width_(width), heads_(heads), value_width_(width) {}
  /// d, the width of tokens and of the query.
  TORCH_ARG(int64_t, width);
  /// H; divides width and value_width.
  TORCH_ARG(int64_t, heads);
  /// V, the width of the values of all heads together.
  TORCH_ARG(int64_t, value_width);
  /// Initial forgetting rates, [H], each > 0, in 1 / tokens; the rates are learned. Empty: nothing is forgotten.
  TORCH_ARG(std::vector<double>, decay) = {};
  /// Angular rates [V / 2] of the value pairs, in radians per token, 0 for a plain pair; not learned. Empty: all plain.
  TORCH_ARG(std::vector<double>, rates) = {};
  /// Multiply the averages by 2 sigmoid(W_g x + b_g).
  TORCH_ARG(bool, gate) = false;
};

/// InvalidArgument if the sizes do not fit together or a forgetting rate is not above 0. The error names both values.
absl::Status RequireAaren(const AarenOptions& options);

class AarenImpl : public MixerImpl {
 public:
  /// Throws c10::Error where RequireAaren returns InvalidArgument.
  explicit AarenImpl(const AarenOptions& options);

  /// Computes forward for tokens at any distances: x [B, N, d] at ascending positions [N] (in tokens) -> [B, N, d].
  /// Output k depends on tokens 0 .. k only. Throws c10::Error if the shapes do not agree.
  torch::Tensor ForwardAt(const torch::Tensor& x, const torch::Tensor& positions);

  /// m and c [B, H], a [B, H, V / H]: V + 2 H numbers per sequence.
  MixerState Start(int64_t batch) const override;

  /// r [H, d]: r_h = W_k,h^T q_h / sqrt(d_h), with q_h head h of W_q q + b_q. <r_h, x> is the score up to one constant
  /// per head. Softmax cancels the constant, so keys are never computed.
  torch::Tensor FoldedQuery() const;
  /// Scores [B, N, H] as written in the paper, with keys and the key bias. For tests.
  torch::Tensor UnfoldedScore(const torch::Tensor& x);
  /// Forgetting rates [H]; zeros without forgetting.
  torch::Tensor Decay() const;

  /// The options of this module.
  AarenOptions options;
  /// The learned token q, [d].
  torch::Tensor query;
  /// The logarithms of the forgetting rates, [H]; undefined without forgetting.
  torch::Tensor log_decay;
  /// Angular rates [V / 2], float64, not learned.
  torch::Tensor rates;
  /// W_q, W_k, W_v, W_g (empty without a gate) and W_o with their biases.
  torch::nn::Linear query_projection{nullptr}, key{nullptr}, value{nullptr}, gate{nullptr}, output{nullptr};

 protected:
  std::vector<std::vector<int64_t>> StateSizes() const override;
  const torch::Tensor& InputWeight() const override { return value->weight; }
  absl::StatusOr<torch::Tensor> Mix(const torch::Tensor& x) override;
  torch::Tensor Advance(MixerState& state, const torch::Tensor& x) override;
  Mixer Another() const override { return std::make_shared<AarenImpl>(options); }

 private:
  absl::StatusOr<torch::Tensor> MixAt(const torch::Tensor& x, const torch::Tensor& positions);
  /// Gates the averages [.., V] of tokens x [.., d], then projects the averages.
  torch::Tensor Project(const torch::Tensor& averages, const torch::Tensor& x);
};
TORCH_MODULE(Aaren);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_NN_MIXER_AAREN_H_
