#include "model/nn/events/event_network.h"

#include <torch/torch.h>

#include <cmath>

#include "absl/strings/str_cat.h"
#include "model/engine/events/memory.h"
#include "model/engine/events/sizes.h"
#include "model/nn/events/timed_attention.h"
#include "model/nn/fused/fused.h"

namespace aaren::nn {
namespace {

using torch::nn::Linear;
using torch::nn::LinearOptions;

constexpr int64_t kEventWidth = events::kWidth, kEventValues = events::kValueWidth, kEventHidden = events::kHidden;
constexpr double kLateLogit = -2, kNoTie = -5;  // initial logits of copies and ties

// From `first` to `last`, `count` numbers.
torch::Tensor Spaced(double first, double last, size_t count) {
  return torch::linspace(first, last, static_cast<int64_t>(count));
}

// The time head begins with four log-normals and four Weibulls side by side.
void SetTimeBias(torch::Tensor bias) {
  using enum events::TimeNumber;
  using events::kCopies, events::kLogNormals, events::kWeibulls;
  const auto put = [&bias](size_t at, const torch::Tensor& numbers) {
    bias.narrow(0, static_cast<int64_t>(at), numbers.numel()).copy_(numbers);
  };
  bias.zero_();
  put(kLogit + kLogNormals + kWeibulls, torch::full({static_cast<int64_t>(kCopies) + 1}, kLateLogit));
  put(kNormalMean, Spaced(-4, 4, kLogNormals));
  put(kNormalSpread, torch::full({static_cast<int64_t>(kLogNormals)}, 0.5));
  put(kWeibullMean, Spaced(-3, 1.5, kWeibulls));
  put(kWeibullSpread, torch::full({static_cast<int64_t>(kWeibulls)}, 0.5));
  put(kCopySpread, torch::full({1}, -1.0));
  put(kTieLogit, torch::full({1}, kNoTie));
}

}  // namespace

void EventAttentionImpl::reset() {
  constexpr int64_t kEventHeads = events::kHeads;
  score = register_module("score", Linear(LinearOptions(kEventWidth, kEventHeads).bias(false)));
  value = register_module("value", Linear(LinearOptions(kEventWidth, kEventValues).bias(false)));
  gate = register_module("gate", Linear(kEventWidth, kEventValues));
  output = register_module("output", Linear(LinearOptions(kEventValues, kEventWidth).bias(false)));
  // Half of the heads begin with 1/1000 ... 1/3 an event, the others with 1/300 ... 1 a unit of time elapsed.
  const torch::Tensor by_event = Spaced(std::log(1e-3), std::log(1.0 / 3), kEventHeads / 2);
  const torch::Tensor by_time = Spaced(std::log(1.0 / 300), 0, kEventHeads / 2);
  log_decay = register_parameter("log_decay", torch::cat({by_event, by_time}));
  torch::NoGradGuard no_grad;
  gate->bias.zero_();
  output->weight.zero_();
}

torch::Tensor EventAttentionImpl::forward(const torch::Tensor& x, const torch::Tensor& elapsed) {
  return output(SigmoidGated(gate(x), TimedAttention(score(x), value(x), elapsed, log_decay.exp())));
}

void EventBlockImpl::reset() {
  norm1 = register_module("norm1", RmsNorm(kEventWidth));
  attention = register_module("attention", EventAttention());
  norm2 = register_module("norm2", RmsNorm(kEventWidth));
  mlp = register_module("mlp", GatedMlp(kEventWidth, kEventHidden, kEventWidth));
  torch::NoGradGuard no_grad;
  mlp->down->weight.zero_();
}

torch::Tensor EventBlockImpl::forward(const torch::Tensor& x, const torch::Tensor& elapsed) {
  const torch::Tensor y = x + attention(norm1(x), elapsed);
  return y + mlp(norm2(y));
}

void EventNetworkImpl::reset() {
  constexpr int64_t kIn = events::kInputs, kMark = events::kMarkInputs, kMarkMiddle = events::kMarkHidden;
  input = register_module("input", Linear(kIn, kEventWidth));
  input_mlp = register_module("input_mlp", GatedMlp(kIn, kEventHidden, kEventWidth));
  blocks = register_module("blocks", torch::nn::ModuleList());
  for (size_t k = 0; k < events::kBlocks; ++k) blocks->push_back(EventBlock());
  norm = register_module("norm", RmsNorm(kEventWidth));
  time = register_module("time", Linear(kEventWidth, static_cast<int64_t>(events::kTimeNumbers)));
  mark_token = register_module("mark_token", Linear(kEventWidth, kMarkMiddle));
  mark_line = register_module("mark_line", Linear(kEventWidth, kMark));
  mark_new = register_module("mark_new", Linear(kEventWidth, 1));
  mark_input = register_module("mark_input", Linear(LinearOptions(kMark, kMarkMiddle).bias(false)));
  mark_hidden = register_module("mark_hidden", Linear(LinearOptions(kMarkMiddle, 1).bias(false)));
  torch::NoGradGuard no_grad;
  time->weight.mul_(0.1);
  SetTimeBias(time->bias);
  mark_line->weight.zero_();
  mark_line->bias.zero_();
  mark_line->bias[0] = 1;  // marks begin with their frequencies
  mark_new->bias.zero_();
}

EventOutputs EventNetworkImpl::forward(const torch::Tensor& inputs, const torch::Tensor& elapsed) {
  torch::Tensor x = input(inputs) + input_mlp(inputs);
  for (const auto& block : *blocks) x = block->as<EventBlock>()->forward(x, elapsed);
  const torch::Tensor y = norm(x);
  return {.time = time(y), .mark_token = mark_token(y), .mark_line = mark_line(y), .mark_new = mark_new(y)};
}

std::map<std::string, package::Tensor> TensorsOf(const EventNetwork& network) {
  std::map<std::string, package::Tensor> tensors;
  for (const auto& item : network->named_parameters()) {
    const torch::Tensor flat = item.value().detach().contiguous();
    const float* data = flat.const_data_ptr<float>();
    tensors[item.key()] = {.shape = flat.sizes().vec(), .data = {data, data + flat.numel()}};
  }
  return tensors;
}

absl::Status TakeEventWeights(const events::EventPackage& package, EventNetwork& network) {
  torch::NoGradGuard no_grad;
  for (auto& item : network->named_parameters()) {
    const auto found = package.tensors.find(item.key());
    if (found == package.tensors.end()) {
      return absl::FailedPreconditionError(absl::StrCat("the package has no tensor ", item.key()));
    }
    const package::Tensor& tensor = found->second;
    if (item.value().sizes() != at::IntArrayRef(tensor.shape)) {
      return absl::FailedPreconditionError(absl::StrCat("tensor ", item.key(), " of the package has another shape"));
    }
    item.value().copy_(torch::from_blob(const_cast<float*>(tensor.data.data()), tensor.shape));
  }
  return absl::OkStatus();
}

}  // namespace aaren::nn
