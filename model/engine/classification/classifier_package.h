#ifndef AAREN_MODEL_ENGINE_CLASSIFICATION_CLASSIFIER_PACKAGE_H_
#define AAREN_MODEL_ENGINE_CLASSIFICATION_CLASSIFIER_PACKAGE_H_

// A classifier of series on disk: a package of kind "classification" (model/package/package.h). The package brings
// files, hashes, finite weights and a valid ClassifierConfig; this page brings the names and shapes of the tensors.
//
// With V channels, N steps, C classes and the sizes d, h, H of sizes.h, for layers L = 0 .. 2:
//
//   embedding.window                [d, 3 V]  the oldest step first
//   embedding.position              [N, d]    the code of each position
//   layers.L.attention.score.weight [H, d]    the folded query over sqrt(d / H): keys are never computed
//   layers.L.attention.value.weight [d, d]    and .bias [d]
//   layers.L.attention.output.weight [d, d]   and .bias [d]
//   layers.L.norm.weight, .bias     [d]
//   layers.L.mlp.up.weight          [h, d]    and .bias [h]
//   layers.L.mlp.down.weight        [d, h]    and .bias [d]
//   layers.L.mlp.norm.weight, .bias [d]
//   norm.weight, norm.bias          [d]
//   head.weight                     [N, C, d]
//   head.bias                       [C]

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "model/package/package.h"

namespace aaren::classification {

// The number of the network's meaning of inputs and outputs. The number changes when earlier weights would be wrong.
inline constexpr int kClassifierInputVersion = 1;

// The name and shape of every tensor. REQUIRES: the config is valid.
std::map<std::string, std::vector<int64_t>> ClassifierTensors(const package::ClassifierConfig& config);

// InvalidArgument, naming the field or tensor, if the package is none of a classifier.
absl::Status CheckClassifierPackage(const package::ModelPackage& package);

// Sets kind, input version and digest, and writes the package as package::SavePackage does. InvalidArgument for wrong
// sizes or tensors.
absl::Status SaveClassifierPackage(const std::string& folder, package::ModelPackage& package);

}  // namespace aaren::classification

#endif  // AAREN_MODEL_ENGINE_CLASSIFICATION_CLASSIFIER_PACKAGE_H_
