#include "model/attention/forgetting.h"

#include <torch/torch.h>

#include "absl/strings/str_cat.h"
#include "model/attention/argument.h"

namespace aaren::attention {
namespace {

absl::Status RequireAscending(const torch::Tensor& positions) {
  const torch::Tensor at = positions.to(torch::kFloat64).contiguous().cpu();
  const double* time = at.const_data_ptr<double>();
  for (int64_t k = 1; k < at.numel(); ++k) {
    // The negated comparison refuses NaN, too.
    if (!(time[k] >= time[k - 1])) {
      return absl::InvalidArgumentError(absl::StrCat("positions[", k, "] is ", time[k], "; at least positions[", k - 1,
                                                     "] = ", time[k - 1], " is needed"));
    }
  }
  return absl::OkStatus();
}

absl::Status RequireNotNegative(const torch::Tensor& decay) {
  const torch::Tensor rates = decay.detach().to(torch::kFloat64).contiguous().cpu();
  for (int64_t h = 0; h < rates.numel(); ++h) {
    const double rate = rates.const_data_ptr<double>()[h];
    if (!(rate >= 0)) {
      return absl::InvalidArgumentError(absl::StrCat("decay[", h, "] is ", rate, "; at least 0 is needed"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RequireForgetting(const Forgetting& forgetting, const torch::Tensor& scores) {
  if (!forgetting.any()) return absl::OkStatus();
  if (absl::Status status = RequireRank("scores", scores, 2); !status.ok()) return status;
  if (absl::Status status = RequireLike("decay", forgetting.decay, "scores", scores); !status.ok()) return status;
  if (absl::Status status = RequireShape("decay", forgetting.decay, {scores.size(-2)}); !status.ok()) return status;
  if (!forgetting.positions.defined()) {
    return absl::InvalidArgumentError("positions is undefined; a tensor is needed beside decay");
  }
  if (absl::Status status = RequireShape("positions", forgetting.positions, {scores.size(-1)}); !status.ok()) {
    return status;
  }
  if (absl::Status status = RequireAscending(forgetting.positions); !status.ok()) return status;
  return RequireNotNegative(forgetting.decay);
}

torch::Tensor Undecayed(const torch::Tensor& scores, const Forgetting& forgetting) {
  if (!forgetting.any()) return scores;
  // At output k all tokens lose decay * t_k alike, and softmax cancels a common loss. Positions may be large, so gains
  // are formed in float64 and from the first position on.
  const torch::Tensor at = forgetting.positions.to(scores.device(), torch::kFloat64);
  const torch::Tensor gain = forgetting.decay.to(torch::kFloat64).unsqueeze(1) * (at - at[0]);
  return scores + gain.to(scores.scalar_type());
}

}  // namespace aaren::attention
