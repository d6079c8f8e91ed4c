#include "client/cli/sources/csv/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace aaren::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// A text that arrives `step` bytes at a time.
ByteSource Bytes(std::string text, size_t step) {
  return [text = std::move(text), step, at = size_t{0}](char* buffer, size_t size) mutable -> absl::StatusOr<size_t> {
    const size_t bytes = text.copy(buffer, std::min(step, size), at);
    at += bytes;
    return bytes;
  };
}

struct Contents {
  std::vector<std::string> columns;
  std::vector<CsvRow> rows;
  bool has_times = false;
  std::vector<std::string> remarks;
};

absl::StatusOr<Contents> Read(const std::string& text, const CsvOptions& options = {}, size_t step = 1 << 20,
                              bool live = false) {
  auto reader = CsvReader::Open("a.csv", Bytes(text, step), options, live);
  if (!reader.ok()) return reader.status();
  Contents contents{(*reader)->columns(), {}, (*reader)->has_times(), (*reader)->remarks()};
  CsvRow row;
  absl::StatusOr<bool> any;
  while ((any = (*reader)->Next(row)).ok() && *any) contents.rows.push_back(row);
  if (!any.ok()) return any.status();
  return contents;
}

std::string ErrorOf(const std::string& text, const CsvOptions& options = {}) {
  return std::string(Read(text, options).status().message());
}

TEST(CsvTest, CovariatesStandBehindTheSeries) {
  const auto read = Read("date,holiday,a,temp,b\n2024-01-01,1,2,-3,4\n", {.past = "temp", .future = "holiday"});
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_THAT(read->columns, ElementsAre("a", "b"));
  EXPECT_THAT(read->rows[0].values, ElementsAre(2, 4, -3, 1));
}

TEST(CsvTest, ColumnOfTwoFlagsIsNamed) {
  EXPECT_THAT(ErrorOf("a,b\n1,2\n", {.past = "b", .future = "b"}),
              HasSubstr("--future=b names \"b\", which is a covariate of another flag"));
  EXPECT_THAT(ErrorOf("a,b\n1,2\n", {.columns = "a,b", .past = "b"}), HasSubstr("--columns=a,b names \"b\""));
  EXPECT_THAT(ErrorOf("a,b\n1,2\n", {.past = "temp"}), HasSubstr("no column \"temp\""));
  EXPECT_THAT(ErrorOf("a\n1\n", {.past = "a"}), HasSubstr("no column besides the times and the covariates"));
}

TEST(CsvTest, ReadsTimesAndColumns) {
  const auto read = Read("date,a,b\n2024-01-01,1,2.5\n2024-01-02,-3,4e2\n");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_THAT(read->columns, ElementsAre("a", "b"));
  ASSERT_EQ(read->rows.size(), 2u);
  EXPECT_EQ(read->rows[1].time, "2024-01-02");
  EXPECT_EQ(read->rows[1].time_ns - read->rows[0].time_ns, 86'400'000'000'000);
  EXPECT_THAT(read->rows[1].values, ElementsAre(-3, 400));
}

TEST(CsvTest, ReadsTheSameHoweverTheBytesArrive) {
  const std::string text = "\xEF\xBB\xBF\"da\"\"te\",\"a,b\"\r\n1,\"2\"\r\n\"3\r\n\",4";
  for (size_t step : {1, 2, 3, 7}) {
    const auto read = Read(text, {}, step);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_THAT(read->columns, ElementsAre("da\"te", "a,b"));
    ASSERT_EQ(read->rows.size(), 2u);
    EXPECT_THAT(read->rows[0].values, ElementsAre(1, 2));
    EXPECT_THAT(read->rows[1].values, ElementsAre(3, 4));
  }
}

TEST(CsvTest, AcceptsRepeatedTimesAndBlankLines) {
  const auto read = Read("time,a\n5,1\n5,2\n\n6,3\n\n");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->rows.size(), 3u);
}

TEST(CsvTest, EmptyCellsWordsForNothingAndTheMarkerAreMissing) {
  const auto read = Read("a,b,c,d,e\n,NaN,NA,null,-9999\n1,2,3,4,-9999.0\n", {.missing = {"-9999"}});
  ASSERT_TRUE(read.ok()) << read.status();
  for (double value : read->rows[0].values) EXPECT_TRUE(std::isnan(value));
  EXPECT_TRUE(std::isnan(read->rows[1].values[4]));
  EXPECT_EQ(read->rows[1].values[3], 4);
}

