#include "model/engine/events/event_package.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "model/engine/events/memory.h"
#include "model/engine/events/sizes.h"
#include "model/package/json_fields.h"
#include "model/package/safetensors.h"
#include "model/package/sha256.h"

namespace aaren::events {
namespace {

namespace fs = std::filesystem;

constexpr char kKind[] = "events", kManifestName[] = "model.json", kWeightsName[] = "weights.safetensors";
// The network's 142,000 parameters take 0.6 MB. The bound keeps a wrong file out of memory.
constexpr uintmax_t kMostBytes = uintmax_t{16} << 20;
constexpr float kMostWeight = 1e4f;  // no trained weight comes near

absl::Status In(const fs::path& file, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(file.string(), ": ", status.message()));
}

absl::StatusOr<std::string> ReadWhole(const fs::path& file) {
  std::error_code error;
  const uintmax_t size = fs::file_size(file, error);
  if (error) return absl::NotFoundError(absl::StrCat(file.string(), ": ", error.message()));
  if (size > kMostBytes) return absl::InvalidArgumentError(absl::StrCat(file.string(), ": has ", size, " bytes"));
  std::ifstream stream(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

absl::Status Replace(const fs::path& file, absl::string_view bytes) {
  const fs::path partial = file.string() + ".partial";
  std::ofstream stream(partial, std::ios::binary | std::ios::trunc);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  std::error_code error;
  if (stream) fs::rename(partial, file, error);
  if (stream && !error) return absl::OkStatus();
  fs::remove(partial, error);
  return absl::UnavailableError(absl::StrCat(file.string(), ": cannot write ", bytes.size(), " bytes"));
}

absl::Status CheckTensor(const std::string& name, const package::Tensor& tensor, const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  if (tensor.shape != shape || static_cast<int64_t>(tensor.data.size()) != count) {
    return absl::InvalidArgumentError(absl::StrCat("tensor ", name, " has shape [", absl::StrJoin(tensor.shape, ", "),
                                                   "], not [", absl::StrJoin(shape, ", "), "]"));
  }
  for (const float value : tensor.data) {
    // The comparison is false for NaN, which is refused, too.
    if (std::abs(value) <= kMostWeight) continue;
    return absl::InvalidArgumentError(absl::StrCat("tensor ", name, " has the value ", value));
  }
  return absl::OkStatus();
}

absl::Status CheckTensors(const std::map<std::string, package::Tensor>& tensors) {
  const std::map<std::string, std::vector<int64_t>> expected = EventTensors();
  for (const auto& [name, shape] : expected) {
    const auto found = tensors.find(name);
    if (found == tensors.end()) return absl::InvalidArgumentError(absl::StrCat("tensor ", name, " is missing"));
    if (absl::Status status = CheckTensor(name, found->second, shape); !status.ok()) return status;
  }
  for (const auto& [name, tensor] : tensors) {
    if (!expected.contains(name)) return absl::InvalidArgumentError(absl::StrCat("tensor ", name, " is unknown"));
  }
  return absl::OkStatus();
}

absl::Status ReadManifest(absl::string_view text, EventPackage& package, std::string& hash) {
  const absl::StatusOr<nlohmann::json> json = package::ParseJson(text);
  if (!json.ok()) return json.status();
  std::string kind;
  int input_version = 0;
  package::JsonFields fields(*json, "");
  fields.Read("kind", kind);
  fields.Read("name", package.name);
  fields.Read("version", package.version);
  fields.Read("description", package.description);
  fields.Read("input_version", input_version);
  fields.Read("training", package.training);
  fields.Read("weights_sha256", hash);
  if (absl::Status status = fields.Finish(); !status.ok()) return status;
  if (kind != kKind) return absl::InvalidArgumentError(absl::StrCat("kind is \"", kind, "\", not \"", kKind, "\""));
  if (input_version != kEventInputVersion) {
    return absl::InvalidArgumentError(
        absl::StrCat("input_version is ", input_version, "; this program has ", kEventInputVersion));
  }
  return package::CheckName(package.name);
}

}  // namespace

std::map<std::string, std::vector<int64_t>> EventTensors() {
  constexpr int64_t kIn = kInputs, kD = kWidth, kV = kValueWidth, kF = kHidden, kH = kHeads;
  std::map<std::string, std::vector<int64_t>> shapes = {{"input.weight", {kD, kIn}},
                                                        {"input.bias", {kD}},
                                                        {"input_mlp.gate.weight", {kF, kIn}},
                                                        {"input_mlp.up.weight", {kF, kIn}},
                                                        {"input_mlp.down.weight", {kD, kF}},
                                                        {"norm.weight", {kD}},
                                                        {"time.weight", {kTimeNumbers, kD}},
                                                        {"time.bias", {kTimeNumbers}},
                                                        {"mark_input.weight", {kMarkHidden, kMarkInputs}},
                                                        {"mark_token.weight", {kMarkHidden, kD}},
                                                        {"mark_token.bias", {kMarkHidden}},
                                                        {"mark_hidden.weight", {1, kMarkHidden}},
                                                        {"mark_line.weight", {kMarkInputs, kD}},
                                                        {"mark_line.bias", {kMarkInputs}},
                                                        {"mark_new.weight", {1, kD}},
                                                        {"mark_new.bias", {1}}};
  for (size_t k = 0; k < kBlocks; ++k) {
    const std::string block = absl::StrCat("blocks.", k, ".");
    shapes[block + "norm1.weight"] = shapes[block + "norm2.weight"] = {kD};
    shapes[block + "attention.score.weight"] = {kH, kD};
    shapes[block + "attention.value.weight"] = {kV, kD};
    shapes[block + "attention.gate.weight"] = {kV, kD};
    shapes[block + "attention.gate.bias"] = {kV};
    shapes[block + "attention.output.weight"] = {kD, kV};
    shapes[block + "attention.log_decay"] = {kH};
    shapes[block + "mlp.gate.weight"] = shapes[block + "mlp.up.weight"] = {kF, kD};
    shapes[block + "mlp.down.weight"] = {kD, kF};
  }
  return shapes;
}

absl::StatusOr<EventPackage> LoadEventPackage(const std::string& folder) {
  const fs::path manifest_file = fs::path(folder) / kManifestName, weights_file = fs::path(folder) / kWeightsName;
  const absl::StatusOr<std::string> manifest = ReadWhole(manifest_file);
  if (!manifest.ok()) return manifest.status();
  EventPackage package;
  std::string hash;
  if (absl::Status status = ReadManifest(*manifest, package, hash); !status.ok()) return In(manifest_file, status);
  const absl::StatusOr<std::string> weights = ReadWhole(weights_file);
  if (!weights.ok()) return weights.status();
  // The hash comes before the parser, so a torn file is DataLoss and not a puzzling shape error.
  if (package::Sha256({*weights}) != hash) {
    return absl::DataLossError(absl::StrCat(weights_file.string(), ": SHA-256 is not that of ", kManifestName));
  }
  absl::StatusOr<std::map<std::string, package::Tensor>> tensors = package::ParseSafetensors(*weights);
  if (!tensors.ok()) return In(weights_file, tensors.status());
  if (absl::Status status = CheckTensors(*tensors); !status.ok()) return In(weights_file, status);
  package.tensors = *std::move(tensors);
  package.digest = package::Sha256({*manifest, *weights});
  return package;
}

absl::Status SaveEventPackage(const std::string& folder, EventPackage& package) {
  if (absl::Status status = CheckTensors(package.tensors); !status.ok()) return status;
  if (absl::Status status = package::CheckName(package.name); !status.ok()) return status;
  const std::string weights = package::FormatSafetensors(package.tensors);
  const nlohmann::ordered_json json = {{"kind", kKind},
                                       {"name", package.name},
                                       {"version", package.version},
                                       {"description", package.description},
                                       {"input_version", kEventInputVersion},
                                       {"training", package.training},
                                       {"weights_sha256", package::Sha256({weights})}};
  // Free text may hold bytes that are not UTF-8. A replaced character is better than no package after a training.
  const std::string manifest = json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  std::error_code error;
  fs::create_directories(folder, error);
  // The manifest comes last, because the manifest holds the hash of the weights: after a crash in between, the hash
  // differs.
  if (absl::Status status = Replace(fs::path(folder) / kWeightsName, weights); !status.ok()) return status;
  if (absl::Status status = Replace(fs::path(folder) / kManifestName, manifest); !status.ok()) return status;
  package.digest = package::Sha256({manifest, weights});
  return absl::OkStatus();
}

}  // namespace aaren::events
