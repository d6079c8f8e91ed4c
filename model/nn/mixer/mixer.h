#ifndef AAREN_MODEL_NN_MIXER_MIXER_H_
#define AAREN_MODEL_NN_MIXER_MIXER_H_

// A sequence mixer is the one part of a block through which tokens see the tokens before them. Four are here, with one
// interface, so that a comparison changes one word:
//
//   kAaren       attention with a learned constant query; state (m, c, a), constant         aaren.h (paper, §3.3)
//   kSoftmax     causal softmax attention; the state is a cache of keys and values, growing  softmax_mixer.h (§4.5)
//   kLinear      linear attention, phi(x) = elu(x) + 1; state (S, Z), constant               linear_mixer.h
//   kRecomputed  kSoftmax without a cache: it reads all inputs again for every token         recomputed_mixer.h
//
// A mixer maps N tokens to N tokens, output k depends on tokens 0 .. k only, and forward over a sequence equals Step
// token by token.
//
// Threading: weights are read only by forward and Step, which may run at once for different states.

#include <torch/arg.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace aaren::nn {

enum class MixerKind { kAaren, kSoftmax, kLinear, kRecomputed };

// "aaren", "softmax", "linear", "recomputed".
absl::string_view MixerName(MixerKind kind);

/// Options for every mixer.
struct MixerOptions {
  MixerOptions(MixerKind kind, int64_t width, int64_t heads) : kind_(kind), width_(width), heads_(heads) {}
  TORCH_ARG(MixerKind, kind);
  /// d, the width of tokens.
  TORCH_ARG(int64_t, width);
  /// H; divides width.
  TORCH_ARG(int64_t, heads);
};

/// What a mixer remembers of `tokens` tokens of B sequences; which tensors, each kind says. The first size of every
/// tensor is B. A copy shares its tensors; one made with Clone goes its own way.
struct MixerState {
  int64_t tokens = 0;
  /// How often a token's key and value were formed and used: once a token, but for kRecomputed.
  int64_t folds = 0;
  std::vector<torch::Tensor> tensors;

  MixerState Clone() const;
  /// Bytes that the tensors take up, room kept for growth included.
  int64_t bytes() const;
};

class MixerImpl : public torch::nn::Module {
 public:
  /// x [B, N, d] -> [B, N, d]. Differentiable. InvalidArgument if x has another width, dtype or device than the
  /// weights.
  absl::StatusOr<torch::Tensor> forward(const torch::Tensor& x);

  /// The state of `batch` >= 1 sequences before their first token, of the weights' dtype and device.
  virtual MixerState Start(int64_t batch) const = 0;

  /// Folds one token of each sequence: x [B, d] -> [B, d]. It records no gradient, so that the state does not hold on
  /// to the tokens. InvalidArgument as forward, or if the state is not one of B sequences that Start of a mixer of this
  /// kind and these sizes made; it is then unchanged.
  absl::StatusOr<torch::Tensor> Step(MixerState& state, const torch::Tensor& x);

  /// The errors of forward and of Step: also a sequence of no tokens, and a state of another kind or other sizes.
  absl::Status RequireForward(const torch::Tensor& x) const;
  absl::Status RequireStep(const MixerState& state, const torch::Tensor& x) const;

  /// A mixer of the same kind with copies of the weights.
  std::shared_ptr<torch::nn::Module> clone(const std::optional<torch::Device>& device = std::nullopt) const override;

 protected:
  /// The sizes after B of each tensor of a state; -1 for room that grows.
  virtual std::vector<std::vector<int64_t>> StateSizes() const = 0;
  /// The weights of a projection that reads x, [*, d]: they tell its width, dtype and device.
  virtual const torch::Tensor& InputWeight() const = 0;
  /// forward. REQUIRES: x is as it must be.
  virtual absl::StatusOr<torch::Tensor> Mix(const torch::Tensor& x) = 0;
  /// Step, but for state.tokens. REQUIRES: RequireStep.
  virtual torch::Tensor Advance(MixerState& state, const torch::Tensor& x) = 0;
  /// A mixer made with the same options.
  virtual std::shared_ptr<MixerImpl> Another() const = 0;

 private:
  // Called when a module that holds this one is cloned.
  void clone_(torch::nn::Module& other, const std::optional<torch::Device>& device) override;
};

using Mixer = std::shared_ptr<MixerImpl>;

/// InvalidArgument if heads do not divide the width.
absl::StatusOr<Mixer> MakeMixer(const MixerOptions& options);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_NN_MIXER_MIXER_H_
