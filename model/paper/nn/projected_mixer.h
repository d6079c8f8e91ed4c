#ifndef AAREN_MODEL_PAPER_NN_PROJECTED_MIXER_H_
#define AAREN_MODEL_PAPER_NN_PROJECTED_MIXER_H_

// The common part of the mixers in which every token has a query: W_q, W_k, W_v and W_o with their biases, 4 (d^2 + d)
// parameters, and heads of d_h = d / H numbers each.

#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include <cstdint>

#include "model/paper/nn/mixer_kind.h"

namespace aaren::nn {

class ProjectedMixerImpl : public MixerImpl {
 public:
  /// Throws c10::Error if heads do not divide the width; MakeMixer checks the heads.
  explicit ProjectedMixerImpl(const MixerOptions& options);

  /// The options of this module.
  MixerOptions options;
  /// W_q, W_k, W_v and W_o with their biases, [d, d] and [d] each.
  torch::nn::Linear query{nullptr}, key{nullptr}, value{nullptr}, output{nullptr};

 protected:
  const torch::Tensor& InputWeight() const override { return value->weight; }

  int64_t head_width() const { return options.width() / options.heads(); }
  /// [B, d] -> [B, H, d_h], or [B, N, d] -> [B, H, N, d_h].
  torch::Tensor SplitHeads(const torch::Tensor& x) const;
  /// W_o applied to the heads' outputs: [B, H, d_h] -> [B, d], or [B, H, N, d_h] -> [B, N, d].
  torch::Tensor JoinHeads(const torch::Tensor& x);
};

}  // namespace aaren::nn

#endif  // AAREN_MODEL_PAPER_NN_PROJECTED_MIXER_H_
