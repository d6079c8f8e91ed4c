#include "model/nn/encoder/classifier.h"

#include <torch/torch.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace aaren::nn {

void ClassifierImpl::reset() {
  const EncoderOptions sizes = options.encoder();
  embedding = register_module("embedding", WindowEmbedding(WindowEmbeddingOptions{.channels = options.channels,
                                                                                  .width = sizes.width(),
                                                                                  .causal = options.causal_embedding,
                                                                                  .dropout = sizes.dropout()}));
  encoder = register_module("encoder", Encoder(sizes, options.layers));
  dropout = register_module("dropout", torch::nn::Dropout(sizes.dropout()));
  head = register_module("head", torch::nn::Linear(options.steps * sizes.width(), options.classes));
}

torch::Tensor ClassifierImpl::forward(const torch::Tensor& x, const torch::Tensor& lengths) {
  const torch::Tensor steps = torch::arange(options.steps, lengths.options());
  const torch::Tensor counts = steps.unsqueeze(0).lt(lengths.unsqueeze(1)).unsqueeze(2).to(x.scalar_type());
  const torch::Tensor tokens = encoder(embedding(x * counts));
  return head((dropout(torch::gelu(tokens)) * counts).flatten(1));
}

ClassifierState ClassifierImpl::Start(int64_t batch) const {
  const torch::TensorOptions like = head->weight.options();
  return {.position = 0,
          .recent = torch::zeros({batch, 2, options.channels}, like),
          .layers = encoder->Start(batch),
          .logits = head->bias.detach().expand({batch, -1}).clone()};
}

absl::StatusOr<torch::Tensor> ClassifierImpl::Step(ClassifierState& state, const torch::Tensor& x) {
  if (!options.aaren || !options.causal_embedding) {
    return absl::FailedPreconditionError("only an Aaren with a causal embedding can be streamed");
  }
  if (state.position >= options.steps) {
    return absl::OutOfRangeError(absl::StrCat("the series has ", options.steps, " steps, and all were given"));
  }
  torch::NoGradGuard no_grad;
  const torch::Tensor window = torch::cat({state.recent, x.unsqueeze(1)}, 1);
  const torch::Tensor token = encoder->Step(state.layers, embedding->Step(window, state.position));
  const int64_t width = options.encoder().width();
  const torch::Tensor weight = head->weight.narrow(1, state.position * width, width);
  state.logits = state.logits + torch::linear(torch::gelu(token), weight);
  state.recent = window.narrow(1, 1, 2);
  ++state.position;
  return torch::softmax(state.logits, -1);
}

}  // namespace aaren::nn
