#include "model/training/history.h"

#include <torch/torch.h>

#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace aaren::training {
namespace {

constexpr int64_t kMostStretches = 400;  // points of a curve
constexpr char kStretches[] = "stretches", kChecks[] = "checks", kQuality[] = "quality/", kGroups[] = "groups/";

int64_t StretchOf(int64_t step, int64_t steps) {
  return steps <= kMostStretches ? step : (step - 1) * kMostStretches / steps;
}

// Records of a fixed number of doubles, one record per row.
template <typename Record>
torch::Tensor ToTensor(const std::vector<Record>& records) {
  constexpr int64_t width = sizeof(Record) / sizeof(double);
  torch::Tensor tensor = torch::empty({static_cast<int64_t>(records.size()), width}, torch::kFloat64);
  if (!records.empty()) std::memcpy(tensor.data_ptr<double>(), records.data(), records.size() * sizeof(Record));
  return tensor;
}

template <typename Record>
std::vector<Record> FromTensor(const torch::Tensor& tensor) {
  TORCH_CHECK(tensor.dim() == 2 && tensor.size(1) * sizeof(double) == sizeof(Record), "a curve has ", tensor.sizes());
  const torch::Tensor rows = tensor.to(torch::kFloat64).contiguous();
  std::vector<Record> records(rows.size(0));
  if (!records.empty())
    std::memcpy(static_cast<void*>(records.data()), rows.data_ptr<double>(), records.size() * sizeof(Record));
  return records;
}

}  // namespace

void History::AddStep(int64_t step, int64_t steps, double loss, int64_t tokens, double seconds) {
  // Stretches are shares of the whole run, so a resumed run goes on with the stretch that was under way.
  const bool same = !stretches_.empty() &&
                    StretchOf(static_cast<int64_t>(stretches_.back().last_step), steps) == StretchOf(step, steps);
  if (!same) stretches_.emplace_back();
  Stretch& stretch = stretches_.back();
  stretch.last_step = static_cast<double>(step);
  stretch.steps += 1;
  stretch.loss += loss;
  stretch.tokens += static_cast<double>(tokens);
  stretch.seconds += seconds;
}

TensorMap History::ToTensors() const {
  TensorMap tensors = {{kStretches, ToTensor(stretches_)}, {kChecks, ToTensor(checks_)}};
  for (const auto& [group, checks] : groups_) tensors[absl::StrCat(kGroups, group)] = ToTensor(checks);
  for (const auto& [file, checks] : quality_) tensors[absl::StrCat(kQuality, file)] = ToTensor(checks);
  return tensors;
}

History History::FromTensors(const TensorMap& tensors) {
  History history;
  for (const auto& [name, tensor] : tensors) {
    if (name == kStretches) history.stretches_ = FromTensor<Stretch>(tensor);
    if (name == kChecks) history.checks_ = FromTensor<HeldOutCheck>(tensor);
    if (absl::StartsWith(name, kGroups)) {
      history.groups_[name.substr(sizeof(kGroups) - 1)] = FromTensor<HeldOutCheck>(tensor);
    }
    if (absl::StartsWith(name, kQuality)) {
      history.quality_[name.substr(sizeof(kQuality) - 1)] = FromTensor<QualityCheck>(tensor);
    }
  }
  return history;
}

}  // namespace aaren::training
