#include "model/package/package.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "model/package/manifest.h"
#include "model/package/safetensors.h"
#include "model/package/sha256.h"

namespace aaren::package {
namespace {

namespace fs = std::filesystem;

constexpr char kManifestFile[] = "model.json";
constexpr char kWeightsFile[] = "weights.safetensors";
// A manifest is a few kilobytes of text. The bound keeps a wrong file out of memory before a parser sees the file.
constexpr uint64_t kMaxManifestBytes = uint64_t{1} << 20;
// Far above the rounding of a float32 sine, and far below any intended gain.
constexpr double kUnitTolerance = 1e-5;
// No trained weight comes near this bound. Within the bound no product of the largest model overflows, so all results
// of the engine are finite.
constexpr float kMaxWeight = 1e4f;
// Other kinds of models are small: the forecaster of events has 0.6 MB of weights.
constexpr uint64_t kMaxOtherBytes = uint64_t{64} << 20;

absl::Status In(const fs::path& file, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(file.string(), ": ", status.message()));
}

absl::StatusOr<std::string> ReadFile(const fs::path& file, uint64_t most) {
  std::error_code error;
  if (!fs::exists(file, error)) return absl::NotFoundError(absl::StrCat(file.string(), ": no such file"));
  // The size decides before any byte is read: a mistaken path to a large file must not fill the memory.
  const uint64_t size = fs::file_size(file, error);
  if (error) return absl::InvalidArgumentError(absl::StrCat(file.string(), ": ", error.message()));
  if (size > most) {
    return absl::InvalidArgumentError(absl::StrCat(file.string(), ": has ", size, " bytes, more than ", most));
  }
  std::string bytes(size, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(bytes.data(), static_cast<std::streamsize>(size));
  // A file that shrinks between size and read is torn, like a file with a wrong hash.
  if (!stream) {
    return absl::DataLossError(absl::StrCat(file.string(), ": only ", stream.gcount(), " of ", size, " bytes read"));
  }
  return bytes;
}

absl::Status WriteFile(const fs::path& file, absl::string_view bytes) {
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  // Closing flushes, and only the state after closing tells of a full disk.
  if (stream) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(file.string(), ": cannot write ", bytes.size(), " bytes"));
}

absl::Status CheckShape(const std::string& name, const Tensor& tensor, const std::vector<int64_t>& expected) {
  if (tensor.shape != expected) {
    return absl::InvalidArgumentError(absl::StrCat("tensor ", name, " has shape [", absl::StrJoin(tensor.shape, ", "),
                                                   "], not [", absl::StrJoin(expected, ", "), "]"));
  }
  int64_t count = 1;
  for (int64_t size : expected) count *= size;
  if (static_cast<int64_t>(tensor.data.size()) == count) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("tensor ", name, " holds ", tensor.data.size(), " values, but its shape holds ", count));
}

absl::Status CheckValues(const std::string& name, const Tensor& tensor) {
  const bool decays = absl::EndsWith(name, ".decay");
  for (size_t i = 0; i < tensor.data.size(); ++i) {
    const float value = tensor.data[i];
    // The negated comparison refuses NaN, too.
    if (!(std::abs(value) <= kMaxWeight)) {
      return absl::InvalidArgumentError(
          absl::StrCat("tensor ", name, "[", i, "] is ", value, ", not a number of at most ", kMaxWeight));
    }
    if (decays && value < 0.0f) {
      return absl::InvalidArgumentError(absl::StrCat("tensor ", name, "[", i, "] is ", value, ", a negative decay"));
    }
  }
  return absl::OkStatus();
}

// Checks that each pair is a pure rotation. Any other factor would grow or shrink a session's memory at every fold.
absl::Status CheckRotation(const ModelPackage& package, int layer) {
  const std::string prefix = absl::StrCat("blocks.", layer, ".attention.");
  const std::vector<float>& cosine = package.tensors.at(prefix + "cos").data;
  const std::vector<float>& sine = package.tensors.at(prefix + "sin").data;
  for (size_t i = 0; i < cosine.size(); ++i) {
    // The square of a float is exact in double, so the tolerance is about the package's rounding alone.
    const double square = double{cosine[i]} * cosine[i] + double{sine[i]} * sine[i];
    if (std::abs(square - 1.0) <= kUnitTolerance) continue;
    return absl::InvalidArgumentError(absl::StrCat("tensors ", prefix, "cos[", i, "] = ", cosine[i], " and ", prefix,
                                                   "sin[", i, "] = ", sine[i], " are not a rotation"));
  }
  return absl::OkStatus();
}

