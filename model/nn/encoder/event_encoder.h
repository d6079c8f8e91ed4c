#ifndef AAREN_MODEL_NN_ENCODER_EVENT_ENCODER_H_
#define AAREN_MODEL_NN_ENCODER_EVENT_ENCODER_H_

// The forecaster of events of the paper's experiments: a Transformer Hawkes Process with a mixture of log-normal laws.
// A token is a mark's embedding; the code of its interval is added again before every layer. The output at event j
// forecasts the interval and the mark of event j + 1. The forecaster of events that is served is another (event_nn).

#include <torch/nn/cloneable.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <cstdint>

#include "model/nn/encoder/encoder.h"

namespace aaren::nn {

/// A mixture of laws of log-normal intervals; each tensor is [.., 8].
struct LogNormalMixture {
  torch::Tensor log_weight, mean, deviation;  // mean and deviation are of the interval's logarithm

  /// log p and log P(longer) of intervals [..], with 1e-12 added against the logarithm of 0.
  torch::Tensor LogDensity(const torch::Tensor& intervals) const;
  torch::Tensor LogSurvival(const torch::Tensor& intervals) const;
  /// The mixture's mean interval, [..].
  torch::Tensor Mean() const;
};

/// Options for the `EventEncoder` module.
struct EventEncoderOptions {
  int64_t marks = 1;  // C; without a head of marks where 1
  bool aaren = true;
  int64_t layers = 2;
  EncoderOptions encoder() const {
    return EncoderOptions(aaren, /*width=*/64, /*heads=*/1, /*mlp_width=*/64).input_bias(false).epsilon(1e-6);
  }
};

class EventEncoderImpl : public torch::nn::Cloneable<EventEncoderImpl> {
 public:
  explicit EventEncoderImpl(const EventEncoderOptions& options) : options(options) { reset(); }
  void reset() override;
  /// Intervals [B, N], and marks [B, N] from 1 on, 0 where padded at the end -> hidden states [B, N, 64].
  torch::Tensor forward(const torch::Tensor& intervals, const torch::Tensor& marks);
  /// The law of the next interval, for hidden states [.., 64].
  LogNormalMixture Interval(const torch::Tensor& hidden);
  /// Log-probabilities of the next mark, less 1, [.., C].
  torch::Tensor Mark(const torch::Tensor& hidden);

  EventEncoderOptions options;
  torch::nn::Embedding embedding{nullptr};
  torch::nn::ModuleList layers{nullptr};
  torch::nn::Linear interval_hidden{nullptr}, interval{nullptr}, mark{nullptr};
};
TORCH_MODULE(EventEncoder);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_NN_ENCODER_EVENT_ENCODER_H_
