#ifndef AAREN_MODEL_PAPER_NN_SOFTMAX_MIXER_H_
#define AAREN_MODEL_PAPER_NN_SOFTMAX_MIXER_H_

// Causal softmax self-attention, the Transformer's. Every token has its own query, so every key and value must be kept
// for later tokens (paper, §4.5):
//
//   o_i = sum_{j <= i} softmax_j(q_i . k_j / sqrt(d_h)) v_j    per head, then W_o
//
// A token costs O(i) time; a state of i tokens has 2 d i numbers.

#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <memory>

#include "model/paper/nn/projected_mixer.h"

namespace aaren::nn {

class SoftmaxMixerImpl : public ProjectedMixerImpl {
 public:
  using ProjectedMixerImpl::ProjectedMixerImpl;

  /// Keys and values, [B, H, capacity, d_h] each (token_buffer.h).
  MixerState Start(int64_t batch) const override;

 protected:
  std::vector<std::vector<int64_t>> StateSizes() const override {
    return {{options.heads(), -1, head_width()}, {options.heads(), -1, head_width()}};
  }
  absl::StatusOr<torch::Tensor> Mix(const torch::Tensor& x) override;
  torch::Tensor Advance(MixerState& state, const torch::Tensor& x) override;
  Mixer Another() const override { return std::make_shared<SoftmaxMixerImpl>(options); }
};
TORCH_MODULE(SoftmaxMixer);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_PAPER_NN_SOFTMAX_MIXER_H_
