#include "model/engine/events/event_package.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "tests/model/engine/events/random_events.h"

namespace aaren::events {
namespace {

using testing::HasSubstr;

class EventPackageTest : public testing::Test {
 protected:
  void SetUp() override {
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    folder_ = testing::TempDir() + "event_package_test_" + test.name();  // tests run beside each other
    std::filesystem::remove_all(folder_);
    ASSERT_TRUE(SaveEventPackage(folder_, package_).ok());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void Append(const char* name, const std::string& text) { std::ofstream(folder_ + name, std::ios::app) << text; }
  std::string Error() { return std::string(LoadEventPackage(folder_).status().message()); }

  EventPackage package_ = RandomEventPackage(2);
  std::string folder_;
};

TEST_F(EventPackageTest, LoadsWhatWasSaved) {
  const auto loaded = LoadEventPackage(folder_);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->tensors, package_.tensors);
  EXPECT_EQ(loaded->name, package_.name);
  EXPECT_EQ(loaded->digest, package_.digest);
}

TEST_F(EventPackageTest, IsAtMostAMegabyte) {
  EXPECT_LE(std::filesystem::file_size(folder_ + "/weights.safetensors"), 1'000'000u);
}

TEST_F(EventPackageTest, ChangedWeightsAreDataLoss) {
  Append("/weights.safetensors", "x");
  EXPECT_TRUE(absl::IsDataLoss(LoadEventPackage(folder_).status()));
}

TEST_F(EventPackageTest, AMissingFolderIsNotFound) {
  EXPECT_TRUE(absl::IsNotFound(LoadEventPackage(folder_ + "x").status()));
}

TEST_F(EventPackageTest, AFaultyManifestIsNamed) {
  Append("/model.json", "}");
  EXPECT_THAT(Error(), HasSubstr("model.json"));
}

TEST_F(EventPackageTest, AnotherInputVersionIsRefused) {
  package_.input_version = kEventInputVersion + 1;
  EXPECT_EQ(CheckEventPackage(package_).message(), "input_version is 2; this program has 1");
}

TEST_F(EventPackageTest, AForecasterIsRefused) {
  package_.kind = package::kForecaster;
  EXPECT_EQ(CheckEventPackage(package_).message(), "kind is \"forecaster\", not \"events\"");
}

TEST_F(EventPackageTest, WrongTensorsAreNotSaved) {
  EventPackage package = package_;
  package.tensors.erase("norm.weight");
  EXPECT_THAT(SaveEventPackage(folder_, package).message(), HasSubstr("norm.weight is missing"));
  package = package_;
  package.tensors["norm.weight"].data[3] = std::nanf("");
  EXPECT_THAT(SaveEventPackage(folder_, package).message(), HasSubstr("norm.weight[3] is nan"));
  package = package_;
  package.tensors["more"] = package.tensors["norm.weight"];
  EXPECT_THAT(SaveEventPackage(folder_, package).message(), HasSubstr("more is unknown"));
  package = package_;
  package.tensors["norm.weight"].shape = {32, 2};
  EXPECT_THAT(SaveEventPackage(folder_, package).message(), HasSubstr("norm.weight has shape [32, 2], not [64]"));
}

}  // namespace
}  // namespace aaren::events
