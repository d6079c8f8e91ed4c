#ifndef AAREN_MODEL_NN_ENCODER_WINDOW_EMBEDDING_H_
#define AAREN_MODEL_NN_ENCODER_WINDOW_EMBEDDING_H_

// The embedding of series of Time-Series-Library, which the paper's forecasting and classification use: a convolution
// over three neighbouring steps, plus a fixed code of the position, plus a linear map of the clock where there is one.
//
// In the library the window of step t is t - 1 .. t + 1 and runs in a circle, so the first step sees the last. A
// causal window is t - 2 .. t, with zeros before the first step. Only a causal embedding can be streamed.

#include <torch/nn/cloneable.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <cstdint>

namespace aaren::nn {

/// Options for the `WindowEmbedding` module.
struct WindowEmbeddingOptions {
  int64_t channels = 1;       // V
  int64_t width = 512;        // d
  int64_t clock_numbers = 0;  // K
  bool causal = false;
  double dropout = 0.1;
};

class WindowEmbeddingImpl : public torch::nn::Cloneable<WindowEmbeddingImpl> {
 public:
  explicit WindowEmbeddingImpl(const WindowEmbeddingOptions& options) : options(options) { reset(); }
  void reset() override;
  /// x [B, N, V] -> [B, N, d]. With K > 0 `clock` is [B, N, K].
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& clock = {});
  /// The embedding [B, d] of the last of three steps, `steps` [B, 3, V], at `position`, without dropout. With K > 0
  /// `clock` is [B, K]. REQUIRES: causal.
  torch::Tensor Step(const torch::Tensor& steps, int64_t position, const torch::Tensor& clock = {});

  WindowEmbeddingOptions options;
  /// The convolution's weights, [d, V, 3].
  torch::Tensor window;
  torch::nn::Linear clock_map{nullptr};
  torch::nn::Dropout dropout{nullptr};
};
TORCH_MODULE(WindowEmbedding);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_NN_ENCODER_WINDOW_EMBEDDING_H_
