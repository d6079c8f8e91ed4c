#include "model/training/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <filesystem>
#include <string>

#include "tests/model/training/fresh_folder.h"

namespace aaren::training {
namespace {

using ::testing::HasSubstr;

Checkpoint Sample() {
  return {.fingerprint = "seed=1",
          .step = 7,
          .seconds = 1.5,
          .best_loss = 0.25,
          .checks_since_best = 2,
          .weights = {{"w", torch::randn({3, 2})}},
          .optimizer = {{"w.first", torch::randn({3, 2})}},
          .average = {{"w", torch::randn({3, 2})}},
          .best = {},
          .history = {{"checks", torch::randn({2, 2})}}};
}

TEST(CheckpointTest, ComesBackAsItWasSaved) {
  const std::string folder = FreshFolder("checkpoint");
  const Checkpoint saved = Sample();
  ASSERT_TRUE(SaveCheckpoint(folder, saved).ok());
  const absl::StatusOr<Checkpoint> loaded = LoadCheckpoint(folder);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->fingerprint, "seed=1");
  EXPECT_EQ(loaded->step, 7);
  EXPECT_EQ(loaded->best_loss, 0.25);
  EXPECT_EQ(loaded->checks_since_best, 2);
  EXPECT_TRUE(torch::equal(loaded->weights.at("w"), saved.weights.at("w")));
  EXPECT_TRUE(torch::equal(loaded->optimizer.at("w.first"), saved.optimizer.at("w.first")));
  EXPECT_TRUE(loaded->best.empty());
  EXPECT_TRUE(torch::equal(loaded->history.at("checks"), saved.history.at("checks")));
}

TEST(CheckpointTest, NewOneReplacesTheOldAndLeavesNothingElse) {
  const std::string folder = FreshFolder("checkpoint");
  Checkpoint checkpoint = Sample();
  ASSERT_TRUE(SaveCheckpoint(folder, checkpoint).ok());
  checkpoint.step = 8;
  ASSERT_TRUE(SaveCheckpoint(folder, checkpoint).ok());
  EXPECT_EQ(LoadCheckpoint(folder)->step, 8);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
}

TEST(CheckpointTest, OneFromBeforeThereWereHistoriesIsRead) {
  const std::string folder = FreshFolder("checkpoint");
  std::filesystem::create_directories(folder);
  torch::serialize::OutputArchive archive;
  archive.write("fingerprint", c10::IValue("seed=1"));
  archive.write("step", c10::IValue(int64_t{7}));
  for (const char* number : {"seconds", "best_loss"}) archive.write(number, c10::IValue(0.5));
  archive.write("checks_since_best", c10::IValue(int64_t{2}));
  for (const char* tensors : {"weights", "optimizer", "average", "best"}) {
    archive.write(tensors, c10::IValue(c10::Dict<std::string, torch::Tensor>()));
  }
  archive.save_to(folder + "/checkpoint.pt");
  const absl::StatusOr<Checkpoint> loaded = LoadCheckpoint(folder);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->step, 7);
  EXPECT_TRUE(loaded->history.empty());
}

TEST(CheckpointTest, EmptyFolderHasNone) {
  EXPECT_TRUE(absl::IsNotFound(LoadCheckpoint(FreshFolder("checkpoint")).status()));
}

TEST(CheckpointTest, TruncatedFileIsNamed) {
  const std::string folder = FreshFolder("checkpoint");
  ASSERT_TRUE(SaveCheckpoint(folder, Sample()).ok());
  std::filesystem::resize_file(folder + "/checkpoint.pt", 100);
  const absl::Status status = LoadCheckpoint(folder).status();
  EXPECT_TRUE(absl::IsDataLoss(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr(folder + "/checkpoint.pt"));
  EXPECT_THAT(std::string(status.message()), testing::Not(HasSubstr("frame #")));
}

TEST(CheckpointTest, FolderThatCannotBeWrittenIsNamed) {
  const absl::Status status = SaveCheckpoint("/proc/nowhere", Sample());
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("/proc/nowhere"));
}

TEST(CheckpointTest, FullDiskIsNamedAndTheOldOneStays) {
  const std::string folder = FreshFolder("checkpoint");
  ASSERT_TRUE(SaveCheckpoint(folder, Sample()).ok());
  std::filesystem::create_symlink("/dev/full", folder + "/checkpoint.pt.partial");
  const absl::Status status = SaveCheckpoint(folder, Sample());
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("checkpoint.pt.partial: No space left on device"));
  EXPECT_EQ(LoadCheckpoint(folder)->step, 7);
}

TEST(CheckpointTest, OneThatCannotTakeItsNameLeavesNoPart) {
  const std::string folder = FreshFolder("checkpoint");
  std::filesystem::create_directories(folder + "/checkpoint.pt/taken");
  EXPECT_TRUE(absl::IsUnavailable(SaveCheckpoint(folder, Sample())));
  EXPECT_FALSE(std::filesystem::exists(folder + "/checkpoint.pt.partial"));
}

TEST(CopyTensorsTest, NamesWhatIsMissingOrOfAnotherShape) {
  const TensorMap to = {{"w", torch::zeros({2})}};
  EXPECT_THAT(std::string(CopyTensors({}, to).message()), HasSubstr("w is missing"));
  EXPECT_THAT(std::string(CopyTensors({{"w", torch::zeros({3})}}, to).message()), HasSubstr("w has another shape"));
}

}  // namespace
}  // namespace aaren::training
