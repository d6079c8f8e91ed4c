#include "tests/bench/engine/eager_step.h"

#include <torch/torch.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace aaren::bench {
namespace {

// The attention state of a batch in one layer.
struct State {
  torch::Tensor output;        // o: [B, H, pairs, 2]
  torch::Tensor weight, peak;  // c, m: [B, H]
};

// The sessions of a batch: the token that they all get again and again, and their states by layer.
struct Sessions {
  torch::Tensor inputs;  // [B, input width]
  std::vector<State> states;
};

class TorchStep final : public EagerStep {
 public:
  explicit TorchStep(const package::ModelPackage& package) : config_(package.config) {
    for (const auto& [name, tensor] : package.tensors) {
      tensors_[name] = torch::tensor(tensor.data).view(tensor.shape);
    }
    for (int layer = 0; layer < config_.layers; ++layer) PackBlock(absl::StrCat("blocks.", layer, "."));
    embed_gate_up_ = torch::cat({At("embed.gate.weight"), At("embed.up.weight")});
  }

  void Step(size_t batch, int calls) override {
    const c10::InferenceMode guard;
    at::set_num_threads(1);
    const auto [found, is_new] = sessions_.try_emplace(batch);
    if (is_new) found->second = Start(static_cast<int64_t>(batch));
    for (int call = 0; call < calls; ++call) Forward(found->second);
  }

 private:
  struct Block {
    std::string name;
    torch::Tensor score_value_gate, bias, gate_up, cosine, sine, decay;
  };

  const torch::Tensor& At(const std::string& name) const { return tensors_.at(name); }

  void PackBlock(const std::string& name) {
    const std::string attention = name + "attention.";
    const torch::Tensor no_bias = torch::zeros({config_.heads});
    blocks_.push_back({.name = name,
                       .score_value_gate = torch::cat({At(attention + "score.weight"), At(attention + "value.weight"),
                                                       At(attention + "gate.weight")}),
                       .bias = torch::cat({no_bias, At(attention + "value.bias"), At(attention + "gate.bias")}),
                       .gate_up = torch::cat({At(name + "mlp.gate.weight"), At(name + "mlp.up.weight")}),
                       .cosine = At(attention + "cos")[0].view({config_.heads, -1}),
                       .sine = At(attention + "sin")[0].view({config_.heads, -1}),
                       .decay = At(attention + "decay")});
  }

  Sessions Start(int64_t rows) const {
    torch::manual_seed(1);
    Sessions sessions{torch::randn({rows, config_.input_width()}), {}};
    for (int layer = 0; layer < config_.layers; ++layer) {
      sessions.states.push_back({torch::zeros({rows, config_.heads, config_.head_width() / 2, 2}),
                                 torch::zeros({rows, config_.heads}), torch::full({rows, config_.heads}, -1e9f)});
    }
    return sessions;
  }

  static torch::Tensor Mlp(const torch::Tensor& x, const torch::Tensor& gate_up, const torch::Tensor& down) {
    const std::vector<torch::Tensor> halves = at::linear(x, gate_up).chunk(2, 1);
    return at::linear(at::silu(halves[0]).mul_(halves[1]), down);
  }

  torch::Tensor Norm(const torch::Tensor& x, const torch::Tensor& gain) const {
    return at::rms_norm(x, {config_.width}, gain, 1e-6);
  }

  // Folds a token into the state and reads the state.
  torch::Tensor Attend(const Block& block, const torch::Tensor& score, const torch::Tensor& value, State& state) const {
    const torch::Tensor aged = state.peak - block.decay;
    state.peak = at::maximum(aged, score);
    const torch::Tensor beta = (score - state.peak).exp_();
    state.weight = (aged - state.peak).exp_().mul_(state.weight).add_(beta);
    const torch::Tensor share = (beta / state.weight).unsqueeze(-1).unsqueeze(-1);
    const torch::Tensor x = state.output.select(3, 0), y = state.output.select(3, 1);
    const torch::Tensor turned = at::stack({block.cosine * x + block.sine * y, block.cosine * y - block.sine * x}, 3);
    state.output = at::lerp(turned, value.view_as(turned), share);
    return state.output.flatten(1);
  }

  torch::Tensor Forward(Sessions& sessions) const {
    const torch::Tensor& input = sessions.inputs;
    torch::Tensor x = at::linear(input, At("embed.linear.weight"), At("embed.linear.bias"));
    x += Mlp(input, embed_gate_up_, At("embed.down.weight"));
    for (size_t layer = 0; layer < blocks_.size(); ++layer) {
      const Block& block = blocks_[layer];
      const torch::Tensor normed = Norm(x, At(block.name + "norm1.weight"));
      const std::vector<torch::Tensor> parts =
          at::linear(normed, block.score_value_gate, block.bias)
              .split_with_sizes({config_.heads, config_.value_width, config_.value_width}, 1);
      torch::Tensor attended = Attend(block, parts[0], parts[1], sessions.states[layer]);
      attended = at::sigmoid(parts[2]).mul_(2.0f).mul_(attended);
      x += at::linear(attended, At(block.name + "attention.output.weight"), At(block.name + "attention.output.bias"));
      x += Mlp(Norm(x, At(block.name + "norm2.weight")), block.gate_up, At(block.name + "mlp.down.weight"));
    }
    return Quantiles(Norm(x, At("norm.weight")), at::linear(input, At("head.skip.weight")));
  }

  // [B, T, Q]: the median first, then outwards.
  torch::Tensor Quantiles(const torch::Tensor& x, const torch::Tensor& skip) const {
    const int64_t count = config_.quantile_count(), middle = count / 2;
    const torch::Tensor read =
        at::linear(x, At("head.weight"), At("head.bias")).view({x.size(0), config_.horizon, count});
    const torch::Tensor median = (read.select(2, middle) + skip).unsqueeze(2);
    const torch::Tensor gaps = at::softplus(read);
    const torch::Tensor below = gaps.narrow(2, 0, middle).flip({2}).cumsum(2).flip({2});
    return at::cat({median - below, median, median + gaps.narrow(2, middle + 1, middle).cumsum(2)}, 2);
  }

  package::ForecasterConfig config_;
  std::map<std::string, torch::Tensor> tensors_;
  std::vector<Block> blocks_;
  torch::Tensor embed_gate_up_;
  std::map<size_t, Sessions> sessions_;  // by the size of their batch
};

}  // namespace

std::unique_ptr<EagerStep> NewEagerStep(const package::ModelPackage& package) {
  return std::make_unique<TorchStep>(package);
}

}  // namespace aaren::bench
