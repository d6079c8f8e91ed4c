#include "model/package/package.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "tests/model/engine/random_package.h"
#include "tests/model/package/package_folder.h"

namespace aaren::package {
namespace {

TEST(PackageTest, LoadsWhatWasSaved) {
  const PackageFolder folder;
  const absl::StatusOr<ModelPackage> loaded = LoadPackage(folder.path());
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const ModelPackage& saved = folder.package();
  EXPECT_EQ(loaded->name, saved.name);
  EXPECT_EQ(loaded->version, saved.version);
  EXPECT_EQ(loaded->description, saved.description);
  EXPECT_EQ(loaded->config, saved.config);
  EXPECT_EQ(loaded->tensors, saved.tensors);
  EXPECT_EQ(loaded->training, saved.training);
  EXPECT_EQ(loaded->digest, saved.digest);
}

TEST(PackageTest, LoadsWhatWasSavedBeforeEnginesHadAVersionOfTheirOwn) {
  const PackageFolder folder;
  folder.EditManifest("\"input_version\": 3", "\"numerics_version\": 3");
  const absl::StatusOr<ModelPackage> loaded = LoadPackage(folder.path());
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->tensors, folder.package().tensors);
}

TEST(PackageTest, SavingTwiceGivesTheSameDigest) {
  const PackageFolder folder;
  ModelPackage again = folder.package();
  again.digest.clear();
  ASSERT_TRUE(SavePackage(folder.path(), again).ok());
  EXPECT_EQ(again.digest.size(), 64u);
  EXPECT_EQ(again.digest, folder.package().digest);
}

TEST(PackageTest, DigestDependsOnTheDescription) {
  const PackageFolder folder;
  ModelPackage other = folder.package();
  other.description += "!";
  ASSERT_TRUE(SavePackage(folder.path(), other).ok());
  EXPECT_NE(other.digest, folder.package().digest);
}

TEST(PackageTest, LeavesNoTemporaryFiles) {
  const PackageFolder folder;
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) files += entry.is_regular_file();
  EXPECT_EQ(files, 2u);
}

// A write to /dev/full fails as on a full disk, here after the weights were written.
TEST(PackageTest, AFullDiskLeavesThePackageBeforeAndNothingElse) {
  const PackageFolder folder;
  std::filesystem::create_symlink("/dev/full", folder.path() + "/model.json.new");
  ModelPackage other = folder.package();
  other.description += "!";
  const absl::Status status = SavePackage(folder.path(), other);
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);
  EXPECT_EQ(LoadPackage(folder.path())->digest, folder.package().digest);
}

TEST(PackageTest, WritesQuantilesAsPeopleWriteThem) {
  const PackageFolder folder;
  EXPECT_NE(folder.Read("model.json").find("0.1,"), std::string::npos);
}

TEST(PackageTest, FollowsASymbolicLinkToTheWeights) {
  const PackageFolder folder;
  std::filesystem::rename(folder.path() + "/weights.safetensors", folder.path() + "/blob");
  std::filesystem::create_symlink("blob", folder.path() + "/weights.safetensors");
  EXPECT_TRUE(LoadPackage(folder.path()).ok());
}

TEST(PackageTest, RefusesToSaveAnIncompletePackage) {
  const PackageFolder folder;
  ModelPackage package = folder.package();
  package.tensors.erase("norm.weight");
  const absl::Status status = SavePackage(folder.path(), package);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "tensor norm.weight is missing");
}

TEST(PackageTest, RefusesToSaveTextThatIsNotUtf8) {
  const PackageFolder folder;
  ModelPackage package = folder.package();
  package.description.push_back('\xff');
  EXPECT_EQ(SavePackage(folder.path(), package).code(), absl::StatusCode::kInvalidArgument);
}

TEST(PackageTest, RefusesToSaveABadName) {
  const PackageFolder folder;
  for (const char* name : {"", "Upper", "a b", "../a"}) {
    ModelPackage package = folder.package();
    package.name = name;
    EXPECT_EQ(SavePackage(folder.path(), package).code(), absl::StatusCode::kInvalidArgument) << name;
  }
}

TEST(PackageTest, ExpectsTheTensorsOfEveryBlock) {
  const ForecasterConfig config = engine::TinyConfig();
  const auto expected = ExpectedTensors(config);
  EXPECT_EQ(expected.size(), 9u + 15u * static_cast<size_t>(config.layers));
  EXPECT_EQ(expected.at("blocks.1.attention.sin"), (std::vector<int64_t>{4, 12}));
  EXPECT_EQ(expected.at("head.skip.weight"), (std::vector<int64_t>{5, 19}));
}

TEST(PackageTest, ExpectsTheTensorsOfSeasonsWhereTheNetworkSeesThem) {
  ForecasterConfig config = engine::TinyConfig();
  config.seasons = true;
  const auto expected = ExpectedTensors(config);
  EXPECT_EQ(expected.at("season.gate.weight"), (std::vector<int64_t>{25, 20})) << "five knots of five";
  EXPECT_EQ(expected.at("season.gate.bias"), (std::vector<int64_t>{25}));
  EXPECT_EQ(expected.at("season.residual.2.weight"), (std::vector<int64_t>{5, 24}));
  EXPECT_EQ(expected.at("head.skip.weight"), (std::vector<int64_t>{5, 36}));
}

}  // namespace
}  // namespace aaren::package
