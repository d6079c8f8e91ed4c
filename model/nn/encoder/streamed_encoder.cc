#include "model/nn/encoder/streamed_encoder.h"

#include <torch/torch.h>

#include "absl/status/status.h"

namespace aaren::nn {

EncoderState StartEncoder(WindowEmbedding& embedding, Encoder& encoder, int64_t batch) {
  return {.position = 0,
          .recent = torch::zeros({batch, 2, embedding->options.channels}, embedding->window.options()).detach(),
          .layers = encoder->Start(batch)};
}

absl::StatusOr<torch::Tensor> StepEncoder(WindowEmbedding& embedding, Encoder& encoder, EncoderState& state,
                                          const torch::Tensor& x, const torch::Tensor& clock) {
  if (!encoder->options.aaren() || !embedding->options.causal) {
    return absl::FailedPreconditionError("only an Aaren with a causal embedding can be streamed");
  }
  torch::NoGradGuard no_grad;
  const torch::Tensor window = torch::cat({state.recent, x.unsqueeze(1)}, 1);
  const torch::Tensor token = encoder->Step(state.layers, embedding->Step(window, state.position, clock));
  state.recent = window.narrow(1, 1, 2);
  ++state.position;
  return token;
}

}  // namespace aaren::nn
