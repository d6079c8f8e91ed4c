// Files on a grid of times: what a session is given, whatever order and holes the file has.

#include "client/cli/sources/regular_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/sources/series_list.h"
#include "tests/client/cli/temporary_file.h"

namespace aaren::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kHour = 3'600'000'000'000;
constexpr int64_t kNewYear = 1'704'067'200'000'000'000;  // 2024

class RegularSourceTest : public ::testing::Test {
 protected:
  std::unique_ptr<RegularSource> Open(const std::string& text, const RegularTimesOptions& times = {}, bool again = true,
                                      const CsvOptions& csv = {}) {
    file_.Write(text);
    testing::internal::CaptureStderr();
    auto source = RegularSource::Open(
        "t.csv", [this] { return OpenBytes(file_.path()); }, again, csv, times);
    said_ = testing::internal::GetCapturedStderr();
    EXPECT_TRUE(source.ok()) << source.status();
    return source.ok() ? *std::move(source) : nullptr;
  }

  // The values that are left, "-" for a missing one.
  std::string Rest(RowSource& source) {
    std::vector<std::string> values;
    Row row;
    testing::internal::CaptureStderr();
    absl::StatusOr<bool> any;
    while ((any = source.Next(row)).ok() && *any) {
      values.push_back(std::isnan(row.values[0]) ? "-" : absl::StrCat(row.values[0]));
      times_.push_back(row.time);
    }
    said_ += testing::internal::GetCapturedStderr();
    status_ = any.status();
    return absl::StrJoin(values, " ");
  }

  TemporaryFile file_;
  std::string said_;
  std::vector<std::string> times_;
  absl::Status status_;
};

TEST_F(RegularSourceTest, ValuesThatASessionCannotTellApartAreCounted) {
  const auto source = Open("a\n1e30\n-2e30\n3e30\n");
  Rest(*source);
  EXPECT_THAT(source->Summary(), ElementsAre("t.csv: 2 values beyond 1e+30: forecasts take 1e+30 in their place"));
}

TEST_F(RegularSourceTest, GapIsFilledAndNamedOnceWithItsTimesAsTheFileWritesThem) {
  const auto source = Open("date,a\n2024-01-01 00:00,1\n2024-01-01 01:00,2\n2024-01-01 04:00,5\n2024-01-01 05:00,6\n");
  EXPECT_THAT(said_, HasSubstr("t.csv: a row every 1h"));
  EXPECT_EQ(Rest(*source), "1 2 - - 5 6");
  EXPECT_EQ(times_[2], "2024-01-01 02:00");
  EXPECT_THAT(said_, HasSubstr("t.csv: no row at \"2024-01-01 02:00\""));
  EXPECT_THAT(source->Summary(), ElementsAre("t.csv: 2 steps of 6 had no row: missing values"));
}

TEST_F(RegularSourceTest, StepOfNoneCountsRows) {
  EXPECT_EQ(Rest(*Open("date,a\n2024-01-01,1\n2024-01-02,2\n2024-01-09,3\n", {.step = "none"})), "1 2 3");
}

TEST_F(RegularSourceTest, CoarserStepJoinsRows) {
  std::string text = "date,a\n";
  for (int i = 0; i < 12; ++i) absl::StrAppend(&text, "2024-01-01 0", i / 6, ":", i % 6, "0,", i, "\n");
  EXPECT_EQ(Rest(*Open(text, {.step = "1h", .aggregate = "mean"})), "2.5 8.5");
  EXPECT_EQ(times_[1], "2024-01-01 01:00");
}

// Two rows an hour in the night to 27 October: rows that share their hour tell of no end of summer time.
TEST_F(RegularSourceTest, HoursThatOftenComeTwiceEndNoSummerTime) {
  std::string text = "date,a\n";
  for (int i = 0; i < 12; ++i) absl::StrAppend(&text, "2024-10-27 0", i / 2, ":00,", i, "\n");
  EXPECT_EQ(Rest(*Open(text, {.step = "1h", .aggregate = "mean"})), "0.5 2.5 4.5 6.5 8.5 10.5");
}

TEST_F(RegularSourceTest, SummerTimeOfShorterStepsEndsAlsoWhereTimesOftenComeTwice) {
  std::string text = "date,a\n";
  for (const char* time : {"02:00", "02:30", "02:00", "02:30", "03:00"}) {
    for (const char* value : {"1", "3"}) absl::StrAppend(&text, "2024-10-27 ", time, ",", value, "\n");
  }
  EXPECT_EQ(Rest(*Open(text, {.step = "30m", .aggregate = "mean"})), "2 2 2 2 2");
}