TEST(CsvTest, EmptyLineOfAOneColumnFileIsAMissingValue) {
  const auto read = Read("a\n1\n\n2\n");
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->rows.size(), 3u);
  EXPECT_TRUE(std::isnan(read->rows[1].values[0]));
}

TEST(CsvTest, ChosenColumnsComeInTheOrderAskedFor) {
  const auto read = Read("date,a,\"b,c\"\n2024-01-01,1,2\n", {.columns = "\"b,c\",a"});
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_THAT(read->rows[0].values, ElementsAre(2, 1));
}

TEST(CsvTest, Latin1NamesBecomeUtf8AndAreFoundEitherWay) {
  for (const char* name : {"SWDR (W/m\xB2)", "SWDR (W/m\u00B2)"}) {
    const auto read = Read("SWDR (W/m\xB2),x\n1,2\n", {.columns = name});
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_THAT(read->columns, ElementsAre("SWDR (W/m\u00B2)"));
  }
}

TEST(CsvTest, TimeColumnMayBeAnyOrNone) {
  const auto named = Read("a,when\n1,2024-01-01\n", {.time_column = "when"});
  ASSERT_TRUE(named.ok()) << named.status();
  EXPECT_THAT(named->columns, ElementsAre("a"));
  const auto none = Read("time,a\n9,1\n5,2\n", {.time_column = "-"});
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_FALSE(none->has_times);
  EXPECT_THAT(none->columns, ElementsAre("time", "a"));
}

TEST(CsvTest, TinyNumbersAreAccepted) {
  const auto read = Read("a\n1e-400\n+5\n");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->rows[0].values[0], 0);
  EXPECT_EQ(read->rows[1].values[0], 5);
}

TEST(CsvTest, RaggedRowNamesItsLine) {
  EXPECT_EQ(ErrorOf("date,a,b\n2024-01-01,1,3\n2024-01-02,1\n"), "a.csv: line 3 has 2 fields; the header has 3");
  EXPECT_THAT(ErrorOf("date,a\n2024-01-01,1\n2024-01-02,1,2\n"),
              HasSubstr("line 3 has 3 fields; the header has 2; a decimal comma"));
}

TEST(CsvTest, LinesAreCountedThroughQuotedLineEnds) {
  EXPECT_THAT(ErrorOf("a,b\n\"1\n\",2\n3\n"), HasSubstr("line 4 has 1 field"));
}

TEST(CsvTest, TextWhereANumberBelongsNamesLineAndColumn) {
  EXPECT_EQ(ErrorOf("date,a,b\n2024-01-01,1,high\n"),
            "a.csv: line 2, column \"b\": \"high\" is not a number; --missing=WORD takes a word for a missing value, "
            "--columns names those that are");
  EXPECT_THAT(ErrorOf("a,b\n1,high\n", {.columns = "b"}), Not(HasSubstr("--columns")));
  EXPECT_THAT(ErrorOf("a\n1.5x\n"), HasSubstr("\"1.5x\" is not a number"));
  EXPECT_THAT(ErrorOf("a\n+-1\n"), HasSubstr("\"+-1\" is not a number"));
}

TEST(CsvTest, InfinityAndNumbersBeyondAFloatAreRefused) {
  EXPECT_THAT(ErrorOf("a\ninf\n"), HasSubstr("line 2, column \"a\": \"inf\" is infinite"));
  EXPECT_THAT(ErrorOf("a\n-Infinity\n"), HasSubstr("is infinite"));
  EXPECT_THAT(ErrorOf("a\n1e39\n"), HasSubstr("is too large: forecasts end at 3.4e38"));
  EXPECT_THAT(ErrorOf("a\n1e999\n"), HasSubstr("is too large"));
}

TEST(CsvTest, TimeThatGoesBackNamesBothTimes) {
  EXPECT_EQ(ErrorOf("date,a\n2024-01-02,1\n2024-01-01,2\n"),
            "a.csv: line 3, column \"date\": \"2024-01-01\" is before \"2024-01-02\", the time of the row above");
}

TEST(CsvTest, TextThatIsNoTimeIsNamed) {
  EXPECT_THAT(ErrorOf("date,a\nsoon,1\n"),
              HasSubstr("line 2, column \"date\": \"soon\" is not a time; tried year-month-day, day.month.year"));
}

