#include "tests/bench/attention/streaming_figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace aaren::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Two tokens and a fit of each of two mixers.
std::vector<Row> SmallRows() {
  std::vector<Row> rows, fits;
  for (const char* mixer : {"aaren", "transformer (kv cache)"}) {
    for (const int64_t tokens : {1, 10000}) {
      rows.push_back({{"mixer", mixer},
                      {"width", int64_t{128}},
                      {"tokens", tokens},
                      {"state_bytes", int64_t{1024}},
                      {"cumulative_seconds", 0.5 * static_cast<double>(tokens)}});
    }
    fits.push_back({{"mixer", mixer},
                    {"width", int64_t{128}},
                    {"heads", int64_t{4}},
                    {"blocks", int64_t{3}},
                    {"memory_exponent", -0.001},
                    {"time_exponent", 1.25}});
  }
  rows.insert(rows.end(), fits.begin(), fits.end());
  return rows;
}

std::string ReadFile(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// A folder of its own, and a PATH without gnuplot, for as long as the test runs.
class WithoutGnuplotTest : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("PATH", folder_.c_str(), 1);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    setenv("PATH", path_.c_str(), 1);
    std::filesystem::remove_all(folder_);
  }

  const std::string path_ = std::getenv("PATH");
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("streaming_figure_test." + std::to_string(getpid()));
};

TEST(StreamingFigureTest, CurvesAreTheRowsOfTheirMixerAndWidth) {
  EXPECT_THAT(StreamingFigure(SmallRows(), "dumb", "a.txt"),
              HasSubstr("\n1 1024 0.5\n10000 1024 5000\ne\n1 1024 0.5\n10000 1024 5000\ne\n"));
}

TEST(StreamingFigureTest, ExponentsAreShownWithoutASignOnZero) {
  const std::string script = StreamingFigure(SmallRows(), "dumb", "a.txt");
  EXPECT_THAT(script, HasSubstr("'{/:Italic N}^{ 0.00}'"));
  EXPECT_THAT(script, HasSubstr("'{/:Italic N}^{ 1.25}'"));
}

TEST(StreamingFigureTest, LegendNamesOnlyMixersThatWereRun) {
  const std::string script = StreamingFigure(SmallRows(), "dumb", "a.txt");
  EXPECT_THAT(script, HasSubstr("'Transformer, KV cache'"));
  EXPECT_THAT(script, Not(HasSubstr("'Linear attention'")));
}

TEST(StreamingFigureTest, FileNameIsQuoted) {
  EXPECT_THAT(StreamingFigure(SmallRows(), "dumb", "it's.txt"), HasSubstr("set output 'it''s.txt'\n"));
}

TEST_F(WithoutGnuplotTest, TableIsSavedAndTheErrorSaysWhatToInstall) {
  const absl::Status status = SaveStreaming(SmallRows(), folder_);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("gnuplot-nox"));
  EXPECT_THAT(ReadFile(folder_ / "streaming.csv"),
              HasSubstr("mixer,width,tokens,state_bytes,cumulative_seconds\naaren,128,1,1024,0.5\n"));
}

TEST_F(WithoutGnuplotTest, FolderThatCannotBeWrittenIsNamed) {
  const absl::Status status = SaveStreaming(SmallRows(), folder_ / "missing");
  EXPECT_THAT(status.message(), HasSubstr((folder_ / "missing").string()));
}

}  // namespace
}  // namespace aaren::bench
