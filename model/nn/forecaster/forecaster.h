#ifndef AAREN_MODEL_NN_FORECASTER_FORECASTER_H_
#define AAREN_MODEL_NN_FORECASTER_FORECASTER_H_

// The streaming forecaster of model/README.md over whole crops. Training differentiates this module, and the engine is
// tested against the module (in float64).

#include <torch/nn/cloneable.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <vector>

#include "model/nn/forecaster/encode.h"
#include "model/nn/forecaster/gated_block.h"
#include "model/package/config.h"

namespace aaren::nn {

/// The attention of one block for this config: plain heads with forgetting rates 1/2000 .. 1/24, then rotary heads with
/// rates 1/2000 .. 1/300 over a bank of calendar periods.
AarenOptions AttentionOptions(const package::ForecasterConfig& config);

class ForecasterImpl : public torch::nn::Cloneable<ForecasterImpl> {
 public:
  explicit ForecasterImpl(const package::ForecasterConfig& config);
  void reset() override;

  /// Quantiles [B, K, T, Q] on the normalised scale, ascending in Q. The tokens come from Encode, at ascending
  /// positions, and each token folds. Moves the tokens to the module's device.
  torch::Tensor forward(const Encoding& encoding, const std::vector<int64_t>& positions);

  /// The parts of the quantiles: the read-out [B, K, T, Q], and `skip` [B, K, T]. The middle level of the read-out is
  /// the median less `skip`; softplus of the other levels gives the gaps between quantiles.
  struct Readout {
    torch::Tensor readout, skip;
  };
  Readout Read(const Encoding& encoding, const std::vector<int64_t>& positions);

  /// Encodes, forecasts, and returns to the scale of the values: values float64 [B, N] -> float64 [B, K, T, Q]. The
  /// result is on the CPU, whatever the module's device.
  torch::Tensor Forecast(const torch::Tensor& values, const std::vector<int64_t>& positions);

  package::ForecasterConfig config;
  /// x = embed_linear(u) + embed_mlp(u).
  torch::nn::Linear embed_linear{nullptr};
  GatedMlp embed_mlp{nullptr};
  torch::nn::ModuleList blocks{nullptr};
  RmsNorm norm{nullptr};
  /// Read-out [T * Q, d] and the linear way around the blocks [T, U].
  torch::nn::Linear head{nullptr}, skip{nullptr};

  /// Only with config.seasons (model/README.md, "Seasonal inputs"): the logits of the mixture, knot by knot [5 k, d],
  /// and the contributions K_s [T, 24] of a source's residuals.
  torch::nn::Linear season_gate{nullptr};
  torch::nn::ModuleList season_residuals{nullptr};
  /// [k, T]: the weight of each knot at each step, not learned.
  torch::Tensor season_interpolation;

 private:
  void ResetSeasons();
  /// The mixture of the skip with the sources, [B, K, T]. y [B, K, d] is the head's input.
  torch::Tensor MixSources(const torch::Tensor& y, const torch::Tensor& skipped, const Encoding& encoding);
};
TORCH_MODULE(Forecaster);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_NN_FORECASTER_FORECASTER_H_