absl::Status CheckTensors(const ModelPackage& package) {
  const bool forecasts = package.kind == kForecaster;
  if (forecasts) {
    if (absl::Status status = CheckShapes(package, ExpectedTensors(package.config)); !status.ok()) return status;
  }
  for (const auto& [name, tensor] : package.tensors) {
    if (absl::Status status = CheckShape(name, tensor, tensor.shape); !status.ok()) return status;
    if (absl::Status status = CheckValues(name, tensor); !status.ok()) return status;
  }
  for (int layer = 0; forecasts && layer < package.config.layers; ++layer) {
    if (absl::Status status = CheckRotation(package, layer); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// The largest weights file that the package allows. A larger file is refused before it is read into memory.
uint64_t MaxWeightsBytes(const ModelPackage& package) {
  if (package.kind != kForecaster) return kMaxOtherBytes;
  uint64_t count = 0;
  for (const auto& [name, shape] : ExpectedTensors(package.config)) {
    uint64_t product = 1;
    for (int64_t size : shape) product *= static_cast<uint64_t>(size);
    count += product;
  }
  return sizeof(uint64_t) + kMaxSafetensorsHeader + sizeof(float) * count;
}

absl::Status MakeFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  return error ? absl::UnavailableError(absl::StrCat(folder.string(), ": ", error.message())) : absl::OkStatus();
}

// Both files are complete before either gets its final name. The manifest is renamed last, because it holds the hash of
// the weights: after a crash in between, the hash does not match. A failure leaves no new file behind, so a full disk
// gets its room back.
absl::Status WritePair(const fs::path& folder, absl::string_view manifest, absl::string_view weights) {
  if (absl::Status status = MakeFolder(folder); !status.ok()) return status;
  std::error_code error;
  const std::pair<fs::path, absl::string_view> files[] = {{folder / kWeightsFile, weights},
                                                          {folder / kManifestFile, manifest}};
  const absl::Cleanup removes = [&files] {
    std::error_code ignored;
    for (const auto& [file, bytes] : files) fs::remove(file.string() + ".new", ignored);
  };
  for (const auto& [file, bytes] : files) {
    if (absl::Status status = WriteFile(file.string() + ".new", bytes); !status.ok()) return status;
  }
  for (const auto& [file, bytes] : files) {
    fs::rename(file.string() + ".new", file, error);
    if (error) return absl::UnavailableError(absl::StrCat(file.string(), ": ", error.message()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckShapes(const ModelPackage& package, const std::map<std::string, std::vector<int64_t>>& shapes) {
  for (const auto& [name, shape] : shapes) {
    const auto found = package.tensors.find(name);
    if (found == package.tensors.end()) return absl::InvalidArgumentError(absl::StrCat("tensor ", name, " is missing"));
    if (absl::Status status = CheckShape(name, found->second, shape); !status.ok()) return status;
  }
  // A tensor that nothing reads is refused, too: somebody meant a tensor of another name.
  for (const auto& [name, tensor] : package.tensors) {
    if (!shapes.contains(name)) return absl::InvalidArgumentError(absl::StrCat("tensor ", name, " is unknown"));
  }
  return absl::OkStatus();
}

absl::StatusOr<ModelPackage> LoadPackage(const std::string& folder) {
  const fs::path manifest_path = fs::path(folder) / kManifestFile;
  absl::StatusOr<std::string> manifest_text = ReadFile(manifest_path, kMaxManifestBytes);
  if (!manifest_text.ok()) return manifest_text.status();
  absl::StatusOr<Manifest> manifest = ParseManifest(*manifest_text);
  if (!manifest.ok()) return In(manifest_path, manifest.status());

  ModelPackage package = std::move(manifest->package);
  const fs::path weights_path = fs::path(folder) / manifest->weights_file;
  absl::StatusOr<std::string> weights = ReadFile(weights_path, MaxWeightsBytes(package));
  if (!weights.ok()) return weights.status();
  // The hash is checked before the parser runs, so that a torn file is DataLoss and not a puzzling shape error.
  if (const std::string sha256 = Sha256({*weights}); sha256 != manifest->weights_sha256) {
    return absl::DataLossError(absl::StrCat(weights_path.string(), ": its ", weights->size(), " bytes have sha256 ",
                                            sha256, ", but model.json says ", manifest->weights_sha256));
  }
  absl::StatusOr<std::map<std::string, Tensor>> tensors = ParseSafetensors(*weights);
  if (!tensors.ok()) return In(weights_path, tensors.status());
  package.tensors = *std::move(tensors);
  if (absl::Status status = CheckTensors(package); !status.ok()) return In(weights_path, status);
  // The digest covers both files, so a package with another description or another training is another package.
  package.digest = Sha256({*manifest_text, *weights});
  return package;
}

absl::Status CheckFolder(const std::string& folder) {
  if (absl::Status status = MakeFolder(folder); !status.ok()) return status;
  // The trial has the name of a temporary file of WritePair, and so never touches a package in place.
  const fs::path trial = fs::path(folder) / absl::StrCat(kWeightsFile, ".new");
  absl::Status written = WriteFile(trial.string(), "");
  std::error_code ignored;
  fs::remove(trial, ignored);
  return written;
}

absl::Status SavePackage(const std::string& folder, ModelPackage& package) {
  // CheckManifest demands the form of a hash, and zeros have the form until the weights are laid out.
  Manifest manifest{.package = package, .weights_file = kWeightsFile, .weights_sha256 = std::string(64, '0')};
  manifest.package.tensors.clear();
  if (absl::Status status = CheckManifest(manifest); !status.ok()) return status;
  if (absl::Status status = CheckTensors(package); !status.ok()) return status;
  const std::string weights = FormatSafetensors(package.tensors);
  manifest.weights_sha256 = Sha256({weights});
  absl::StatusOr<std::string> text = FormatManifest(manifest);
  if (!text.ok()) return text.status();
  if (absl::Status status = WritePair(folder, *text, weights); !status.ok()) return status;
  package.digest = Sha256({*text, weights});
  return absl::OkStatus();
}

}  // namespace aaren::package
