#ifndef AAREN_MODEL_PAPER_NN_STACK_H_
#define AAREN_MODEL_PAPER_NN_STACK_H_

// A stack of blocks with mixers of one kind. A stack is trained on whole sequences and streamed token by token, with
// the same weights and the same outputs (paper, §3.3). A block's inputs are the outputs of the block below, so a token
// passes through all blocks in one step. Only the mixers have a memory.
//
// With kRecomputed the stack keeps only its own inputs. The inputs of the upper blocks are recomputed for every token
// (recomputed_mixer.h).

#include <torch/arg.h>
#include <torch/nn/cloneable.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/paper/nn/block.h"
#include "model/paper/nn/mixer_kind.h"

namespace aaren::nn {

/// Options for the `Stack` module.
struct StackOptions {
  StackOptions(const BlockOptions& block, int64_t layers) : block_(block), layers_(layers) {}
  /// The options of every block.
  TORCH_ARG(BlockOptions, block);
  /// L >= 1.
  TORCH_ARG(int64_t, layers);
};

/// The state of a stack: the states of the blocks' mixers, bottom first. With kRecomputed there is a single state,
/// which holds the inputs of the stack. A copy shares its tensors; Clone copies the tensors, too.
struct StackState {
  std::vector<MixerState> layers;

  StackState Clone() const;
  /// Bytes of the tensors of all layers.
  int64_t bytes() const;
  /// The sum of the layers' folds (mixer.h).
  int64_t folds() const;
};

class StackImpl : public torch::nn::Cloneable<StackImpl> {
 public:
  /// Throws c10::Error where MakeStack returns InvalidArgument.
  explicit StackImpl(const StackOptions& options);
  void reset() override;

  /// x [B, N, d] -> [B, N, d]; output k depends on tokens 0 .. k only. Errors are the mixer's (mixer.h).
  absl::StatusOr<torch::Tensor> forward(const torch::Tensor& x);
  /// The state of `batch` >= 1 sequences before their first token.
  StackState Start(int64_t batch) const;
  /// Folds one token of each sequence: x [B, d] -> [B, d]. Errors are the mixer's, and InvalidArgument if the state has
  /// another number of layers. An error leaves the state unchanged.
  absl::StatusOr<torch::Tensor> Step(StackState& state, const torch::Tensor& x);

  /// The options of this module.
  StackOptions options;
  /// L modules of type Block, bottom first.
  torch::nn::ModuleList blocks{nullptr};

 private:
  BlockImpl& BlockAt(int64_t layer) const;
  bool recomputes() const { return options.block().mixer().kind() == MixerKind::kRecomputed; }
  absl::Status RequireStep(const StackState& state, const torch::Tensor& x) const;
  /// The output [B, d] of the lowest `layers` blocks at `position`, from the stack's inputs [B, N, d] alone.
  torch::Tensor Recompute(const torch::Tensor& inputs, int64_t layers, int64_t position, int64_t& folds) const;
};
TORCH_MODULE(Stack);

/// Makes a stack. InvalidArgument as from MakeBlock, or if layers < 1.
absl::StatusOr<Stack> MakeStack(const StackOptions& options);

}  // namespace aaren::nn

#endif  // AAREN_MODEL_PAPER_NN_STACK_H_
