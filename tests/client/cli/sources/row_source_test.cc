// Sources that can go back: a file, and the latest rows of a stream.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "client/cli/sources/recent_rows.h"
#include "client/cli/sources/regular_source.h"
#include "tests/client/cli/temporary_file.h"

namespace aaren::cli {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<RowSource> OpenRows(const TemporaryFile& file, bool again) {
  auto source = RegularSource::Open("a.csv", [path = file.path()] { return OpenBytes(path); }, again, {}, {});
  EXPECT_TRUE(source.ok()) << source.status();
  return *std::move(source);
}

constexpr char kRows[] = "a\n0\n1\n2\n3\n4\n";

float NextValue(RowSource& source) {
  Row row;
  const absl::StatusOr<bool> any = source.Next(row);
  return any.ok() && *any ? row.values[0] : -1;
}

TEST(PlainRowsTest, FileGoesForwardAndBack) {
  TemporaryFile file(kRows);
  const auto source = OpenRows(file, true);
  ASSERT_TRUE(source->Seek(3).ok());
  EXPECT_EQ(NextValue(*source), 3);
  ASSERT_TRUE(source->Seek(1).ok());
  EXPECT_EQ(NextValue(*source), 1);
}

TEST(PlainRowsTest, SeekToTheEndFindsNoMoreRows) {
  TemporaryFile file(kRows);
  const auto source = OpenRows(file, true);
  ASSERT_TRUE(source->Seek(5).ok());
  EXPECT_EQ(NextValue(*source), -1);
}

TEST(PlainRowsTest, SeekBehindTheEndSaysHowManyRowsThereAre) {
  TemporaryFile file(kRows);
  const absl::Status status = OpenRows(file, true)->Seek(9);
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(status.message()), HasSubstr("a.csv ends after 5 rows"));
}

TEST(PlainRowsTest, TimesAreReadAsBeforeWhenAFileHasGrown) {
  TemporaryFile file("date,a\n1/2/2021,0\n");
  testing::internal::CaptureStderr();
  const auto source = OpenRows(file, true);
  Row before, after;
  ASSERT_TRUE(source->Next(before).ok());
  file.Write("date,a\n1/2/2021,0\n13/2/2021,1\n");
  ASSERT_TRUE(source->Seek(0).ok());
  ASSERT_TRUE(source->Next(after).ok());
  EXPECT_EQ(before.time_ns, after.time_ns);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
}

TEST(PlainRowsTest, PipeDoesNotGoBack) {
  TemporaryFile file(kRows);
  const auto source = OpenRows(file, false);
  EXPECT_EQ(NextValue(*source), 0);
  EXPECT_FALSE(source->CanSeek(0));
  EXPECT_EQ(source->Seek(0).code(), absl::StatusCode::kDataLoss);
}

TEST(RecentRowsTest, GoesBackAsFarAsItKeeps) {
  TemporaryFile file(kRows);
  RecentRows source(OpenRows(file, false), 2);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(NextValue(source), i);
  ASSERT_TRUE(source.CanSeek(2));
  ASSERT_TRUE(source.Seek(2).ok());
  for (int i = 2; i < 5; ++i) EXPECT_EQ(NextValue(source), i);
}

TEST(RecentRowsTest, OlderRowsAreGone) {
  TemporaryFile file(kRows);
  RecentRows source(OpenRows(file, false), 2);
  for (int i = 0; i < 4; ++i) NextValue(source);
  EXPECT_FALSE(source.CanSeek(1));
  EXPECT_EQ(source.Seek(1).code(), absl::StatusCode::kDataLoss);
}

TEST(RecentRowsTest, GoesForwardThroughItsSource) {
  TemporaryFile file(kRows);
  RecentRows source(OpenRows(file, false), 2);
  ASSERT_TRUE(source.Seek(3).ok());
  EXPECT_EQ(NextValue(source), 3);
}

}  // namespace
}  // namespace aaren::cli
