#include "model/training/paper/experiments/served_classifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "model/engine/classification/classifier_package.h"

namespace aaren::training {
namespace {

using testing::HasSubstr;

class ServedClassifierTest : public testing::Test {
 protected:
  ServedClassifierTest() { std::filesystem::create_directories(folder_); }
  ~ServedClassifierTest() override { std::filesystem::remove_all(folder_); }

  // Writes cases of two channels that rise or fall, at a level and a pace of their own.
  std::string WriteCases(const std::string& name, int cases, const std::string& classes = "fall rise") {
    const std::string path = folder_ + "/" + name;
    std::ofstream file(path);
    file << "@classLabel true " << classes << "\n@data\n";
    for (int i = 0; i < cases; ++i) {
      const bool rise = i % 2 == 0;
      for (const double scale : {1.0, -3.0}) {
        for (int t = 0; t < 12; ++t) {
          const double slope = (rise ? 1 : -1) * (1 + 0.1 * (i % 3));
          file << (t == 0 ? "" : ",");
          t == 5 && i == 4 ? file << "?" : file << 100 + scale * (slope * t + std::sin(i + 2.0 * t));
        }
        file << ":";
      }
      file << (rise ? "rise" : "fall") << "\n";
    }
    return path;
  }

  absl::StatusOr<ServedClassifier> Train(int64_t epochs) {
    options_.epochs = epochs;
    return TrainServedClassifier(
        options_, [](const std::string&) {}, [] { return true; });
  }

  const std::string folder_ = testing::TempDir() + "/" + testing::UnitTest::GetInstance()->current_test_info()->name();
  ServedClassifierOptions options_;
};

TEST_F(ServedClassifierTest, LearnsToTellRisesFromFalls) {
  options_.train = WriteCases("train.ts", 40);
  options_.test = WriteCases("test.ts", 20);
  const absl::StatusOr<ServedClassifier> made = Train(15);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->test.size(), 20u);
  EXPECT_GE(classification::AccuracyByShare(made->test).back(), 0.9);
  package::ModelPackage package;
  package.kind = package::kClassification;
  package.input_version = classification::kClassifierInputVersion;
  package.classifier = made->config;
  package.tensors = made->tensors;
  const absl::Status status = classification::CheckClassifierPackage(package);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(made->config.steps, 12);
  EXPECT_NEAR(made->config.means[0], 100, 10);
}

TEST_F(ServedClassifierTest, TwoRunsWithOneSeedAreEqual) {
  options_.train = WriteCases("train.ts", 12);
  const absl::StatusOr<ServedClassifier> one = Train(2), two = Train(2);
  ASSERT_TRUE(one.ok() && two.ok());
  EXPECT_EQ(one->tensors, two->tensors);
}

TEST_F(ServedClassifierTest, FilesOfOtherClassesAreNamed) {
  options_.train = WriteCases("train.ts", 12);
  options_.test = WriteCases("test.ts", 4, "fall rise stay");
  EXPECT_THAT(Train(1).status().message(), HasSubstr("test.ts differ in classes or channels"));
}

TEST_F(ServedClassifierTest, AClassWithASingleCaseIsNamed) {
  options_.train = WriteCases("train.ts", 3);
  EXPECT_THAT(Train(1).status().message(), HasSubstr("the class \"fall\" has a single case"));
}

TEST_F(ServedClassifierTest, AnInterruptEndsTheTraining) {
  options_.train = WriteCases("train.ts", 12);
  const absl::Status status = TrainServedClassifier(
                                  options_, [](const std::string&) {}, [] { return false; })
                                  .status();
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
}

}  // namespace
}  // namespace aaren::training
