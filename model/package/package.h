#ifndef AAREN_MODEL_PACKAGE_PACKAGE_H_
#define AAREN_MODEL_PACKAGE_PACKAGE_H_

// A ModelPackage is a trained model on disk: a folder with model.json (kind, sizes, training summary, hash of the
// weights) and weights.safetensors. The second file has every tensor in PyTorch's layout, [out, in] and row-major.
// Tensors are float32, or bfloat16 where no weight loses a bit.
//
// Tensors, with the sizes of ForecasterConfig (e: embed_hidden, f: mlp_hidden, N = 0 .. layers - 1):
//
//   embed.linear.weight              [d, U]
//   embed.linear.bias                [d]
//   embed.gate.weight                [e, U]
//   embed.up.weight                  [e, U]
//   embed.down.weight                [d, e]
//   blocks.N.norm1.weight            [d]
//   blocks.N.attention.score.weight  [H, d]      the folded query, one output per head: keys are never computed
//   blocks.N.attention.value.weight  [V, d]
//   blocks.N.attention.value.bias    [V]
//   blocks.N.attention.gate.weight   [V, d]
//   blocks.N.attention.gate.bias     [V]
//   blocks.N.attention.output.weight [d, V]
//   blocks.N.attention.output.bias   [d]
//   blocks.N.attention.decay         [H]         lambda >= 0, in 1 / tokens
//   blocks.N.attention.cos           [S, V / 2]  cos(omega_j dt), dt = 1 .. S; 1 for plain heads
//   blocks.N.attention.sin           [S, V / 2]  sin(omega_j dt), dt = 1 .. S; 0 for plain heads
//   blocks.N.norm2.weight            [d]
//   blocks.N.mlp.gate.weight         [f, d]
//   blocks.N.mlp.up.weight           [f, d]
//   blocks.N.mlp.down.weight         [d, f]
//   norm.weight                      [d]
//   head.weight                      [T * Q, d]  quantile i of step j (both from 0) is output j * Q + i
//   head.bias                        [T * Q]
//   head.skip.weight                 [T, U]
//
// and, if config.seasons is true (k knots):
//
//   season.gate.weight               [5 k, d]    part p at knot i is output 5 i + p
//   season.gate.bias                 [5 k]
//   season.residual.N.weight         [T, 24]     N = 0 .. 2: kSeasonAgo, kSeasonsMean, kSecondAgo
//
// The tensors above are a forecaster's. A package of another kind has the tensors of the kind's task, which checks
// their names and shapes (model/engine/events/event_package.h).
//
// Loading trusts nothing. The checks cover sizes, shapes, dtypes, finite values, decay >= 0, hashes, and paths that
// stay in the folder. The error names the file, the tensor or field, and both values. Threading: a plain value; const
// access is safe from any thread.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/package/classifier_config.h"
#include "model/package/config.h"

namespace aaren::package {

struct Tensor {
  std::vector<int64_t> shape;
  std::vector<float> data;  // row-major, product of shape elements
  bool operator==(const Tensor&) const = default;
};

// The number of a network's meaning of input and output: how values become a token's input, how the output becomes a
// forecast, and the layers between (model/README.md, steps 1 to 5). Weights are trained for one meaning, and the
// package records its number. The number changes when earlier weights would be wrong. A change of the engine's rounding
// alone does not change the number (NumericsVersion, engine.h).
inline constexpr int kInputVersion = 3, kSeasonalInputVersion = 4;
inline int InputVersion(const ForecasterConfig& config) {
  return config.seasons ? kSeasonalInputVersion : kInputVersion;
}

// Kinds of models. A kind has a Task (model/engine/ADDING_A_TASK.md).
inline constexpr char kForecaster[] = "forecaster", kEvents[] = "events", kClassification[] = "classification";
inline constexpr const char* kKinds[] = {kForecaster, kEvents, kClassification};

struct ModelPackage {
  std::string kind = kForecaster;
  std::string name;  // "aaren-univariate"; [a-z0-9-]{1,64}
  int version = 1;   // >= 1; name:version names one package in a folder of models
  std::string description;
  ForecasterConfig config;      // a forecaster's
  ClassifierConfig classifier;  // a classifier's
  int input_version = 0;        // other kinds' version: a forecaster's follows from its config
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> training;  // free text: seed, command, time, machine, metrics
  std::string digest;                           // hex sha256 of both files' contents; set by Load and Save
};

// The name and shape of every tensor of a package with this config.
std::map<std::string, std::vector<int64_t>> ExpectedTensors(const ForecasterConfig& config);

// InvalidArgument, naming the tensor, unless the package has exactly these tensors, by name and shape.
absl::Status CheckShapes(const ModelPackage& package, const std::map<std::string, std::vector<int64_t>>& shapes);

// Reads <folder>/model.json and the weights file named in model.json. NotFound if the folder or a file is missing.
// InvalidArgument for anything malformed or of the wrong shape. DataLoss for a truncated file or a hash that differs.
absl::StatusOr<ModelPackage> LoadPackage(const std::string& folder);

// InvalidArgument unless a package may have this name: [a-z0-9-]{1,64}.
absl::Status CheckName(absl::string_view name);

// OK if SavePackage can write to the folder now. Creates the folder if absent, and writes and removes a trial file.
// Callers ask before hours of training, not after. Unavailable, naming the path, if writing fails.
absl::Status CheckFolder(const std::string& folder);

// Writes both files, first under temporary names that are then renamed, and sets package.digest. InvalidArgument if a
// tensor is missing, superfluous, or of the wrong shape.
absl::Status SavePackage(const std::string& folder, ModelPackage& package);

}  // namespace aaren::package

#endif  // AAREN_MODEL_PACKAGE_PACKAGE_H_
