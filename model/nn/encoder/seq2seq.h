#ifndef AAREN_MODEL_NN_ENCODER_SEQ2SEQ_H_
#define AAREN_MODEL_NN_ENCODER_SEQ2SEQ_H_

// The forecaster of the paper's experiments: a Transformer of encoder and decoder, causal, with a normalised input.
// Encoder and decoder have the chosen self-attention. The decoder's attention over the encoder is softmax with either,
// because a constant query would give all output steps one vector.
//
//   input     96 steps, each channel less its mean and by its deviation over these steps
//   decoder   the last 48 of the input's steps, and T steps of zeros whose clock is known
//   output    the last T steps, in the scale of the input

#include <torch/nn/cloneable.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <cstdint>

#include "model/nn/encoder/encoder.h"
#include "model/nn/encoder/window_embedding.h"

namespace aaren::nn {

/// Options for the `Seq2Seq` module; the sizes are the paper's.
struct Seq2SeqOptions {
  int64_t channels = 1, clock_numbers = 4;
  int64_t label_steps = 48, horizon = 96;
  bool aaren = true;
  bool causal_embedding = false;  // of the encoder, which then streams (streamed_encoder.h)
  int64_t width = 512, heads = 8, mlp_width = 2048, layers = 2;
  EncoderOptions encoder() const { return EncoderOptions(aaren, width, heads, mlp_width); }
};

/// Self-attention, attention over the encoder's output, and the MLP, with a LayerNorm after each sum.
class DecoderLayerImpl : public torch::nn::Cloneable<DecoderLayerImpl> {
 public:
  explicit DecoderLayerImpl(const EncoderOptions& options) : options(options) { reset(); }
  void reset() override;
  /// x [B, N, d] and memory [B, M, d] -> [B, N, d].
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& memory);

  EncoderOptions options;
  MultiHeadAttention attention{nullptr}, cross{nullptr};
  torch::nn::LayerNorm norm1{nullptr}, norm2{nullptr};
  torch::nn::Dropout dropout{nullptr};
  FeedForward mlp{nullptr};
};
TORCH_MODULE(DecoderLayer);

class Seq2SeqImpl : public torch::nn::Cloneable<Seq2SeqImpl> {
 public:
  explicit Seq2SeqImpl(const Seq2SeqOptions& options) : options(options) { reset(); }
  void reset() override;
  /// Values x [B, 96, V] with their clock [B, 96, K], and the clock [B, 48 + T, K] of the decoder's steps -> [B, T, V].
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& clock, const torch::Tensor& decoder_clock);

  Seq2SeqOptions options;
  WindowEmbedding encoder_embedding{nullptr}, decoder_embedding{nullptr};
  Encoder encoder{nullptr};
  DecoderLayer decoder{nullptr};
  torch::nn::LayerNorm norm{nullptr};
  torch::nn::Linear output{nullptr};
};
TORCH_MODULE(Seq2Seq);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_NN_ENCODER_SEQ2SEQ_H_
