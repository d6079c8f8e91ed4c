#include "model/paper/attention/forms/recurrent.h"

#include <torch/torch.h>

#include <vector>

#include "absl/functional/function_ref.h"
#include "model/attention/argument.h"

namespace aaren::attention {
namespace {

absl::Status Check(const torch::Tensor& scores, const torch::Tensor& values, const Forgetting& forgetting) {
  if (absl::Status status = RequireScoresAndValues(scores, values); !status.ok()) return status;
  return RequireForgetting(forgetting, scores);
}

// The amount forgotten between tokens k and k + 1: N - 1 tensors [H].
std::vector<torch::Tensor> Forgotten(const Forgetting& forgetting) {
  const torch::Tensor times = forgetting.positions.to(forgetting.decay.device(), torch::kFloat64);
  return (times.diff().unsqueeze(1) * forgetting.decay).unbind(0);
}

// Folds every token and shows the state after each.
AttentionState Run(const torch::Tensor& scores, const torch::Tensor& values, const Forgetting& forgetting,
                   absl::FunctionRef<void(const AttentionState&)> show) {
  const std::vector<torch::Tensor> s = scores.unbind(-1), v = values.unbind(-2);
  const std::vector<torch::Tensor> forgotten = forgetting.any() ? Forgotten(forgetting) : std::vector<torch::Tensor>();
  // The state is float64 for any input, because a float sum of denominators drifts with N.
  AttentionState state = EmptyState(s[0].sizes(), values.size(-1), scores.options().dtype(torch::kFloat64));
  for (size_t k = 0; k < s.size(); ++k) {
    if (k > 0 && forgetting.any()) state = Age(state, forgotten[k - 1]);
    state = Fold(state, s[k].to(torch::kFloat64), v[k].to(torch::kFloat64));
    show(state);
  }
  return state;
}

}  // namespace

absl::StatusOr<torch::Tensor> RecurrentAttention(const torch::Tensor& scores, const torch::Tensor& values,
                                                 const Forgetting& forgetting) {
  if (absl::Status status = Check(scores, values, forgetting); !status.ok()) return status;
  std::vector<torch::Tensor> outputs;
  Run(scores, values, forgetting,
      [&](const AttentionState& state) { outputs.push_back(Output(state).to(values.scalar_type())); });
  return torch::stack(outputs, -2);
}

absl::StatusOr<AttentionState> RecurrentState(const torch::Tensor& scores, const torch::Tensor& values,
                                              const Forgetting& forgetting) {
  if (absl::Status status = Check(scores, values, forgetting); !status.ok()) return status;
  const AttentionState last = Run(scores, values, forgetting, [](const AttentionState&) {});
  const torch::ScalarType type = values.scalar_type();
  return AttentionState{.m = last.m.to(type), .c = last.c.to(type), .a = last.a.to(type)};
}

}  // namespace aaren::attention
