#include "model/engine/classification/classifier_package.h"

#include "absl/strings/str_cat.h"
#include "model/engine/classification/sizes.h"

namespace aaren::classification {

std::map<std::string, std::vector<int64_t>> ClassifierTensors(const package::ClassifierConfig& config) {
  constexpr int64_t kD = kWidth, kF = kHidden, kH = kHeads;
  const int64_t steps = config.steps, classes = static_cast<int64_t>(config.classes.size());
  std::map<std::string, std::vector<int64_t>> shapes = {
      {"embedding.window", {kD, static_cast<int64_t>(kWindow * config.channels())}},
      {"embedding.position", {steps, kD}},
      {"norm.weight", {kD}},
      {"norm.bias", {kD}},
      {"head.weight", {steps, classes, kD}},
      {"head.bias", {classes}}};
  for (size_t i = 0; i < kLayers; ++i) {
    const std::string layer = absl::StrCat("layers.", i, ".");
    shapes[layer + "attention.score.weight"] = {kH, kD};
    for (const char* linear : {"attention.value.", "attention.output."}) {
      shapes[absl::StrCat(layer, linear, "weight")] = {kD, kD};
      shapes[absl::StrCat(layer, linear, "bias")] = {kD};
    }
    shapes[layer + "mlp.up.weight"] = {kF, kD};
    shapes[layer + "mlp.up.bias"] = {kF};
    shapes[layer + "mlp.down.weight"] = {kD, kF};
    shapes[layer + "mlp.down.bias"] = {kD};
    for (const char* norm : {"norm.weight", "norm.bias", "mlp.norm.weight", "mlp.norm.bias"}) {
      shapes[layer + norm] = {kD};
    }
  }
  return shapes;
}

absl::Status CheckClassifierPackage(const package::ModelPackage& package) {
  if (package.kind != package::kClassification) {
    return absl::InvalidArgumentError(
        absl::StrCat("kind is \"", package.kind, "\", not \"", package::kClassification, "\""));
  }
  if (package.input_version != kClassifierInputVersion) {
    return absl::InvalidArgumentError(
        absl::StrCat("input_version is ", package.input_version, "; this program has ", kClassifierInputVersion));
  }
  if (absl::Status status = package.classifier.Validate(); !status.ok()) return status;
  return package::CheckShapes(package, ClassifierTensors(package.classifier));
}

absl::Status SaveClassifierPackage(const std::string& folder, package::ModelPackage& package) {
  package.kind = package::kClassification;
  package.input_version = kClassifierInputVersion;
  if (absl::Status status = CheckClassifierPackage(package); !status.ok()) return status;
  return package::SavePackage(folder, package);
}

}  // namespace aaren::classification
