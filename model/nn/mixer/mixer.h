#ifndef AAREN_MODEL_NN_MIXER_MIXER_H_
#define AAREN_MODEL_NN_MIXER_MIXER_H_

// A sequence mixer is the part of a block through which tokens see earlier tokens: an Aaren (aaren.h), or a mixer of
// the paper's comparisons (model/paper/nn/mixer_kind.h).
//
// A mixer maps N tokens to N tokens. Output k depends on tokens 0 .. k only. forward over a sequence equals Step token
// by token.
//
// Threading: forward and Step only read the weights, and may run at once for different states.

#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace aaren::nn {

/// A mixer's memory of `tokens` tokens of B sequences. Each kind documents its tensors. The first size of every tensor
/// is B. A copy shares its tensors; Clone copies the tensors, too.
struct MixerState {
  int64_t tokens = 0;
  /// How often a token's key and value were computed and used: once per token, except with kRecomputed.
  int64_t folds = 0;
  std::vector<torch::Tensor> tensors;

  MixerState Clone() const;
  /// Bytes of the tensors, including room for growth.
  int64_t bytes() const;
};

class MixerImpl : public torch::nn::Module {
 public:
  /// x [B, N, d] -> [B, N, d]. Differentiable. InvalidArgument if x has another width, dtype or device than the
  /// weights.
  absl::StatusOr<torch::Tensor> forward(const torch::Tensor& x);

  /// The state of `batch` >= 1 sequences before their first token, in the weights' dtype and on their device.
  virtual MixerState Start(int64_t batch) const = 0;

  /// Folds one token of each sequence: x [B, d] -> [B, d]. Records no gradient, so that the state does not keep tokens
  /// alive. InvalidArgument as from forward, or if Start of a mixer of this kind and these sizes did not make the state
  /// for B sequences. An error leaves the state unchanged.
  absl::StatusOr<torch::Tensor> Step(MixerState& state, const torch::Tensor& x);

  /// The errors of forward and of Step. An error is also a sequence without tokens, or a state of another kind or size.
  absl::Status RequireForward(const torch::Tensor& x) const;
  absl::Status RequireStep(const MixerState& state, const torch::Tensor& x) const;

  /// A mixer of the same kind with copies of the weights.
  std::shared_ptr<torch::nn::Module> clone(const std::optional<torch::Device>& device = std::nullopt) const override;

 protected:
  /// The sizes of each tensor of a state, without B; -1 for room that grows.
  virtual std::vector<std::vector<int64_t>> StateSizes() const = 0;
  /// The weights of a projection that reads x, [*, d]. The weights tell the width, dtype and device of x.
  virtual const torch::Tensor& InputWeight() const = 0;
  /// Does the work of forward. REQUIRES: RequireForward(x) is OK.
  virtual absl::StatusOr<torch::Tensor> Mix(const torch::Tensor& x) = 0;
  /// Does the work of Step, except for state.tokens. REQUIRES: RequireStep is OK.
  virtual torch::Tensor Advance(MixerState& state, const torch::Tensor& x) = 0;
  /// A mixer made with the same options.
  virtual std::shared_ptr<MixerImpl> Another() const = 0;

 private:
  // torch calls clone_ when a module that holds this mixer is cloned.
  void clone_(torch::nn::Module& other, const std::optional<torch::Device>& device) override;
};

using Mixer = std::shared_ptr<MixerImpl>;

}  // namespace aaren::nn

#endif  // AAREN_MODEL_NN_MIXER_MIXER_H_
