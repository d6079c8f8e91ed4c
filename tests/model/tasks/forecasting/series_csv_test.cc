#include "model/tasks/forecasting/series_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>

namespace aaren::forecasting {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string FileWith(const std::string& text) {
  const std::string path =
      ::testing::TempDir() + "/" + ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".csv";
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::string ErrorOf(const std::string& text, const std::vector<std::string>& columns = {}) {
  return std::string(ReadCsvSeries(FileWith(text), columns).status().message());
}

TEST(ReadCsvSeriesTest, ReadsEveryColumnOfNumbers) {
  const auto series = ReadCsvSeries(FileWith("date,a,b\n2020-01-01,1,2\n2020-01-02,3.5,-4e2\n"), {});
  ASSERT_TRUE(series.ok()) << series.status();
  ASSERT_EQ(series->size(), 2u);
  EXPECT_EQ((*series)[0].name, "a");
  EXPECT_THAT((*series)[0].values, ElementsAre(1, 3.5));
  EXPECT_THAT((*series)[1].values, ElementsAre(2, -400));
}

TEST(ReadCsvSeriesTest, RowsOfSeveralSeriesAreToldApartByAColumn) {
  const auto series = ReadCsvSeries(FileWith("shop,day,sales\n7,1,10\n8,1,20\n7,2,11\n"), {"sales"}, "shop");
  ASSERT_TRUE(series.ok()) << series.status();
  ASSERT_EQ(series->size(), 2u);
  EXPECT_EQ((*series)[0].name, "7 sales");
  EXPECT_THAT((*series)[0].values, ElementsAre(10, 11));
  EXPECT_THAT((*series)[1].values, ElementsAre(20));
}

TEST(ReadCsvSeriesTest, TheColumnOfSeriesIsNoSeriesItself) {
  const auto series = ReadCsvSeries(FileWith("shop,sales\n7,10\n"), {}, "shop");
  ASSERT_TRUE(series.ok()) << series.status();
  EXPECT_EQ(series->size(), 1u);
}

TEST(ReadCsvSeriesTest, AnAbsentColumnOfSeriesIsNamed) {
  EXPECT_THAT(std::string(ReadCsvSeries(FileWith("a\n1\n"), {}, "shop").status().message()),
              HasSubstr("no column \"shop\"; it has a"));
}

TEST(ReadCsvSeriesTest, ReadsNamedColumnsInTheirOrder) {
  const auto series = ReadCsvSeries(FileWith("a,b,c\n1,2,3\n"), {"c", "a"});
  ASSERT_TRUE(series.ok()) << series.status();
  EXPECT_EQ((*series)[0].name, "c");
  EXPECT_EQ((*series)[1].name, "a");
}

TEST(ReadCsvSeriesTest, AcceptsCarriageReturnsByteOrderMarkAndQuotes) {
  const auto series = ReadCsvSeries(FileWith("\xef\xbb\xbf\"a, b\",c\r\n\"1\",2\r\n\r\n3,4"), {});
  ASSERT_TRUE(series.ok()) << series.status();
  EXPECT_EQ((*series)[0].name, "a, b");
  EXPECT_THAT((*series)[0].values, ElementsAre(1, 3));
}

TEST(ReadCsvSeriesTest, EmptyAndNaFieldsAreMissing) {
  const auto series = ReadCsvSeries(FileWith("a,b\n1,2\n,NA\nnan,null\n"), {});
  ASSERT_TRUE(series.ok()) << series.status();
  EXPECT_TRUE(std::isnan((*series)[0].values[1]));
  EXPECT_TRUE(std::isnan((*series)[1].values[2]));
}

TEST(ReadCsvSeriesTest, AbsentFileIsNotFound) {
  const auto series = ReadCsvSeries("/nowhere/absent.csv", {});
  EXPECT_TRUE(absl::IsNotFound(series.status()));
  EXPECT_THAT(std::string(series.status().message()), HasSubstr("/nowhere/absent.csv"));
}

TEST(ReadCsvSeriesTest, TextWhereANumberBelongsIsNamed) {
  const std::string error = ErrorOf("a,b\n1,2\n3,high\n");
  EXPECT_THAT(error, HasSubstr("line 3"));
  EXPECT_THAT(error, HasSubstr("\"b\""));
  EXPECT_THAT(error, HasSubstr("\"high\""));
}

TEST(ReadCsvSeriesTest, InfinityIsRefused) { EXPECT_THAT(ErrorOf("a\n1\ninf\n"), HasSubstr("\"inf\"")); }

TEST(ReadCsvSeriesTest, RaggedRowIsNamedWithBothCounts) {
  EXPECT_THAT(ErrorOf("a,b\n1,2\n3\n"), HasSubstr("line 3 has 1 fields, the header has 2"));
}

TEST(ReadCsvSeriesTest, UnknownColumnIsNamedWithThoseThatExist) {
  EXPECT_THAT(ErrorOf("a,b\n1,2\n", {"x"}), HasSubstr("no column \"x\"; it has a, b"));
}

TEST(ReadCsvSeriesTest, FileWithoutNumbersIsRefused) {
  EXPECT_THAT(ErrorOf("a,b\nx,y\n"), HasSubstr("has no column of numbers"));
}

TEST(ReadCsvSeriesTest, EmptyFileAndHeaderAloneAreRefused) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("is empty"));
  EXPECT_THAT(ErrorOf("a,b\n"), HasSubstr("has a header but no rows"));
}

}  // namespace
}  // namespace aaren::forecasting
