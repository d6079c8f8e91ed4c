#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "model/package/package.h"
#include "model/package/safetensors.h"
#include "tests/model/package/package_folder.h"

namespace aaren::package {
namespace {

using ::testing::HasSubstr;

// The status of loading a package whose tensors were changed after saving.
absl::Status LoadChanged(const PackageFolder& folder, const std::map<std::string, Tensor>& tensors) {
  folder.ReplaceWeights(FormatSafetensors(tensors));
  return LoadPackage(folder.path()).status();
}

void ExpectError(const absl::Status& status, absl::StatusCode code, const std::string& message) {
  EXPECT_EQ(status.code(), code) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(message));
}

TEST(BadPackageTest, MissingFolderIsNotFound) {
  ExpectError(LoadPackage("/nowhere").status(), absl::StatusCode::kNotFound, "/nowhere/model.json: no such file");
}

TEST(BadPackageTest, MissingWeightsAreNotFound) {
  const PackageFolder folder;
  std::filesystem::remove(folder.path() + "/weights.safetensors");
  ExpectError(LoadPackage(folder.path()).status(), absl::StatusCode::kNotFound, "weights.safetensors: no such file");
}

TEST(BadPackageTest, NamesAMissingTensor) {
  const PackageFolder folder;
  auto tensors = folder.package().tensors;
  tensors.erase("blocks.1.mlp.up.weight");
  ExpectError(LoadChanged(folder, tensors), absl::StatusCode::kInvalidArgument,
              "tensor blocks.1.mlp.up.weight is missing");
}

TEST(BadPackageTest, NamesAnExtraTensor) {
  const PackageFolder folder;
  auto tensors = folder.package().tensors;
  tensors["blocks.2.norm1.weight"] = {{1}, {1}};
  ExpectError(LoadChanged(folder, tensors), absl::StatusCode::kInvalidArgument,
              "tensor blocks.2.norm1.weight is unknown");
}

TEST(BadPackageTest, NamesAWrongShapeAndTheRightOne) {
  const PackageFolder folder;
  auto tensors = folder.package().tensors;
  tensors["head.weight"].shape = {20, 15};
  ExpectError(LoadChanged(folder, tensors), absl::StatusCode::kInvalidArgument,
              "tensor head.weight has shape [20, 15], not [15, 20]");
}

TEST(BadPackageTest, NamesTheWeightThatIsNotANumber) {
  const PackageFolder folder;
  auto tensors = folder.package().tensors;
  tensors["norm.weight"].data[7] = std::numeric_limits<float>::quiet_NaN();
  ExpectError(LoadChanged(folder, tensors), absl::StatusCode::kInvalidArgument, "tensor norm.weight[7] is nan");
}

TEST(BadPackageTest, NamesTheWeightThatCouldOverflow) {
  const PackageFolder folder;
  auto tensors = folder.package().tensors;
  tensors["head.bias"].data[2] = -3e38f;
  ExpectError(LoadChanged(folder, tensors), absl::StatusCode::kInvalidArgument, "tensor head.bias[2] is -3e+38");
}

TEST(BadPackageTest, NamesANegativeDecay) {
  const PackageFolder folder;
  auto tensors = folder.package().tensors;
  tensors["blocks.0.attention.decay"].data[1] = -0.5f;
  ExpectError(LoadChanged(folder, tensors), absl::StatusCode::kInvalidArgument,
              "tensor blocks.0.attention.decay[1] is -0.5, a negative decay");
}

TEST(BadPackageTest, RefusesARotationThatGrows) {
  const PackageFolder folder;
  auto tensors = folder.package().tensors;
  tensors["blocks.0.attention.cos"].data[3] = 1.01f;
  ExpectError(LoadChanged(folder, tensors), absl::StatusCode::kInvalidArgument, "attention.cos[3] = 1.01");
}

TEST(BadPackageTest, TruncatedWeightsAreDataLoss) {
  const PackageFolder folder;
  const std::string bytes = folder.Read("weights.safetensors");
  folder.Write("weights.safetensors", bytes.substr(0, bytes.size() / 2));
  ExpectError(LoadPackage(folder.path()).status(), absl::StatusCode::kDataLoss, "weights.safetensors: its ");
}

TEST(BadPackageTest, AFlippedBitIsDataLoss) {
  const PackageFolder folder;
  std::string bytes = folder.Read("weights.safetensors");
  bytes[bytes.size() - 10] ^= 1;
  folder.Write("weights.safetensors", bytes);
  ExpectError(LoadPackage(folder.path()).status(), absl::StatusCode::kDataLoss, "but model.json says");
}

TEST(BadPackageTest, WeightsFarTooLargeAreRefusedUnread) {
  const PackageFolder folder;
  std::filesystem::resize_file(folder.path() + "/weights.safetensors", uint64_t{1} << 40);
  ExpectError(LoadPackage(folder.path()).status(), absl::StatusCode::kInvalidArgument, "has 1099511627776 bytes");
}

TEST(BadPackageTest, RefusesAWeightsFileThatLeavesTheFolder) {
  for (const char* path : {"../weights.safetensors", "/etc/passwd", "a/b", "..", "."}) {
    const PackageFolder folder;
    folder.EditManifest("weights.safetensors", path);
    ExpectError(LoadPackage(folder.path()).status(), absl::StatusCode::kInvalidArgument, "weights.file is \"");
  }
}

TEST(BadPackageTest, NamesAnUnknownField) {
  const PackageFolder folder;
  folder.EditManifest("\"width\"", "\"depth\": 3, \"width\"");
  ExpectError(LoadPackage(folder.path()).status(), absl::StatusCode::kInvalidArgument,
              "model.json: unknown field config.depth = 3");
}

TEST(BadPackageTest, NamesASizeOutOfRange) {
  const PackageFolder folder;
  folder.EditManifest("\"layers\": 2", "\"layers\": 2000000000");
  ExpectError(LoadPackage(folder.path()).status(), absl::StatusCode::kInvalidArgument,
              "config.layers is 2000000000, not in [1, 64]");
}

TEST(BadPackageTest, RefusesAnotherFormatBeforeItsFields) {
  const PackageFolder folder;
  folder.EditManifest("\"format\": 1", "\"format\": 2, \"new\": true");
  ExpectError(LoadPackage(folder.path()).status(), absl::StatusCode::kInvalidArgument, "format is 2");
}

TEST(BadPackageTest, RefusesAnotherKind) {
  const PackageFolder folder;
  folder.EditManifest("\"forecaster\"", "\"classifier\"");
  ExpectError(LoadPackage(folder.path()).status(), absl::StatusCode::kInvalidArgument, "kind is \"classifier\"");
}

TEST(BadPackageTest, RefusesWeightsTrainedForAnotherInput) {
  const PackageFolder folder;
  folder.EditManifest("\"input_version\": 3", "\"input_version\": 9");
  ExpectError(LoadPackage(folder.path()).status(), absl::StatusCode::kInvalidArgument, "input_version is 9");
}

TEST(BadPackageTest, RefusesAnotherInputUnderItsOldName) {
  const PackageFolder folder;
  folder.EditManifest("\"input_version\": 3", "\"numerics_version\": 2");
  ExpectError(LoadPackage(folder.path()).status(), absl::StatusCode::kInvalidArgument, "input_version is 2");
}

TEST(BadPackageTest, RefusesSeasonsWithTheInputVersionOfOneWithout) {
  const PackageFolder folder;
  folder.EditManifest("\"history\": 32,", "\"history\": 32, \"seasons\": true,");
  ExpectError(LoadPackage(folder.path()).status(), absl::StatusCode::kInvalidArgument,
              "input_version is 3, not 4, but config.seasons is true");
}

TEST(BadPackageTest, RefusesTheInputVersionOfSeasonsWithout) {
  const PackageFolder folder;
  folder.EditManifest("\"input_version\": 3", "\"input_version\": 4");
  ExpectError(LoadPackage(folder.path()).status(), absl::StatusCode::kInvalidArgument,
              "input_version is 4, not 3, but config.seasons is false");
}

TEST(BadPackageTest, RefusesSeasonsThatAreNeitherTrueNorFalse) {
  const PackageFolder folder;
  folder.EditManifest("\"history\": 32,", "\"history\": 32, \"seasons\": 1,");
  ExpectError(LoadPackage(folder.path()).status(), absl::StatusCode::kInvalidArgument,
              "config.seasons is 1, not true or false");
}

TEST(BadPackageTest, RefusesBothNamesOfTheInputVersion) {
  const PackageFolder folder;
  folder.EditManifest("\"input_version\": 3", "\"input_version\": 3, \"numerics_version\": 3");
  ExpectError(LoadPackage(folder.path()).status(), absl::StatusCode::kInvalidArgument, "numerics_version");
}

TEST(BadPackageTest, NamesAMissingInputVersion) {
  const PackageFolder folder;
  folder.EditManifest("  \"input_version\": 3,\n", "");
  ExpectError(LoadPackage(folder.path()).status(), absl::StatusCode::kInvalidArgument, "input_version");
}

TEST(BadPackageTest, RefusesATruncatedManifest) {
  const PackageFolder folder;
  folder.Write("model.json", folder.Read("model.json").substr(0, 40));
  ExpectError(LoadPackage(folder.path()).status(), absl::StatusCode::kInvalidArgument, "model.json: is not JSON");
}

}  // namespace
}  // namespace aaren::package
