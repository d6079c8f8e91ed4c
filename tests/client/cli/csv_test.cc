#include "client/cli/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace aaren::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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
};

absl::StatusOr<Contents> Read(const std::string& text, const CsvOptions& options = {}, size_t step = 1 << 20) {
  auto reader = CsvReader::Open("a.csv", Bytes(text, step), options);
  if (!reader.ok()) return reader.status();
  Contents contents{(*reader)->columns(), {}, (*reader)->has_times()};
  CsvRow row;
  absl::StatusOr<bool> any;
  while ((any = (*reader)->Next(row)).ok() && *any) contents.rows.push_back(row);
  if (!any.ok()) return any.status();
  return contents;
}

std::string ErrorOf(const std::string& text, const CsvOptions& options = {}) {
  return std::string(Read(text, options).status().message());
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
  const auto read = Read("a,b,c,d,e\n,NaN,NA,null,-9999\n1,2,3,4,-9999.0\n", {.missing = -9999});
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

TEST(CsvTest, ColumnNamesBecomeUtf8AndAreFoundByTheirBytes) {
  const auto read = Read("SWDR (W/m\xB2),x\n1,2\n", {.columns = "SWDR (W/m\xB2)"});
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_THAT(read->columns, ElementsAre("SWDR (W/m\xEF\xBF\xBD)"));
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
  EXPECT_EQ(ErrorOf("date,a\n2024-01-01,1\n2024-01-02,1,2\n"), "a.csv: line 3 has 3 fields; the header has 2");
}

TEST(CsvTest, LinesAreCountedThroughQuotedLineEnds) {
  EXPECT_THAT(ErrorOf("a,b\n\"1\n\",2\n3\n"), HasSubstr("line 4 has 1 field"));
}

TEST(CsvTest, TextWhereANumberBelongsNamesLineAndColumn) {
  EXPECT_EQ(ErrorOf("date,a,b\n2024-01-01,1,high\n"), "a.csv: line 2, column \"b\": \"high\" is not a number");
  EXPECT_THAT(ErrorOf("a\n1.5x\n"), HasSubstr("\"1.5x\" is not a number"));
  EXPECT_THAT(ErrorOf("a\n+-1\n"), HasSubstr("\"+-1\" is not a number"));
}

TEST(CsvTest, InfinityAndNumbersBeyondAFloatAreRefused) {
  EXPECT_THAT(ErrorOf("a\ninf\n"), HasSubstr("line 2, column \"a\": \"inf\" is infinite"));
  EXPECT_THAT(ErrorOf("a\n-Infinity\n"), HasSubstr("is infinite"));
  EXPECT_THAT(ErrorOf("a\n1e39\n"), HasSubstr("is too large"));
  EXPECT_THAT(ErrorOf("a\n1e999\n"), HasSubstr("is too large"));
}

TEST(CsvTest, TimeThatGoesBackNamesBothTimes) {
  EXPECT_EQ(ErrorOf("date,a\n2024-01-02,1\n2024-01-01,2\n"),
            "a.csv: line 3, column \"date\": \"2024-01-01\" is before \"2024-01-02\", the time of the row above");
}

TEST(CsvTest, TextThatIsNoTimeIsNamed) {
  EXPECT_THAT(ErrorOf("date,a\nsoon,1\n"), HasSubstr("line 2, column \"date\": \"soon\" is not a time"));
}

TEST(CsvTest, EmptyFileAndFileWithoutRowsAreRefused) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("a.csv: the file is empty"));
  EXPECT_THAT(ErrorOf("date,a\r\n"), HasSubstr("no rows"));
}

TEST(CsvTest, UnknownColumnIsNamedWithThoseThereAre) {
  EXPECT_EQ(ErrorOf("date,a,b\n", {.columns = "c"}), "a.csv: no column \"c\"; there are date, a, b");
  EXPECT_THAT(ErrorOf("date,a\n", {.time_column = "when"}), HasSubstr("no column \"when\""));
}

TEST(CsvTest, ColumnNamedTwiceIsRefused) {
  EXPECT_THAT(ErrorOf("a,a\n1,2\n"), HasSubstr("two columns called \"a\""));
  EXPECT_THAT(ErrorOf("a,b\n1,2\n", {.columns = "a,a"}), HasSubstr("names \"a\" twice"));
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

TEST(CsvTest, KnowsWhetherARowIsThereWithoutReading) {
  auto reader = CsvReader::Open("a.csv", Bytes("a\n1\n2\n", 4), {});
  ASSERT_TRUE(reader.ok());
  EXPECT_TRUE((*reader)->buffered());
  CsvRow row;
  ASSERT_TRUE((*reader)->Next(row).ok());
  EXPECT_FALSE((*reader)->buffered());
}

TEST(CsvTest, MissingFileIsNamed) {
  EXPECT_THAT(std::string(OpenBytes("/nowhere/a.csv").status().message()), HasSubstr("/nowhere/a.csv"));
}

}  // namespace
}  // namespace aaren::cli
