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

ClassifierState ClassifierImpl::Start(int64_t batch) {
  return {.encoder = StartEncoder(embedding, encoder, batch),
          .logits = head->bias.detach().expand({batch, -1}).clone()};
}

absl::StatusOr<torch::Tensor> ClassifierImpl::Step(ClassifierState& state, const torch::Tensor& x) {
  const int64_t position = state.encoder.position, width = options.encoder().width();
  if (position >= options.steps) {
    return absl::OutOfRangeError(absl::StrCat("the series has ", options.steps, " steps, and all were given"));
  }
  const absl::StatusOr<torch::Tensor> token = StepEncoder(embedding, encoder, state.encoder, x);
  if (!token.ok()) return token.status();
  torch::NoGradGuard no_grad;
  state.logits = state.logits + torch::linear(torch::gelu(*token), head->weight.narrow(1, position * width, width));
  return torch::softmax(state.logits, -1);
}

}  // namespace aaren::nn
