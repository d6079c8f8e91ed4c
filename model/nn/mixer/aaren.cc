#include "model/nn/mixer/aaren.h"

#include <torch/torch.h>

#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "model/attention/argument.h"
#include "model/attention/attention_state.h"
#include "model/attention/forgetting.h"
#include "model/attention/scan/scan.h"
#include "model/nn/fused/fused.h"

namespace aaren::nn {
namespace {

// The turning frames in which value pairs (2j, 2j + 1) are averaged, at each of some positions.
class Frames {
 public:
  // positions: [N]. rates: [V / 2], or undefined if nothing turns.
  Frames(const torch::Tensor& positions, const torch::Tensor& rates) {
    // An angle grows with the age of a stream. A float of a large angle has few digits left below a full turn, so
    // angles are float64.
    if (rates.defined()) angles_ = positions.to(torch::kFloat64).unsqueeze(1) * rates.to(positions.device());
  }

  // Enter takes x [B, N, V] into the frames; Leave takes x out again.
  torch::Tensor Enter(const torch::Tensor& x) const { return Turned(x, /*back=*/false); }
  torch::Tensor Leave(const torch::Tensor& x) const { return Turned(x, /*back=*/true); }

 private:
  torch::Tensor Turned(const torch::Tensor& x, bool back) const {
    return angles_.defined() ? PairsTurned(x, angles_, back) : x;
  }

