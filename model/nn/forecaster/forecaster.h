#ifndef AAREN_MODEL_NN_FORECASTER_FORECASTER_H_
#define AAREN_MODEL_NN_FORECASTER_FORECASTER_H_

// The streaming forecaster of model/README.md over whole crops: what training differentiates and what the engine is
// tested against (in float64).

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

/// The attention of one block of this shape: plain heads with forgetting rates 1/2000 .. 1/24, then rotary heads with
/// rates 1/2000 .. 1/300 over a bank of calendar periods.
AarenOptions AttentionOptions(const package::ForecasterConfig& config);

class ForecasterImpl : public torch::nn::Cloneable<ForecasterImpl> {
 public:
  explicit ForecasterImpl(const package::ForecasterConfig& config);
  void reset() override;

  /// Tokens at ascending positions as Encode makes them, each of which folds -> quantiles [B, K, T, Q] on the
  /// normalised scale, ascending in Q. Takes them to the device where the module is.
  torch::Tensor forward(const Encoding& encoding, const std::vector<int64_t>& positions);

  /// What the quantiles are made of: the read-out [B, K, T, Q], and `skip` [B, K, T]. The middle of the read-out is the
  /// median less `skip`; the gaps between quantiles are softplus of the others.
  struct Readout {
    torch::Tensor readout, skip;
  };
  Readout Read(const Encoding& encoding, const std::vector<int64_t>& positions);

  /// Encode, forward, and back to the scale of the values: values float64 [B, N] -> float64 [B, K, T, Q], on the CPU
  /// wherever the module is.
  torch::Tensor Forecast(const torch::Tensor& values, const std::vector<int64_t>& positions);

  package::ForecasterConfig config;
  /// x = embed_linear(u) + embed_mlp(u).
  torch::nn::Linear embed_linear{nullptr};
  GatedMlp embed_mlp{nullptr};
  torch::nn::ModuleList blocks{nullptr};
  RmsNorm norm{nullptr};
  /// Read-out [T * Q, d] and the linear way around the blocks [T, U].
  torch::nn::Linear head{nullptr}, skip{nullptr};

  /// With config.seasons (model/README.md, "Seasonal inputs"; else empty): the logits of the mixture, knot by knot [5
  /// k, d], and what a source's residuals add to it, K_s [T, 24].
  torch::nn::Linear season_gate{nullptr};
  torch::nn::ModuleList season_residuals{nullptr};
  /// [k, T]: what each knot's weights count at each step, not learned.
  torch::Tensor season_interpolation;

 private:
  void ResetSeasons();
  /// The skip mixed with the sources [B, K, T], from what the head reads, y [B, K, d].
  torch::Tensor MixSources(const torch::Tensor& y, const torch::Tensor& skipped, const Encoding& encoding);
};
TORCH_MODULE(Forecaster);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_NN_FORECASTER_FORECASTER_H_