TEST(CsvTest, TimeThatDoesNotFitThoseAboveIsNamedWithTheirFormat) {
  EXPECT_EQ(
      ErrorOf("date,a\n13/1/2020,1\n1/14/2020,2\n"),
      "a.csv: line 3, column \"date\": \"1/14/2020\" is not a time as day/month/year; --time_format=FORMAT says how "
      "times are written");
}

TEST(CsvTest, FirstColumnThatHoldsDatesIsTheTimesWhateverItsName) {
  const auto read = Read("ds,a\n1990/1/1 0:00,1\n1990/1/1 1:00,2\n");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_THAT(read->columns, ElementsAre("a"));
  EXPECT_EQ(read->rows[1].time_ns - read->rows[0].time_ns, 3'600'000'000'000);
}

TEST(CsvTest, WithoutTimesAColumnOfDatesIsLeftOutAndNamed) {
  const auto read = Read("date,a\n1990/1/1 0:00,1\n", {.time_column = "-"});
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_FALSE(read->has_times);
  EXPECT_THAT(read->columns, ElementsAre("a"));
  EXPECT_THAT(read->remarks, ElementsAre("a.csv: column \"date\" holds times, not numbers: left out"));
}

// Every day of two months as day/month/year; only the 13th row rules month/day/year out.
std::string TwoMonths() {
  std::string text = "date,a\n";
  for (int month = 1; month <= 2; ++month) {
    for (int day = 1; day <= 28; ++day) text += std::to_string(day) + "/" + std::to_string(month) + "/2021,1\n";
  }
  return text;
}

TEST(CsvTest, DayAndMonthAreToldApartByLaterRowsOfAFile) {
  const auto read = Read(TwoMonths(), {}, /*step=*/8);
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->rows.size(), 56u);
  EXPECT_EQ(read->rows[1].time_ns - read->rows[0].time_ns, 86'400'000'000'000);
}

TEST(CsvTest, LiveRowsAreNotWaitedForToTellDayFromMonth) {
  size_t reads = 0;
  const std::string text = "date,a\n1/2/2021,1\n";
  const ByteSource source = [&](char* buffer, size_t size) -> absl::StatusOr<size_t> {
    return ++reads == 1 ? text.copy(buffer, size) : 0;
  };
  auto reader = CsvReader::Open("a.csv", source, {}, /*live=*/true);
  EXPECT_THAT((*reader)->remarks(), ElementsAre(HasSubstr("taken as month/day/year; --time_format=")));
  CsvRow row;
  ASSERT_TRUE(*(*reader)->Next(row));
  EXPECT_EQ(reads, 1u);
}

TEST(CsvTest, LiveRowsThatAreHereTellDayFromMonth) {
  const auto read = Read(TwoMonths(), {}, 1 << 20, /*live=*/true);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->rows[1].time_ns - read->rows[0].time_ns, 86'400'000'000'000);
}

TEST(CsvTest, FormatOfTimesMayBeSaid) {
  const auto read = Read("date,a\n1/2/2021,1\n1/3/2021,1\n", {.time_format = "%d/%m/%Y"});
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->rows[1].time_ns - read->rows[0].time_ns, 28 * 86'400'000'000'000);
}

TEST(CsvTest, FormatWithoutAColumnOfTimesIsRefused) {
  EXPECT_THAT(ErrorOf("a,b\n1,2\n", {.time_format = "unix"}), HasSubstr("--time_column names it"));
}

TEST(CsvTest, EmptyFileAndFileWithoutRowsAreRefused) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("a.csv: the file is empty"));
  EXPECT_THAT(ErrorOf("date,a\r\n"), HasSubstr("no rows"));
}

TEST(CsvTest, UnknownColumnIsNamedWithThoseThereAre) {
  EXPECT_EQ(ErrorOf("date,a,b\n", {.columns = "c"}), "a.csv: no column \"c\"; there are date, a, b");
  EXPECT_THAT(ErrorOf("date,a\n", {.time_column = "when"}), HasSubstr("no column \"when\""));
}

TEST(CsvTest, UnknownColumnOfAWideFileIsNamedWithTenNearOnes) {
  std::string text = "date";
  for (int i = 0; i < 1000; ++i) absl::StrAppend(&text, ",MT_", i);
  const std::string error = ErrorOf(text + "\n", {.columns = "MT_7777"});
  EXPECT_THAT(error, HasSubstr("no column \"MT_7777\"; there are 1001 columns, and the nearest names are MT_777, "));
  EXPECT_LT(error.size(), 200u);
}

