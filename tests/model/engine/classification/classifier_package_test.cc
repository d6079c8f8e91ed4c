#include "model/engine/classification/classifier_package.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/model/engine/classification/random_classifier.h"

namespace aaren::classification {
namespace {

using testing::HasSubstr;

class ClassifierPackageTest : public testing::Test {
 protected:
  ~ClassifierPackageTest() override { std::filesystem::remove_all(folder_); }

  std::string Fault() { return std::string(SaveClassifierPackage(folder_, package_).message()); }

  const std::string folder_ = testing::TempDir() + "/" + testing::UnitTest::GetInstance()->current_test_info()->name();
  package::ModelPackage package_ = RandomClassifierPackage(1);
};

TEST_F(ClassifierPackageTest, ASavedPackageLoadsUnchanged) {
  package_.classifier.means[0] = 1e9 + 0.1;  // more digits than a float has
  ASSERT_EQ(Fault(), "");
  const absl::StatusOr<package::ModelPackage> loaded = package::LoadPackage(folder_);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->classifier, package_.classifier);
  EXPECT_EQ(loaded->tensors, package_.tensors);
  EXPECT_EQ(loaded->digest, package_.digest);
  EXPECT_TRUE(CheckClassifierPackage(*loaded).ok());
}

TEST_F(ClassifierPackageTest, AMissingTensorIsNamed) {
  package_.tensors.erase("layers.1.norm.bias");
  EXPECT_THAT(Fault(), HasSubstr("tensor layers.1.norm.bias is missing"));
}

TEST_F(ClassifierPackageTest, AHeadOfOtherStepsIsNamed) {
  package_.classifier.steps = 99;
  EXPECT_THAT(Fault(), HasSubstr("tensor embedding.position has shape [100, 128], not [99, 128]"));
}

TEST_F(ClassifierPackageTest, AClassNamedTwiceIsNamed) {
  package_.classifier.classes[2] = "class 0";
  EXPECT_THAT(Fault(), HasSubstr("classes[2] is \"class 0\" a second time"));
}

TEST_F(ClassifierPackageTest, ADeviationOfZeroIsNamed) {
  package_.classifier.deviations[1] = 0;
  EXPECT_THAT(Fault(), HasSubstr("deviations[1] is 0"));
}

TEST_F(ClassifierPackageTest, AMeanWithoutADeviationIsNamed) {
  package_.classifier.means.push_back(1);
  EXPECT_THAT(Fault(), HasSubstr("deviations has 3 entries, means has 4"));
}

TEST_F(ClassifierPackageTest, AnotherInputVersionIsNamed) {
  package_.input_version = 2;
  EXPECT_THAT(CheckClassifierPackage(package_).message(), HasSubstr("input_version is 2; this program has 1"));
}

}  // namespace
}  // namespace aaren::classification