TEST_F(RegularSourceTest, NewestFirstIsTurnedAndNoOrderIsSorted) {
  EXPECT_EQ(Rest(*Open("date,a\n2024-01-04,4\n2024-01-03,3\n2024-01-02,2\n2024-01-01,1\n")), "1 2 3 4");
  EXPECT_EQ(Rest(*Open("date,a\n2024-01-04,4\n2024-01-01,1\n2024-01-03,3\n2024-01-02,2\n2024-01-05,5\n")), "1 2 3 4 5");
  EXPECT_THAT(said_, HasSubstr("sorted"));
}

TEST_F(RegularSourceTest, LateRowOfAFileIsPutInItsPlace) {
  std::string text = "date,a\n";
  for (int i = 0; i < 20; ++i)
    absl::StrAppend(&text, kNewYear / 1'000'000'000 + 3600 * (i == 7 ? 8 : i == 8 ? 7 : i), ",", i, "\n");
  EXPECT_EQ(Rest(*Open(text)), "0 1 2 3 4 5 6 8 7 9 10 11 12 13 14 15 16 17 18 19");
}

TEST_F(RegularSourceTest, LateRowIsLeftOutOrStopsAsAskedFor) {
  std::string text = "date,a\n";
  for (int i = 0; i < 20; ++i) absl::StrAppend(&text, kNewYear / 1'000'000'000 + 3600 * (i == 7 ? 3 : i), ",", i, "\n");
  const auto skip = Open(text, {.lateness = absl::ZeroDuration()});
  EXPECT_EQ(Rest(*skip), "0 1 2 3 4 5 6 - 8 9 10 11 12 13 14 15 16 17 18 19");
  EXPECT_THAT(skip->Summary(), ::testing::Contains(HasSubstr("1 row left out for being late")));
  EXPECT_EQ(Rest(*Open(text, {.lateness = absl::ZeroDuration(), .late = "stop"})), "0 1 2 3 4 5");
  EXPECT_THAT(std::string(status_.message()), HasSubstr("t.csv: line 9: "));
}

TEST_F(RegularSourceTest, LiveRowsPassAtOnceAndShowTheirStep) {
  const auto source = Open("date,a\n2024-01-01 00:00,1\n2024-01-01 01:00,2\n2024-01-01 01:00,9\n2024-01-01 03:00,4\n",
                           {.step = "1h"}, /*again=*/false);
  EXPECT_EQ(Rest(*source), "1 2 - 4");
}

// The record behind the row is here, and is no row: Next would wait for the sender.
TEST_F(RegularSourceTest, LiveRowIsReadyOnlyOnTheGrid) {
  const auto source = Open("date,a\n2024-01-01 00:00,1\n2024-01-01 03:00,4\n\n", {.step = "1h"}, /*again=*/false);
  std::vector<bool> ready;
  for (Row row; source->Next(row).value_or(false);) ready.push_back(source->ready());
  EXPECT_THAT(ready, ElementsAre(false, true, true, false));
}

TEST_F(RegularSourceTest, NextDaysFileGoesOnBehindTheSession) {
  std::string text = "date,a\n";
  for (int i = 0; i < 6; ++i) absl::StrAppend(&text, "2024-01-02 0", i, ":00,", i, "\n");
  for (const bool again : {true, false}) {
    const auto source = Open(text, {}, again);
    const auto said = source->GoOn({.next_seq = 24, .last_time_ns = kNewYear + 23 * kHour, .step_ns = kHour});
    ASSERT_TRUE(said.ok()) << said.status();
    EXPECT_EQ(*said, ", with the rows of t.csv behind 2024-01-01 23:00");
    EXPECT_EQ(Rest(*source), "0 1 2 3 4 5");
  }
}

TEST_F(RegularSourceTest, OverlapIsNotTakenTwiceAndAGapBetweenFilesIsFilled) {
  const std::string text = "date,a\n2024-01-01 01:00,1\n2024-01-01 02:00,2\n2024-01-01 03:00,3\n2024-01-01 04:00,4\n";
  const auto overlap = Open(text);
  ASSERT_TRUE(overlap->GoOn({.next_seq = 30, .last_time_ns = kNewYear + 2 * kHour}).ok());
  EXPECT_EQ(Rest(*overlap), "3 4");
  EXPECT_THAT(overlap->Summary(), ElementsAre("t.csv: 2 rows left out that the session has already"));
  const auto gap = Open(text);
  ASSERT_TRUE(gap->GoOn({.next_seq = 30, .last_time_ns = kNewYear - 2 * kHour}).ok());
  EXPECT_EQ(Rest(*gap), "- - 1 2 3 4");
}

TEST_F(RegularSourceTest, FileThatGrowsGoesOnByItsRowsFromTheFirst) {
  const auto source = Open("date,a\n2024-01-01 00:00,1\n2024-01-01 01:00,2\n2024-01-01 04:00,5\n2024-01-01 05:00,6\n");
  const auto said = source->GoOn({.next_seq = 3, .last_time_ns = kNewYear + 2 * kHour});  // a step without a row
  ASSERT_TRUE(said.ok()) << said.status();
  EXPECT_EQ(*said, "");
  EXPECT_EQ(Rest(*source), "- 5 6");
  EXPECT_TRUE(source->CanSeek(0));
  ASSERT_TRUE(source->Seek(1).ok());
  EXPECT_EQ(Rest(*source), "2 - - 5 6");
}

TEST_F(RegularSourceTest, FurtherFileGoesBackToItsBeginningAndNotBeforeIt) {
  const auto source = Open("date,a\n2024-01-02 00:00,1\n2024-01-02 01:00,2\n2024-01-02 02:00,3\n");
  ASSERT_TRUE(source->GoOn({.next_seq = 24, .last_time_ns = kNewYear + 23 * kHour}).ok());
  EXPECT_EQ(Rest(*source), "1 2 3");
  EXPECT_FALSE(source->CanSeek(23));
  EXPECT_EQ(source->Seek(23).code(), absl::StatusCode::kDataLoss);
  ASSERT_TRUE(source->Seek(25).ok());
  EXPECT_EQ(Rest(*source), "2 3");
}

TEST_F(RegularSourceTest, RowsOnRecordThatAreInAnotherFileAreNotMadeUp) {
  const auto source = Open("date,a\n2024-01-02 00:00,1\n2024-01-02 01:00,2\n2024-01-02 02:00,3\n");
  const auto said = source->GoOn({.next_seq = 20, .last_time_ns = kNewYear + 19 * kHour, .delivered_seq = 24});
  EXPECT_EQ(said.status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(RegularSourceTest, FromStartTakesEveryRowBehindTheSession) {
  const auto source = Open("a\n1\n2\n", {.from_start = true});
  ASSERT_TRUE(source->GoOn({.next_seq = 24}).ok());
  EXPECT_EQ(Rest(*source), "1 2");
  EXPECT_THAT(std::string(Open("a\n1\n2\n")->GoOn({.next_seq = 24}).status().message()), HasSubstr("--from_start"));
}

TEST_F(RegularSourceTest, FromStartIsRefusedForAFileOfThePast) {
  const auto source = Open("date,a\n2024-01-01 00:00,1\n2024-01-01 01:00,2\n", {.from_start = true});
  const auto said = source->GoOn({.next_seq = 24, .last_time_ns = kNewYear + 23 * kHour});
  EXPECT_EQ(said.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(said.status().message()), HasSubstr("t.csv begins at 2024-01-01 00:00"));
  EXPECT_THAT(std::string(said.status().message()), HasSubstr("last row is of 2024-01-01 23:00"));
}

TEST_F(RegularSourceTest, SeveralSeriesAreNamedAndTakenApart) {
  std::string text = "date,host,a\n";
  for (int i = 0; i < 6; ++i)
    absl::StrAppend(&text, "2024-01-0", i + 1, ",web,", i, "\n2024-01-0", i + 1, ",db 1,", -i, "\n");
  file_.Write(text);
  const auto refused = RegularSource::Open("t.csv", [this] { return OpenBytes(file_.path()); }, true, {}, {});
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("--series_column=\"host\""));
  const CsvOptions csv = {.series_column = "host"};
  EXPECT_THAT(*SeriesOf(file_.path(), csv), ElementsAre("web", "db 1"));
  EXPECT_EQ(Rest(*Open(text, {}, true, {.series_column = "host", .only_series = "db 1"})), "0 -1 -2 -3 -4 -5");
  EXPECT_EQ(SessionPart("db 1"), "db%201");
}

TEST_F(RegularSourceTest, SeriesFarBehindTheFilesBeginningHasAStepAndAnOrder) {
  std::string text = "date,host,a\n";
  for (int i = 0; text.size() < (5 << 20); ++i) absl::StrAppend(&text, 1'704'067'200 + 60 * i, ",web,1\n");
  absl::StrAppend(&text, "1704067200,db,5\n1704063600,db,4\n1704056400,db,2\n1704052800,db,1\n");
  const auto source = Open(text, {}, true, {.series_column = "host", .only_series = "db"});
  EXPECT_THAT(said_, HasSubstr("a row every 1h"));
  EXPECT_EQ(Rest(*source), "1 2 - 4 5");
}

TEST_F(RegularSourceTest, RowWithoutANameOfItsSeriesIsRefusedByLineAndColumn) {
  file_.Write("date,host,a\n2024-01-01,web,1\n2024-01-01,,2\n2024-01-02,web,3\n");
  EXPECT_THAT(std::string(SeriesOf(file_.path(), {.series_column = "host"}).status().message()),
              HasSubstr("line 3, column \"host\": \"\" names no series"));
}

}  // namespace
}  // namespace aaren::cli
