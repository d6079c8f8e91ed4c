#ifndef AAREN_MODEL_NN_ENCODER_STREAMED_ENCODER_H_
#define AAREN_MODEL_NN_ENCODER_STREAMED_ENCODER_H_

// An encoder fed one step at a time. With an Aaren and a causal embedding the encoder's output at step t needs no more
// than a state of constant size and the values of step t.

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "model/nn/encoder/encoder.h"
#include "model/nn/encoder/window_embedding.h"

namespace aaren::nn {

/// All that a streamed encoder remembers of B series: a size that does not grow.
struct EncoderState {
  int64_t position = 0;                           // steps so far
  torch::Tensor recent;                           // the values of the last two steps, [B, 2, V]
  std::vector<attention::AttentionState> layers;  // bottom first
};

/// The state of `batch` series before their first step.
EncoderState StartEncoder(WindowEmbedding& embedding, Encoder& encoder, int64_t batch);

/// Folds one step of each series, x [B, V] with its clock [B, K] where the embedding has one. Returns the encoder's
/// output at that step, [B, d], without dropout. Records no gradient. FailedPrecondition unless the mixer is an Aaren
/// and the embedding causal; an error leaves the state unchanged.
absl::StatusOr<torch::Tensor> StepEncoder(WindowEmbedding& embedding, Encoder& encoder, EncoderState& state,
                                          const torch::Tensor& x, const torch::Tensor& clock = {});

}  // namespace aaren::nn

#endif  // AAREN_MODEL_NN_ENCODER_STREAMED_ENCODER_H_
