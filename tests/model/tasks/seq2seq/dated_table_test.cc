#include "model/tasks/seq2seq/dated_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "absl/strings/str_cat.h"

namespace aaren::seq2seq {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;

std::string FileOf(const std::string& text) {
  const std::string path =
      absl::StrCat(::testing::TempDir(), "/", ::testing::UnitTest::GetInstance()->current_test_info()->name(), ".csv");
  std::ofstream(path) << text;
  return path;
}

void ExpectRefusal(const std::string& text, const std::string& place, const std::string& why) {
  const absl::Status status = ReadDatedTable(FileOf(text)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(place));
  EXPECT_THAT(std::string(status.message()), HasSubstr(why));
}

TEST(DatedTableTest, ReadsValuesAndTheClock) {
  const absl::StatusOr<DatedTable> table =
      ReadDatedTable(FileOf("date,a,b\n2016-07-01 23:00:00,1,2\r\n2018-12-31 00:00:00,3,-4.5\n"));
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_THAT(table->columns, ElementsAre("a", "b"));
  EXPECT_THAT(table->values, ElementsAre(1, 2, 3, -4.5f));
  EXPECT_EQ(table->rows(), 2);
  // A Friday, the 183rd day of a leap year; then a Monday, the 365th day.
  EXPECT_THAT(table->clock,
              ElementsAre(FloatNear(0.5f, 1e-6f), FloatNear(4 / 6.0f - 0.5f, 1e-6f), FloatNear(-0.5f, 1e-6f),
                          FloatNear(182 / 365.0f - 0.5f, 1e-6f), FloatNear(-0.5f, 1e-6f), FloatNear(-0.5f, 1e-6f),
                          FloatNear(0.5f, 1e-6f), FloatNear(364 / 365.0f - 0.5f, 1e-6f)));
}

TEST(DatedTableTest, RefusesByFileAndLine) {
  ExpectRefusal("time,a\n", ".csv:1:", "date");
  ExpectRefusal("date,a\n2016-07-01 00:00:00,1\nyesterday,2\n", ".csv:3:", "\"yesterday\" is no date");
  ExpectRefusal("date,a\n2016-07-01 00:00:00,x\n", ".csv:2:", "column a: \"x\"");
  ExpectRefusal("date,a\n2016-07-01 00:00:00,1,2\n", ".csv:2:", "3 fields, not 2");
  ExpectRefusal("date,a\n", ".csv:1:", "without a row");
}

TEST(DatedTableTest, PartsHaveTheBordersInGeneralUse) {
  const Parts hourly = PartsOf("ETTh1", 17420), quarterly = PartsOf("ETTm2", 69680),
              weather = PartsOf("Weather", 52696);
  EXPECT_EQ(hourly.train.end, 8640);
  EXPECT_EQ(hourly.validation.end, 11520);
  EXPECT_EQ(hourly.test.end, 14400);
  EXPECT_EQ(quarterly.train.end, 34560);
  EXPECT_EQ(quarterly.test.end, 57600);
  EXPECT_EQ(weather.train.end, 36887);
  EXPECT_EQ(weather.validation.end - weather.validation.begin, 5270);
  EXPECT_EQ(weather.test.end - weather.test.begin, 10539);
}

TEST(DatedTableTest, TrainingRowsAloneTellTheScale) {
  DatedTable table = {.columns = {"a", "constant"}, .values = {1, 7, 3, 7, 100, 8}, .clock = std::vector<float>(12)};
  Standardise({.begin = 0, .end = 2}, table);
  EXPECT_THAT(table.values, ElementsAre(-1, 0, 1, 0, 98, 1));
}

TEST(DatedTableTest, AConstantColumnOfAYearBecomesZeros) {
  constexpr int64_t kRows = 8640;
  DatedTable table = {.columns = {"whole", "tenth"}, .values = {}, .clock = std::vector<float>(4 * kRows)};
  for (int64_t row = 0; row < kRows; ++row) table.values.insert(table.values.end(), {5.0f, 0.1f});
  Standardise({.begin = 0, .end = kRows}, table);
  EXPECT_THAT(table.values, Each(0));
}

}  // namespace
}  // namespace aaren::seq2seq
