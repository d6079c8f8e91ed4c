#include "model/nn/encoder/seq2seq.h"

#include <torch/torch.h>

namespace aaren::nn {

void DecoderLayerImpl::reset() {
  attention = register_module("attention", MultiHeadAttention(options));
  cross = register_module("cross", MultiHeadAttention(EncoderOptions(options).aaren(false)));
  norm1 = register_module("norm1", LayerNormOf(options));
  norm2 = register_module("norm2", LayerNormOf(options));
  dropout = register_module("dropout", torch::nn::Dropout(options.dropout()));
  mlp = register_module("mlp", FeedForward(options));
}

torch::Tensor DecoderLayerImpl::forward(const torch::Tensor& x, const torch::Tensor& memory) {
  const torch::Tensor y = norm1(x + dropout(attention(x)));
  return mlp(norm2(y + dropout(cross->Over(y, memory))));
}

void Seq2SeqImpl::reset() {
  const EncoderOptions sizes = options.encoder();
  WindowEmbeddingOptions window = {.channels = options.channels,
                                   .width = options.width,
                                   .clock_numbers = options.clock_numbers,
                                   .causal = options.causal_embedding,
                                   .dropout = sizes.dropout()};
  encoder_embedding = register_module("encoder_embedding", WindowEmbedding(window));
  window.causal = false;
  decoder_embedding = register_module("decoder_embedding", WindowEmbedding(window));
  encoder = register_module("encoder", Encoder(sizes, options.layers));
  decoder = register_module("decoder", DecoderLayer(sizes));
  norm = register_module("norm", LayerNormOf(sizes));
  output = register_module("output", torch::nn::Linear(options.width, options.channels));
}

torch::Tensor Seq2SeqImpl::forward(const torch::Tensor& x, const torch::Tensor& clock,
                                   const torch::Tensor& decoder_clock) {
  constexpr double kLeastVariance = 1e-5;
  const torch::Tensor mean = x.mean(1, /*keepdim=*/true);
  const torch::Tensor deviation = ((x - mean).square().mean(1, /*keepdim=*/true) + kLeastVariance).sqrt();
  const torch::Tensor scaled = (x - mean) / deviation;
  const torch::Tensor memory = encoder(encoder_embedding(scaled, clock));
  const torch::Tensor known = scaled.narrow(1, x.size(1) - options.label_steps, options.label_steps);
  const torch::Tensor unknown = torch::zeros({x.size(0), options.horizon, options.channels}, x.options());
  const torch::Tensor tokens = decoder(decoder_embedding(torch::cat({known, unknown}, 1), decoder_clock), memory);
  return output(norm(tokens.narrow(1, options.label_steps, options.horizon))) * deviation + mean;
}

}  // namespace aaren::nn
