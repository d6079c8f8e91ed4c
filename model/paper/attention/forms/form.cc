#include "model/paper/attention/forms/form.h"

#include <torch/torch.h>

#include "model/attention/argument.h"
#include "model/attention/scan/scan.h"
#include "model/paper/attention/forms/blockwise.h"
#include "model/paper/attention/forms/dense.h"
#include "model/paper/attention/forms/prefix_scan.h"
#include "model/paper/attention/forms/recurrent.h"

namespace aaren::attention {
namespace {

// The size sets speed and rounding; outputs do not depend on the block size otherwise.
constexpr int64_t kBlock = 64;

}  // namespace

absl::string_view AttentionFormName(AttentionForm form) {
  switch (form) {
    case AttentionForm::kRecurrent:
      return "recurrent";
    case AttentionForm::kBlockwise:
      return "blockwise";
    case AttentionForm::kHillisSteele:
      return "hillis-steele";
    case AttentionForm::kBrentKung:
      return "brent-kung";
    case AttentionForm::kChunked:
      return "chunked";
    case AttentionForm::kDense:
      return "dense";
    case AttentionForm::kScan:
      return "scan";
  }
  return "unknown";
}

absl::StatusOr<torch::Tensor> ConstantQueryAttention(AttentionForm form, const torch::Tensor& scores,
                                                     const torch::Tensor& values, const Forgetting& forgetting) {
  if (absl::Status status = RequireScoresAndValues(scores, values); !status.ok()) return status;
  if (absl::Status status = RequireForgetting(forgetting, scores); !status.ok()) return status;
  switch (form) {
    case AttentionForm::kRecurrent:
      return RecurrentAttention(scores, values, forgetting);
    case AttentionForm::kDense:
      return DenseAttention(scores, values, forgetting);
    case AttentionForm::kScan:
      return ScanAttention(scores, values, forgetting);
    case AttentionForm::kBlockwise:
      // The remaining forms know plain scores only, so forgetting is turned into higher scores for later tokens.
      return BlockwiseAttention(Undecayed(scores, forgetting), values, kBlock);
    case AttentionForm::kHillisSteele:
      return PrefixScanAttention(Undecayed(scores, forgetting), values, PrefixScan::kHillisSteele);
    case AttentionForm::kBrentKung:
      return PrefixScanAttention(Undecayed(scores, forgetting), values, PrefixScan::kBrentKung);
    case AttentionForm::kChunked:
      return PrefixScanAttention(Undecayed(scores, forgetting), values, PrefixScan::kChunked, kBlock);
  }
  return absl::InvalidArgumentError("form is none of AttentionForm");
}

}  // namespace aaren::attention
