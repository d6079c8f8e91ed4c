#include "client/cli/terminal/output_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/client/cli/temporary_file.h"

namespace aaren::cli {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string>& Series() {
  static const auto* const series = new std::vector<std::string>{"a", "b"};
  return *series;
}

std::string Line(uint64_t seq, const std::string& series) {
  return absl::StrCat("{\"seq\":", seq, ",\"time\":null,\"series\":\"", series, "\",\"value\":1}\n");
}

std::string Group(uint64_t seq) { return Line(seq, "a") + Line(seq, "b"); }

TEST(OutputFileTest, NewFileBeginsAtToken0) {
  TemporaryFile temporary;
  const auto file = OutputFile::Open(temporary.path(), Series());
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)->delivered_seq(), 0u);
}

TEST(OutputFileTest, GoesOnBehindTheLastWholeGroup) {
  TemporaryFile temporary(Group(7) + Group(8));
  const auto file = OutputFile::Open(temporary.path(), Series());
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)->delivered_seq(), 9u);
  ASSERT_TRUE((*file)->Write(Group(9)).ok());
  EXPECT_EQ(temporary.Read(), Group(7) + Group(8) + Group(9));
}

TEST(OutputFileTest, TellsTheTimeOfTheLastWholeGroup) {
  const std::string timed =
      "{\"seq\":7,\"time\":\"1 May\",\"series\":\"a\"}\n{\"seq\":7,\"time\":\"1 May\",\"series\":\"b\"}\n";
  TemporaryFile temporary(timed + Line(8, "a"));
  EXPECT_EQ((*OutputFile::Open(temporary.path(), Series()))->last_time(), "1 May");
  TemporaryFile without(timed + Group(8));
  EXPECT_EQ((*OutputFile::Open(without.path(), Series()))->last_time(), std::nullopt);
}

TEST(OutputFileTest, CutsATornEndAtEveryByte) {
  const std::string kept = Group(0) + Group(1);
  const std::string torn = Group(2);
  for (size_t bytes = 0; bytes < torn.size(); ++bytes) {
    TemporaryFile temporary(kept + torn.substr(0, bytes));
    const auto file = OutputFile::Open(temporary.path(), Series());
    ASSERT_TRUE(file.ok()) << file.status();
    ASSERT_EQ((*file)->delivered_seq(), 2u) << bytes;
    ASSERT_EQ((*file)->cut_bytes(), bytes);
    ASSERT_EQ(temporary.Read(), kept);
  }
}

TEST(OutputFileTest, FirstGroupTornLeavesAnEmptyFile) {
  TemporaryFile temporary(Line(0, "a") + "{\"se");
  const auto file = OutputFile::Open(temporary.path(), Series());
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)->delivered_seq(), 0u);
  EXPECT_EQ(temporary.Read(), "");
}

TEST(OutputFileTest, GapsBetweenForecastTokensAreKept) {
  TemporaryFile temporary(Group(0) + Group(5) + Line(10, "a"));
  const auto file = OutputFile::Open(temporary.path(), Series());
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)->delivered_seq(), 6u);
}

TEST(OutputFileTest, LongFileIsReadFromItsEnd) {
  std::string contents;
  for (uint64_t seq = 0; contents.size() < (1 << 20); ++seq) contents += Group(seq);
  TemporaryFile temporary(contents + Line(1'000'000, "a") + "{\"seq\":1");
  const auto file = OutputFile::Open(temporary.path(), Series());
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(temporary.Read(), contents);
}

TEST(OutputFileTest, GroupLongerThanOneReadIsFound) {
  const std::vector<std::string> series = {std::string(100'000, 'a'), std::string(100'000, 'b')};
  const std::string group = Line(4, series[0]) + Line(4, series[1]);
  TemporaryFile temporary(group + Line(5, series[0]));
  const auto file = OutputFile::Open(temporary.path(), series);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(temporary.Read(), group);
}

TEST(OutputFileTest, OtherSeriesAreRefusedAndTheFileLeftAlone) {
  const std::string contents = Line(0, "a") + Line(0, "c");
  TemporaryFile temporary(contents);
  const auto file = OutputFile::Open(temporary.path(), Series());
  EXPECT_EQ(file.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(file.status().message()), HasSubstr("\"c\""));
  EXPECT_EQ(temporary.Read(), contents);
}

TEST(OutputFileTest, SomeOtherFileIsLeftAlone) {
  for (const std::string contents : {"my only copy", "date,a\n2024-01-01,1\n", "{\"seq\":1}\n"}) {
    TemporaryFile temporary(contents);
    const auto file = OutputFile::Open(temporary.path(), Series());
    EXPECT_EQ(file.status().code(), absl::StatusCode::kFailedPrecondition) << contents;
    EXPECT_EQ(temporary.Read(), contents);
  }
}

TEST(OutputFileTest, SecondWriterIsRefused) {
  TemporaryFile temporary;
  const auto first = OutputFile::Open(temporary.path(), Series());
  ASSERT_TRUE(first.ok());
  const auto second = OutputFile::Open(temporary.path(), Series());
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(second.status().message()), HasSubstr(temporary.path()));
}

TEST(OutputFileTest, FullDiskIsNamed) {
  const auto file = OutputFile::Open("/dev/full", Series());
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_THAT(std::string((*file)->Write(Group(0)).message()), HasSubstr("/dev/full"));
}

TEST(OutputFileTest, FolderThatIsNotThereIsNamed) {
  EXPECT_THAT(std::string(OutputFile::Open("/nowhere/out", Series()).status().message()), HasSubstr("/nowhere/out"));
}

}  // namespace
}  // namespace aaren::cli
