#include "model/engine/classification/row_check.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"

namespace aaren::classification {
namespace {

using package::ModelPackage;
using package::Tensor;

constexpr double kRounding = 1e-3;
constexpr double kMostCount = 0x1p61;

// The largest magnitudes of the products of `matrix`, [rows, depth], with inputs of at most `inputs`, [depth].
std::vector<double> Reach(const Tensor& matrix, const std::vector<double>& inputs) {
  const size_t depth = inputs.size();
  std::vector<double> reach(matrix.data.size() / depth, 0);
  for (size_t i = 0; i < matrix.data.size(); ++i) {
    reach[i / depth] += (1 + kRounding) * std::abs(static_cast<double>(matrix.data[i])) * inputs[i % depth];
  }
  return reach;
}

void AddMagnitudes(const Tensor& bias, std::vector<double>& reach) {
  for (size_t i = 0; i < reach.size(); ++i) reach[i] += (1 + kRounding) * std::abs(static_cast<double>(bias.data[i]));
}

// The largest magnitudes of a LayerNorm's numbers.
std::vector<double> ReachOfNorm(const ModelPackage& package, const std::string& name) {
  Tensor gain = package.tensors.at(name + ".weight");
  gain.shape = {kWidth, 1};
  std::vector<double> reach = Reach(gain, {std::sqrt(static_cast<double>(kWidth))});
  AddMagnitudes(package.tensors.at(name + ".bias"), reach);
  return reach;
}

// The largest magnitudes of an embedded token.
std::vector<double> ReachOfEmbedding(const ModelPackage& package) {
  const Tensor& window = package.tensors.at("embedding.window");
  std::vector<double> reach =
      Reach(window, std::vector<double>(static_cast<size_t>(window.shape[1]), double{kMostDeviations}));
  std::vector<double> code(kWidth, 0);
  const std::vector<float>& positions = package.tensors.at("embedding.position").data;
  for (size_t i = 0; i < positions.size(); ++i) {
    code[i % kWidth] = std::max(code[i % kWidth], std::abs(static_cast<double>(positions[i])));
  }
  for (size_t j = 0; j < kWidth; ++j) reach[j] += (1 + kRounding) * code[j];
  return reach;
}

absl::Status Need(absl::string_view field, size_t index, double value, double least, double most) {
  // The comparisons are false for NaN, which is refused, too.
  if (value >= least && value <= most) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(field, "[", index, "] is ", value, ", not in [", least, ", ", most, "]"));
}

template <typename T>
absl::Status NeedWithin(absl::string_view field, const T* values, const std::vector<double>& most) {
  for (size_t i = 0; i < most.size(); ++i) {
    if (absl::Status status = Need(field, i, values[i], -most[i], most[i]); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

RowBounds::RowBounds(const ModelPackage& package)
    : steps_(static_cast<size_t>(package.classifier.steps)),
      recent_((kWindow - 1) * package.classifier.channels()),
      logits_(package.classifier.classes.size(), 0) {
  std::vector<double> input = ReachOfEmbedding(package);
  for (size_t i = 0; i < kLayers; ++i) {
    const std::string layer = absl::StrCat("layers.", i, ".");
    Layer& bounds = layers_.emplace_back();
    bounds.peak = Reach(package.tensors.at(layer + "attention.score.weight"), input);
    bounds.output = Reach(package.tensors.at(layer + "attention.value.weight"), input);
    AddMagnitudes(package.tensors.at(layer + "attention.value.bias"), bounds.output);
    input = ReachOfNorm(package, layer + "mlp.norm");
  }
  // |gelu(h)| <= |h|
  const std::vector<double> steps = Reach(package.tensors.at("head.weight"), ReachOfNorm(package, "norm"));
  for (size_t i = 0; i < steps.size(); ++i) logits_[i % logits_.size()] += steps[i];
  AddMagnitudes(package.tensors.at("head.bias"), logits_);
}

absl::Status RowBounds::Check(const RowView& row) const {
  const auto count = static_cast<double>(row.header->count);
  absl::Status status = Need("count", 0, count, 1, kMostCount);
  const double tokens = std::min(count, static_cast<double>(steps_));
  for (size_t i = 0; i < kLayers && status.ok(); ++i) {
    const AttentionState& layer = row.layers[i];
    status = NeedWithin("an attention's peak", layer.peak, layers_[i].peak);
    if (status.ok()) status = NeedWithin("an attention's output", layer.output, layers_[i].output);
    for (size_t h = 0; h < kHeads && status.ok(); ++h) {
      status = Need("an attention's weight", h, layer.weight[h], 1 - kRounding, (1 + kRounding) * tokens);
    }
  }
  if (status.ok()) status = NeedWithin("logits", row.logits, logits_);
  if (status.ok()) status = NeedWithin("recent", row.recent, std::vector<double>(recent_, double{kMostDeviations}));
  return status;
}

}  // namespace aaren::classification
