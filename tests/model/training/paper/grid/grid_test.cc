#include "model/training/paper/grid/grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"

namespace aaren::training {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class GridTest : public ::testing::Test {
 protected:
  GridTest() {
    folder_ = absl::StrCat(::testing::TempDir(), "/grid_",
                           ::testing::UnitTest::GetInstance()->current_test_info()->name(), "_", getpid());
    options_.folder = folder_ + "/results";
    std::filesystem::create_directories(folder_);
    options_.progress = fopen((folder_ + "/progress").c_str(), "w");
    for (uint64_t seed = 0; seed < 4; ++seed) {
      cells_.push_back({.task = "classification", .dataset = "Tiny", .aaren = seed % 2 == 0, .seed = seed});
    }
  }
  ~GridTest() override {
    fclose(options_.progress);
    std::filesystem::remove_all(folder_);
  }

  std::string TextOf(const std::string& name) {
    std::ifstream file(folder_ + "/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // Runs the grid with cells that note their start.
  absl::StatusOr<std::vector<PaperResult>> Run(
      const std::function<absl::Status(const PaperCell&)>& work = {},
      const std::function<bool()>& goes_on = [] { return true; }) {
    return RunGrid(
        cells_, options_,
        [&](const PaperCell& cell, const EpochReport& report) -> absl::StatusOr<PaperResult> {
          std::ofstream(folder_ + "/starts", std::ios::app) << cell.Name() << "\n";
          if (work) {
            if (absl::Status status = work(cell); !status.ok()) return status;
          }
          report("1 of 1");
          return PaperResult{.scores = {{"accuracy %", 10.0 * static_cast<double>(cell.seed)}},
                             .curves = {{"accuracy", {1, 2}}},
                             .deviations = {"None."},
                             .parameters = 7,
                             .epochs = 1};
        },
        goes_on);
  }

  std::string folder_;
  std::vector<PaperCell> cells_;
  GridOptions options_;
};

TEST_F(GridTest, ReturnsTheResultsInOrder) {
  options_.processes = 3;
  const absl::StatusOr<std::vector<PaperResult>> results = Run();
  ASSERT_TRUE(results.ok()) << results.status();
  ASSERT_EQ(results->size(), 4);
  EXPECT_EQ((*results)[2].scores.at("accuracy %"), 20);
  EXPECT_EQ((*results)[2].curves.at("accuracy"), (std::vector<double>{1, 2}));
  EXPECT_EQ((*results)[2].parameters, 7);
  EXPECT_GT((*results)[2].peak_bytes, 1 << 20);
}

TEST_F(GridTest, RunsACompleteCellNeverAgain) {
  ASSERT_TRUE(Run().ok());
  const std::string starts = TextOf("starts");
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(TextOf("starts"), starts);
}

TEST_F(GridTest, TellsWhatIsLeft) {
  ASSERT_TRUE(Run().ok());
  fflush(options_.progress);
  const std::string progress = TextOf("progress");
  EXPECT_THAT(progress, HasSubstr("classification-Tiny-aaren-0: epoch 1 of 1\n"));
  EXPECT_THAT(progress,
              HasSubstr("classification-Tiny-softmax-1 is complete; 2 of 4 cells are complete, 2 left, about"));
}

TEST_F(GridTest, AFailureIsNamedAndKeepsTheCompleteCells) {
  const auto failing = [](const PaperCell& cell) {
    return cell.seed == 2 ? absl::InvalidArgumentError("x.ts:3: odd") : absl::OkStatus();
  };
  const absl::Status status = Run(failing).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("classification-Tiny-aaren-2: x.ts:3: odd; 2 of 4 cells"));
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(TextOf("starts"),
            "classification-Tiny-aaren-0\nclassification-Tiny-softmax-1\nclassification-Tiny-aaren-2\n"
            "classification-Tiny-aaren-2\nclassification-Tiny-softmax-3\n");
}

TEST_F(GridTest, ACellThatIsKilledEndsTheGridInOneLine) {
  const absl::Status status = Run([](const PaperCell&) { return raise(SIGKILL), absl::OkStatus(); }).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()), HasSubstr("classification-Tiny-aaren-0 was ended by signal 9"));
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("\n")));
}

TEST_F(GridTest, AResultThatCannotBeWrittenIsAnError) {
  const absl::Status status =
      Run([this](const PaperCell&) { return std::filesystem::remove_all(options_.folder), absl::OkStatus(); }).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("cannot write " + options_.folder));
}

TEST_F(GridTest, AnInterruptedGridGoesOn) {
  int looks = 0;
  const absl::Status status = Run({}, [&] { return ++looks < 3; }).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_THAT(std::string(status.message()), HasSubstr("the same command goes on"));
  EXPECT_TRUE(Run().ok());
}

TEST_F(GridTest, ResultsOfOtherSettingsAreRefused) {
  ASSERT_TRUE(Run().ok());
  options_.settings.epochs = 3;
  const absl::Status status = Run().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("epochs=0"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("epochs=3"));
}

TEST_F(GridTest, ABrokenResultIsNamed) {
  std::filesystem::create_directories(options_.folder);
  std::ofstream(options_.folder + "/classification-Tiny-aaren-0.json") << "{\"cell\"";
  const absl::Status status = Run().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("classification-Tiny-aaren-0.json is no result"));
}

}  // namespace
}  // namespace aaren::training