TEST(CsvTest, ColumnNamedTwiceIsRefused) {
  EXPECT_THAT(ErrorOf("a,a\n1,2\n"), HasSubstr("two columns called \"a\""));
  EXPECT_THAT(ErrorOf("a,b\n1,2\n", {.columns = "a,a"}), HasSubstr("names \"a\" twice"));
}

TEST(CsvTest, FirstLineOfValuesIsARowAndTheColumnsAreNumbered) {
  const auto read = Read("2024-01-01,1\n2024-01-02,2\n");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_THAT(read->columns, ElementsAre("column 2"));
  EXPECT_EQ(read->rows.size(), 2u);
  EXPECT_THAT(read->remarks, ElementsAre("a.csv: the first line has values and no names: the columns are numbered"));
}

TEST(CsvTest, YearsAsNamesBesideOneThatIsNoneAreNotToldOf) {
  const auto read = Read("date,2020,2021\n2024-01-01,1,2\n");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(read->remarks.empty());
}

// Each name is found by a lookup: a search through all names would take hours.
TEST(CsvTest, AMillionColumnsAreRead) {
  std::string text;
  for (const char* what : {"c", "1"}) {
    for (int i = 0; i < 1'000'000; ++i) absl::StrAppend(&text, i > 0 ? "," : "", what, i);
    text += '\n';
  }
  const auto read = Read(text);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->columns.size(), 1'000'000u);
}

TEST(CsvTest, QuoteNeverClosedNamesItsLine) {
  EXPECT_EQ(ErrorOf("a,b\n1,2\n3,\"4\n5,6\n"), "a.csv: line 3: a quote is opened and never closed");
}

TEST(CsvTest, TextBehindAClosingQuoteIsRefused) {
  EXPECT_THAT(ErrorOf("a,b\n\"1\"2,3\n"), HasSubstr("line 2: text after"));
}

TEST(CsvTest, EndlessLineIsRefused) {
  EXPECT_THAT(ErrorOf("a\n" + std::string(CsvRecordReader::kMaxRecordBytes + (1 << 20), '1')), HasSubstr("16 MiB"));
}

TEST(CsvTest, LongCellIsNotRepeatedWhole) { EXPECT_LT(ErrorOf("a\n" + std::string(10'000, 'x') + "\n").size(), 200u); }

TEST(CsvTest, LiveRowWithAMalformedQuoteIsLeftOutAndCounted) {
  auto reader = CsvReader::Open("pipe", Bytes("a,b\n1,2\n\"3\"x,4\n5,6\n7,\"8\n", 1 << 20), {}, /*live=*/true);
  ASSERT_TRUE(reader.ok());
  CsvRow row;
  ASSERT_TRUE((*reader)->Next(row).value_or(false));
  ASSERT_TRUE((*reader)->Next(row).value_or(false));
  EXPECT_THAT(row.values, ElementsAre(5, 6));
  EXPECT_EQ((*reader)->faults().rows, 1u);
  EXPECT_EQ((*reader)->faults().first, "pipe: line 3: text after the closing quote of a field");
  EXPECT_THAT(std::string((*reader)->Next(row).status().message()), HasSubstr("line 5: a quote is opened and never"));
}

TEST(CsvTest, LiveCellThatIsNoNumberIsMissingAndCounted) {
  auto reader = CsvReader::Open("pipe", Bytes("a,b\n1,2\n3,off\n5,6,7\n8,9\n", 1 << 20), {}, /*live=*/true);
  ASSERT_TRUE(reader.ok()) << reader.status();
  std::vector<CsvRow> rows;
  for (CsvRow row; *(*reader)->Next(row);) rows.push_back(row);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_TRUE(std::isnan(rows[1].values[1]));
  EXPECT_EQ((*reader)->faults().cells, 1u);
  EXPECT_EQ((*reader)->faults().rows, 1u);
  EXPECT_THAT((*reader)->faults().first, HasSubstr("line 3, column \"b\": \"off\""));
}

TEST(CsvTest, MissingFileIsNamed) {
  EXPECT_THAT(std::string(OpenBytes("/nowhere/a.csv").status().message()), HasSubstr("/nowhere/a.csv"));
}

}  // namespace
}  // namespace aaren::cli
