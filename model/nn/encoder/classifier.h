#ifndef AAREN_MODEL_NN_ENCODER_CLASSIFIER_H_
#define AAREN_MODEL_NN_ENCODER_CLASSIFIER_H_

// The classifier of series of the paper's experiments: an embedding of windows, an encoder, and a head that reads the
// encoder's output at every step:
//
//   logits = b + sum_t W_t gelu(h_t),   over the steps of the case; padding adds nothing
//
// So the logits of a series cut after step t are a running sum. With an Aaren and a causal embedding the classifier
// streams: a state of constant size, and class probabilities after every token.

#include <torch/nn/cloneable.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <cstdint>

#include "absl/status/statusor.h"
#include "model/nn/encoder/encoder.h"
#include "model/nn/encoder/streamed_encoder.h"
#include "model/nn/encoder/window_embedding.h"

namespace aaren::nn {

/// Options for the `Classifier` module; sizes beyond the data's are the paper's.
struct ClassifierOptions {
  int64_t channels = 1, steps = 1, classes = 2;  // V, N, C
  bool aaren = true;
  bool causal_embedding = false;
  int64_t layers = 3;
  EncoderOptions encoder() const { return EncoderOptions(aaren, /*width=*/128, /*heads=*/8, /*mlp_width=*/256); }
};

/// All that a streamed classifier remembers of B series: a size that does not grow.
struct ClassifierState {
  EncoderState encoder;
  torch::Tensor logits;  // [B, C]
};

class ClassifierImpl : public torch::nn::Cloneable<ClassifierImpl> {
 public:
  explicit ClassifierImpl(const ClassifierOptions& options) : options(options) { reset(); }
  void reset() override;
  /// Logits [B, C] of series x [B, N, V], of which the first lengths [B] steps count. Steps beyond are taken for zeros.
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& lengths);

  /// The state of `batch` series before their first token.
  ClassifierState Start(int64_t batch);
  /// Folds one token of each series, x [B, V]. Returns the probabilities of the classes, [B, C]. Records no gradient.
  /// FailedPrecondition unless the mixer is an Aaren and the embedding causal; OutOfRange after N tokens. An error
  /// leaves the state unchanged.
  absl::StatusOr<torch::Tensor> Step(ClassifierState& state, const torch::Tensor& x);

  ClassifierOptions options;
  WindowEmbedding embedding{nullptr};
  Encoder encoder{nullptr};
  torch::nn::Dropout dropout{nullptr};
  /// From N * d numbers to the classes.
  torch::nn::Linear head{nullptr};
};
TORCH_MODULE(Classifier);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_NN_ENCODER_CLASSIFIER_H_