  torch::Tensor angles_;  // [N, V / 2]
};

}  // namespace

absl::Status RequireAaren(const AarenOptions& options) {
  if (absl::Status status = attention::RequireHeadsDivide("width", options.width(), options.heads()); !status.ok())
    return status;
  absl::Status status = attention::RequireHeadsDivide("value_width", options.value_width(), options.heads());
  const size_t decays = options.decay().size(), rates = options.rates().size();
  if (decays != 0 && decays != static_cast<size_t>(options.heads())) {
    status.Update(absl::InvalidArgumentError(
        absl::StrCat("decay has ", decays, " rates; one for each of the ", options.heads(), " heads is needed")));
  }
  // The learned parameter is the logarithm of a rate, and a rate of 0 has no logarithm.
  for (const double decay : options.decay()) {
    if (decay > 0) continue;
    status.Update(absl::InvalidArgumentError(absl::StrCat("decay is ", decay, "; more than 0 is needed")));
  }
  if (rates != 0 && 2 * rates != static_cast<size_t>(options.value_width())) {
    status.Update(absl::InvalidArgumentError(absl::StrCat("rates has ", rates, " rates; one for each pair of the ",
                                                          options.value_width(), " values is needed")));
  }
  return status;
}

AarenImpl::AarenImpl(const AarenOptions& options) : options(options) {
  const absl::Status status = RequireAaren(options);
  TORCH_CHECK(status.ok(), std::string(status.message()));
  const int64_t width = options.width(), values = options.value_width();
  query = register_parameter("query", torch::randn({width}));
  query_projection = register_module("query_projection", torch::nn::Linear(width, width));
  key = register_module("key", torch::nn::Linear(width, width));
  value = register_module("value", torch::nn::Linear(width, values));
  output = register_module("output", torch::nn::Linear(values, width));
  if (options.gate()) gate = register_module("gate", torch::nn::Linear(width, values));
  if (!options.decay().empty()) {
    // A logarithm keeps the rate above 0 for any step of the optimiser, and is taken before the rounding to float.
    log_decay =
        register_parameter("log_decay", torch::tensor(options.decay(), torch::kFloat64).log().to(query.scalar_type()));
  }
  // Rates are neither parameter nor buffer: nothing learns them, and a module cast to float32 keeps float64 rates.
  if (!options.rates().empty()) rates = torch::tensor(options.rates(), torch::kFloat64);
}

torch::Tensor AarenImpl::FoldedQuery() const {
  const int64_t heads = options.heads(), head_width = options.width() / heads;
  const torch::Tensor q =
      torch::linear(query, query_projection->weight, query_projection->bias).view({heads, 1, head_width});
  const torch::Tensor keys = key->weight.view({heads, head_width, options.width()});
  return torch::matmul(q, keys).squeeze(1) / std::sqrt(static_cast<double>(head_width));
}

torch::Tensor AarenImpl::UnfoldedScore(const torch::Tensor& x) {
  const int64_t heads = options.heads(), head_width = options.width() / heads;
  const torch::Tensor q = query_projection(query).view({heads, head_width});
  const torch::Tensor keys = key(x).unflatten(-1, {heads, head_width});
  return (keys * q).sum(-1) / std::sqrt(static_cast<double>(head_width));
}

torch::Tensor AarenImpl::Decay() const {
  return log_decay.defined() ? log_decay.exp() : torch::zeros({options.heads()}, query.options());
}

absl::StatusOr<torch::Tensor> AarenImpl::MixAt(const torch::Tensor& x, const torch::Tensor& positions) {
  const torch::Tensor scores = torch::matmul(x, FoldedQuery().t()).transpose(1, 2);
  const Frames frames(positions, rates);
  // Pairs are numbered over the values of all heads, so values turn before the heads are split.
  const torch::Tensor values = frames.Enter(value(x)).unflatten(-1, {options.heads(), -1}).transpose(1, 2);
  const attention::Forgetting forgetting =
      log_decay.defined() ? attention::Forgetting{positions, Decay()} : attention::Forgetting{};
  const absl::StatusOr<torch::Tensor> averages = attention::ScanAttention(scores, values, forgetting);
  if (!averages.ok()) return averages.status();
  return Project(frames.Leave(averages->transpose(1, 2).flatten(-2)), x);
}

absl::StatusOr<torch::Tensor> AarenImpl::Mix(const torch::Tensor& x) {
  return MixAt(x, torch::arange(x.size(1), x.device()));
}

torch::Tensor AarenImpl::ForwardAt(const torch::Tensor& x, const torch::Tensor& positions) {
  const absl::StatusOr<torch::Tensor> outputs = MixAt(x, positions);
  TORCH_CHECK(outputs.ok(), outputs.status().message());
  return *outputs;
}

std::vector<std::vector<int64_t>> AarenImpl::StateSizes() const {
  const int64_t heads = options.heads();
  return {{heads}, {heads}, {heads, options.value_width() / heads}};
}

MixerState AarenImpl::Start(int64_t batch) const {
  const attention::AttentionState empty =
      attention::EmptyState({batch, options.heads()}, options.value_width() / options.heads(), query.options());
  return {.tensors = {empty.m, empty.c, empty.a}};
}

// Values enter the frame of their own time, so that the state need not turn at every step.
torch::Tensor AarenImpl::Advance(MixerState& state, const torch::Tensor& x) {
  const Frames frame(torch::full({1}, state.tokens, x.options().dtype(torch::kInt64)), rates);
  const torch::Tensor scores = torch::matmul(x, FoldedQuery().t());
  const torch::Tensor values = frame.Enter(value(x).unsqueeze(1)).view({x.size(0), options.heads(), -1});
  attention::AttentionState attention = {.m = state.tensors[0], .c = state.tensors[1], .a = state.tensors[2]};
  // Ageing comes before the fold, so the new token enters with its full score. Tokens of Step are one time unit apart.
  if (log_decay.defined()) attention = attention::Age(attention, Decay());
  attention = attention::Fold(attention, scores, values);
  state.tensors = {attention.m, attention.c, attention.a};
  ++state.folds;
  return Project(frame.Leave(attention::Output(attention).flatten(-2).unsqueeze(1)).squeeze(1), x);
}

torch::Tensor AarenImpl::Project(const torch::Tensor& averages, const torch::Tensor& x) {
  return output(options.gate() ? SigmoidGated(gate(x), averages) : averages);
}

}  // namespace aaren::nn
