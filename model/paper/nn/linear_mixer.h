#ifndef AAREN_MODEL_PAPER_NN_LINEAR_MIXER_H_
#define AAREN_MODEL_PAPER_NN_LINEAR_MIXER_H_

// Causal linear attention as a layer (model/paper/attention/linear/linear.h). Queries depend on their tokens, as in the
// Transformer. The state has constant size, d_h (d_h + 1) numbers per head, but the weights are no softmax. A token
// costs O(d d_h) time.

#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <memory>

#include "model/paper/nn/projected_mixer.h"

namespace aaren::nn {

class LinearMixerImpl : public ProjectedMixerImpl {
 public:
  using ProjectedMixerImpl::ProjectedMixerImpl;

  /// S [B, H, d_h, d_h] and Z [B, H, d_h].
  MixerState Start(int64_t batch) const override;

 protected:
  std::vector<std::vector<int64_t>> StateSizes() const override {
    return {{options.heads(), head_width(), head_width()}, {options.heads(), head_width()}};
  }
  absl::StatusOr<torch::Tensor> Mix(const torch::Tensor& x) override;
  torch::Tensor Advance(MixerState& state, const torch::Tensor& x) override;
  Mixer Another() const override { return std::make_shared<LinearMixerImpl>(options); }
};
TORCH_MODULE(LinearMixer);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_PAPER_NN_LINEAR_MIXER_H_
