#include "model/paper/nn/stack.h"

#include <torch/torch.h>

#include "absl/strings/str_cat.h"
#include "model/paper/nn/token_buffer.h"

namespace aaren::nn {
namespace {

absl::Status RequireLayers(const StackOptions& options) {
  if (options.layers() >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("layers is ", options.layers(), "; at least 1 is needed"));
}

}  // namespace

StackState StackState::Clone() const {
  StackState copy;
  for (const MixerState& layer : layers) copy.layers.push_back(layer.Clone());
  return copy;
}

int64_t StackState::bytes() const {
  int64_t sum = 0;
  for (const MixerState& layer : layers) sum += layer.bytes();
  return sum;
}

int64_t StackState::folds() const {
  int64_t sum = 0;
  for (const MixerState& layer : layers) sum += layer.folds;
  return sum;
}

StackImpl::StackImpl(const StackOptions& options) : options(options) {
  const absl::Status status = RequireLayers(options);
  TORCH_CHECK(status.ok(), status.message());
  reset();
}

void StackImpl::reset() {
  blocks = register_module("blocks", torch::nn::ModuleList());
  for (int64_t layer = 0; layer < options.layers(); ++layer) blocks->push_back(Block(options.block()));
}

BlockImpl& StackImpl::BlockAt(int64_t layer) const { return *blocks->ptr(layer)->as<BlockImpl>(); }

absl::StatusOr<torch::Tensor> StackImpl::forward(const torch::Tensor& x) {
  absl::StatusOr<torch::Tensor> outputs = x;
  for (int64_t layer = 0; layer < options.layers() && outputs.ok(); ++layer) {
    outputs = BlockAt(layer).forward(*outputs);
  }
  return outputs;
}

StackState StackImpl::Start(int64_t batch) const {
  StackState state;
  const int64_t count = recomputes() ? 1 : options.layers();
  for (int64_t layer = 0; layer < count; ++layer) state.layers.push_back(BlockAt(layer).Start(batch));
  return state;
}

absl::Status StackImpl::RequireStep(const StackState& state, const torch::Tensor& x) const {
  const int64_t count = recomputes() ? 1 : options.layers(), given = static_cast<int64_t>(state.layers.size());
  if (given != count) {
    return absl::InvalidArgumentError(absl::StrCat("state has ", given, " layers; ", count, " are needed"));
  }
  for (int64_t layer = 0; layer < count; ++layer) {
    const absl::Status status = BlockAt(layer).mixer->RequireStep(state.layers[layer], x);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<torch::Tensor> StackImpl::Step(StackState& state, const torch::Tensor& x) {
  // Every layer's state is checked before the first layer folds, so an error leaves all layers unchanged.
  if (absl::Status status = RequireStep(state, x); !status.ok()) return status;
  if (recomputes()) {
    // Recompute bypasses the blocks' Step, and with Step their guards against recording gradients.
    torch::NoGradGuard no_grad;
    MixerState& inputs = state.layers.front();
    AppendToken(inputs.tensors[0], inputs.tokens, x);
    return Recompute(inputs.tensors[0], options.layers(), inputs.tokens++, inputs.folds);
  }
  absl::StatusOr<torch::Tensor> outputs = x;
  for (int64_t layer = 0; layer < options.layers() && outputs.ok(); ++layer) {
    outputs = BlockAt(layer).Step(state.layers[layer], *outputs);
  }
  return outputs;
}

torch::Tensor StackImpl::Recompute(const torch::Tensor& inputs, int64_t layers, int64_t position,
                                   int64_t& folds) const {
  if (layers == 0) return inputs.select(1, position);
  const auto read = [&](int64_t j) { return Recompute(inputs, layers - 1, j, folds); };
  return BlockAt(layers - 1).Recompute(read(position), position, read, folds);
}

absl::StatusOr<Stack> MakeStack(const StackOptions& options) {
  if (absl::Status status = RequireLayers(options); !status.ok()) return status;
  if (absl::Status status = RequireBlock(options.block()); !status.ok()) return status;
  return Stack(options);
}

}  // namespace aaren::nn
