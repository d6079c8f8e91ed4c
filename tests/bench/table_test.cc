#include <gtest/gtest.h>

#include "tests/bench/bench.h"

namespace aaren::bench {
namespace {

std::vector<Row> TwoRows() {
  return {{{"mixer", "aaren"}, {"tokens", int64_t{1}}, {"seconds", 0.25}},
          {{"mixer", "transformer"}, {"tokens", int64_t{10000}}, {"seconds", std::monostate()}}};
}

TEST(TableTest, CsvHasAHeaderAndALineARow) {
  EXPECT_EQ(ToCsv(TwoRows()), "mixer,tokens,seconds\naaren,1,0.25\ntransformer,10000,\n");
}

TEST(TableTest, CsvQuotesFieldsWithCommasAndQuotes) {
  EXPECT_EQ(ToCsv({{{"name", "a, \"b\""}, {"n", int64_t{2}}}}), "name,n\n\"a, \"\"b\"\"\",2\n");
}

TEST(TableTest, CsvOfNumbersKeepsNineDigits) {
  EXPECT_EQ(ToCsv({{{"x", 1.0 / 3}, {"y", 123456789.0}}}), "x,y\n0.333333333,123456789\n");
}

TEST(TableTest, JsonOfWhatWasNotMeasuredIsNull) {
  EXPECT_EQ(ToJson("b", "m", TwoRows()),
            R"({"bench":"b","machine":"m","rows":[{"mixer":"aaren","tokens":1,"seconds":0.25},)"
            R"({"mixer":"transformer","tokens":10000,"seconds":null}]})");
}

TEST(TableTest, TableAlignsColumnsAndMarksWhatWasNotMeasured) {
  EXPECT_EQ(ToTable(TwoRows()),
            "        mixer  tokens  seconds\n"
            "        aaren       1     0.25\n"
            "  transformer   10000        -\n");
}

TEST(TableTest, RowsOfOtherColumnsBeginANewTable) {
  EXPECT_EQ(ToTable({{{"a", int64_t{1}}}, {{"b", int64_t{2}}}}), "  a\n  1\n\n  b\n  2\n");
}

}  // namespace
}  // namespace aaren::bench
