#include "model/paper/nn/block.h"

#include <torch/torch.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "model/attention/argument.h"

namespace aaren::nn {
absl::Status RequireBlock(const BlockOptions& options) {
  const MixerOptions& mixer = options.mixer();
  if (absl::Status status = attention::RequireHeadsDivide("width", mixer.width(), mixer.heads()); !status.ok())
    return status;
  if (options.mlp_width() >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("mlp_width is ", options.mlp_width(), "; at least 1 is needed beside width ", mixer.width()));
}

BlockImpl::BlockImpl(const BlockOptions& options) : options(options) {
  const absl::Status status = RequireBlock(options);
  // MakeBlock returns the same fault as a status; only a module made without MakeBlock throws here.
  TORCH_CHECK(status.ok(), status.message());
  reset();
}

void BlockImpl::reset() {
  const int64_t width = options.mixer().width();
  norm1 = register_module("norm1", torch::nn::LayerNorm(torch::nn::LayerNormOptions({width})));
  mixer = register_module("mixer", *MakeMixer(options.mixer()));
  norm2 = register_module("norm2", torch::nn::LayerNorm(torch::nn::LayerNormOptions({width})));
  up = register_module("up", torch::nn::Linear(width, options.mlp_width()));
  down = register_module("down", torch::nn::Linear(options.mlp_width(), width));
}

torch::Tensor BlockImpl::MixerInput(const torch::Tensor& x) { return options.norm_first() ? norm1(x) : x; }

torch::Tensor BlockImpl::Finish(const torch::Tensor& x, const torch::Tensor& mixed) {
  const auto mlp = [this](const torch::Tensor& y) { return down(torch::gelu(up(y))); };
  if (options.norm_first()) {
    const torch::Tensor y = x + mixed;
    return y + mlp(norm2(y));
  }
  const torch::Tensor y = norm1(x + mixed);
  return norm2(y + mlp(y));
}

absl::StatusOr<torch::Tensor> BlockImpl::forward(const torch::Tensor& x) {
  if (absl::Status status = mixer->RequireForward(x); !status.ok()) return status;  // checked before the norm reads x
  const absl::StatusOr<torch::Tensor> mixed = mixer->forward(MixerInput(x));
  if (!mixed.ok()) return mixed.status();
  return Finish(x, *mixed);
}

MixerState BlockImpl::Start(int64_t batch) const { return mixer->Start(batch); }

absl::StatusOr<torch::Tensor> BlockImpl::Step(MixerState& state, const torch::Tensor& x) {
  if (absl::Status status = mixer->RequireStep(state, x); !status.ok()) return status;
  // The mixer's own guard covers neither the norms nor the MLP, whose outputs enter the states of the blocks above.
  torch::NoGradGuard no_grad;
  const absl::StatusOr<torch::Tensor> mixed = mixer->Step(state, MixerInput(x));
  if (!mixed.ok()) return mixed.status();
  return Finish(x, *mixed);
}

torch::Tensor BlockImpl::Recompute(const torch::Tensor& x, int64_t position, InputReader earlier, int64_t& folds) {
  // Earlier inputs are normalised like x, because forward normalises every token before the mixer.
  const auto read = [&](int64_t j) { return MixerInput(earlier(j)); };
  // REQUIRES in block.h makes the cast safe: a mixer of another kind throws std::bad_cast.
  auto& recomputed = dynamic_cast<RecomputedMixerImpl&>(*mixer);
  return Finish(x, recomputed.Recompute(MixerInput(x), position, read, folds));
}

absl::StatusOr<Block> MakeBlock(const BlockOptions& options) {
  if (absl::Status status = RequireBlock(options); !status.ok()) return status;
  return Block(options);
}

}  // namespace aaren::nn
