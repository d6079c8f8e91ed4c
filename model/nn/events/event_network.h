#ifndef AAREN_MODEL_NN_EVENTS_EVENT_NETWORK_H_
#define AAREN_MODEL_NN_EVENTS_EVENT_NETWORK_H_

// The network of the forecaster of events for training (engine/events/README.md draws it). The parameters have the
// names and shapes of a package's tensors (engine/events/event_package.h).

#include <torch/nn/cloneable.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <map>
#include <string>

#include "absl/status/status.h"
#include "model/engine/events/event_package.h"
#include "model/nn/forecaster/gated_block.h"

namespace aaren::nn {

/// W_o(2 sigmoid(G x) * a), where a is timed attention over values V x with scores R x.
class EventAttentionImpl : public torch::nn::Cloneable<EventAttentionImpl> {
 public:
  EventAttentionImpl() { reset(); }
  void reset() override;
  /// x [B, N, width] and elapsed [B, N], as of TimedAttention -> [B, N, width].
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& elapsed);

  /// The scores of a constant query per head; values; the output's gate; W_o.
  torch::nn::Linear score{nullptr}, value{nullptr}, gate{nullptr}, output{nullptr};
  /// The logarithm of what a score loses per unit of age, [heads].
  torch::Tensor log_decay;
};
TORCH_MODULE(EventAttention);

/// x + Attention(RMSNorm x), then x + MLP(RMSNorm x). Both branches start at zero output.
class EventBlockImpl : public torch::nn::Cloneable<EventBlockImpl> {
 public:
  EventBlockImpl() { reset(); }
  void reset() override;
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& elapsed);

  RmsNorm norm1{nullptr}, norm2{nullptr};
  EventAttention attention{nullptr};
  GatedMlp mlp{nullptr};
};
TORCH_MODULE(EventBlock);

/// The heads' numbers of every token.
struct EventOutputs {
  torch::Tensor time;        // [B, N, kTimeNumbers], as engine/events/sizes.h places them
  torch::Tensor mark_token;  // [B, N, kMarkHidden]: U h
  torch::Tensor mark_line;   // [B, N, kMarkInputs]: P h + p
  torch::Tensor mark_new;    // [B, N, 1]: the logit of a new mark
};

class EventNetworkImpl : public torch::nn::Cloneable<EventNetworkImpl> {
 public:
  EventNetworkImpl() { reset(); }
  void reset() override;
  /// inputs [B, N, kInputs] and elapsed [B, N], as of TimedAttention.
  EventOutputs forward(const torch::Tensor& inputs, const torch::Tensor& elapsed);

  torch::nn::Linear input{nullptr};
  GatedMlp input_mlp{nullptr};
  torch::nn::ModuleList blocks;
  RmsNorm norm{nullptr};
  torch::nn::Linear time{nullptr}, mark_token{nullptr}, mark_line{nullptr}, mark_new{nullptr};
  /// W and w of a known mark's logit, w . silu(W f + U h) + (P h + p) . f, where f are the mark's inputs.
  torch::nn::Linear mark_input{nullptr}, mark_hidden{nullptr};
};
TORCH_MODULE(EventNetwork);

// The tensors of a package of these weights.
std::map<std::string, package::Tensor> TensorsOf(const EventNetwork& network);

// Copies the package's weights into the network. FailedPrecondition names the tensor that is absent or has another
// shape.
absl::Status TakeEventWeights(const events::EventPackage& package, EventNetwork& network);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_NN_EVENTS_EVENT_NETWORK_H_
