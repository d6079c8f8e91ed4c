#include "model/attention/argument.h"

#include <torch/torch.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace aaren::attention {
namespace {

std::string ShapeName(at::IntArrayRef shape) {
  return absl::StrCat(
      "[",
      absl::StrJoin(shape, ", ",
                    [](std::string* out, int64_t size) { absl::StrAppend(out, size < 0 ? "*" : absl::StrCat(size)); }),
      "]");
}

bool Fits(at::IntArrayRef shape, at::IntArrayRef needed) {
  if (shape.size() != needed.size()) return false;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (needed[i] >= 0 && shape[i] != needed[i]) return false;
  }
  return true;
}

// `shape` without its last size, followed by `sizes`.
std::vector<int64_t> Extend(at::IntArrayRef shape, std::initializer_list<int64_t> sizes) {
  std::vector<int64_t> extended(shape.begin(), shape.end() - 1);
  extended.insert(extended.end(), sizes);
  return extended;
}

absl::Status RequireNonEmpty(absl::string_view name, const torch::Tensor& tensor) {
  if (tensor.numel() > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, " has shape ", ShapeName(tensor.sizes()), "; every size must be at least 1"));
}

}  // namespace

absl::Status RequireFloat(absl::string_view name, const torch::Tensor& tensor) {
  if (!tensor.defined()) return absl::InvalidArgumentError(absl::StrCat(name, " is undefined; a tensor is needed"));
  // The kernels of the scan exist for these two types.
  const torch::ScalarType type = tensor.scalar_type();
  if (type == torch::kFloat32 || type == torch::kFloat64) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, " is ", toString(type), "; Float or Double is needed"));
}

absl::Status RequireRank(absl::string_view name, const torch::Tensor& tensor, int64_t dimensions) {
  if (tensor.dim() >= dimensions) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, " has shape ", ShapeName(tensor.sizes()), "; at least ",
                                                 dimensions, " dimensions are needed"));
}

absl::Status RequireShape(absl::string_view name, const torch::Tensor& tensor, at::IntArrayRef shape) {
  if (Fits(tensor.sizes(), shape)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, " has shape ", ShapeName(tensor.sizes()), "; ", ShapeName(shape), " is needed"));
}

absl::Status RequireLike(absl::string_view name, const torch::Tensor& tensor, absl::string_view other_name,
                         const torch::Tensor& other) {
  if (!tensor.defined()) return absl::InvalidArgumentError(absl::StrCat(name, " is undefined; a tensor is needed"));
  if (tensor.scalar_type() != other.scalar_type()) {
    return absl::InvalidArgumentError(absl::StrCat(name, " is ", toString(tensor.scalar_type()), "; ", other_name,
                                                   " is ", toString(other.scalar_type())));
  }
  if (tensor.device() != other.device()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is on ", tensor.device().str(), "; ", other_name, " is on ", other.device().str()));
  }
  return absl::OkStatus();
}

absl::Status RequireScoresAndValues(const torch::Tensor& scores, const torch::Tensor& values) {
  if (absl::Status status = RequireFloat("scores", scores); !status.ok()) return status;
  if (absl::Status status = RequireRank("scores", scores, 1); !status.ok()) return status;
  if (absl::Status status = RequireLike("values", values, "scores", scores); !status.ok()) return status;
  const absl::Status status = RequireShape("values", values, Extend(scores.sizes(), {scores.size(-1), -1}));
  return status.ok() ? RequireNonEmpty("values", values) : status;
}

absl::Status RequireQueriesKeysAndValues(const torch::Tensor& queries, const torch::Tensor& keys,
                                         const torch::Tensor& values) {
  if (absl::Status status = RequireFloat("queries", queries); !status.ok()) return status;
  if (absl::Status status = RequireRank("queries", queries, 2); !status.ok()) return status;
  if (absl::Status status = RequireLike("keys", keys, "queries", queries); !status.ok()) return status;
  if (absl::Status status = RequireLike("values", values, "queries", queries); !status.ok()) return status;
  if (absl::Status status = RequireShape("keys", keys, queries.sizes()); !status.ok()) return status;
  if (absl::Status status = RequireShape("values", values, Extend(queries.sizes(), {-1})); !status.ok()) return status;
  if (absl::Status status = RequireNonEmpty("keys", keys); !status.ok()) return status;
  return RequireNonEmpty("values", values);
}

absl::Status RequireHeadsDivide(absl::string_view name, int64_t width, int64_t heads) {
  // The modulo comes last, because heads may be 0.
  if (width >= 1 && heads >= 1 && width % heads == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, " is ", width, "; a positive multiple of the ", heads, " heads is needed"));
}

}  // namespace aaren::attention
