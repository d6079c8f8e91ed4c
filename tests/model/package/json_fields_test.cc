#include "model/package/json_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aaren::package {
namespace {

using ::testing::HasSubstr;

std::string ReadCount(const std::string& text) {
  const absl::StatusOr<nlohmann::json> value = ParseJson(text);
  if (!value.ok()) return std::string(value.status().message());
  int count = 0;
  JsonFields fields(*value, "thing");
  fields.Read("count", count);
  return std::string(fields.Finish().message());
}

TEST(JsonFieldsTest, ReadsAnInteger) { EXPECT_EQ(ReadCount(R"({"count": 3})"), ""); }

TEST(JsonFieldsTest, NamesAMissingField) { EXPECT_EQ(ReadCount("{}"), "thing.count is missing"); }

TEST(JsonFieldsTest, NamesAFieldOfTheWrongType) {
  EXPECT_EQ(ReadCount(R"({"count": "3"})"), "thing.count is \"3\", not a 32-bit integer");
  EXPECT_EQ(ReadCount(R"({"count": 3.5})"), "thing.count is 3.5, not a 32-bit integer");
}

TEST(JsonFieldsTest, RefusesAnIntegerThatOverflows) {
  EXPECT_EQ(ReadCount(R"({"count": 2147483648})"), "thing.count is 2147483648, not a 32-bit integer");
  EXPECT_EQ(ReadCount(R"({"count": 18446744073709551615})"),
            "thing.count is 18446744073709551615, not a 32-bit integer");
}

TEST(JsonFieldsTest, NamesAnUnknownField) {
  EXPECT_EQ(ReadCount(R"({"count": 3, "cuont": 4})"), "unknown field thing.cuont = 4");
}

TEST(JsonFieldsTest, RefusesARepeatedKeyAtAnyDepth) {
  EXPECT_EQ(ReadCount(R"({"count": 3, "count": 4})"), "repeats the key \"count\"");
  EXPECT_EQ(ReadCount(R"([{"a": {"b": 1}, "c": {"b": 1, "b": 2}}])"), "repeats the key \"b\"");
}

TEST(JsonFieldsTest, RefusesWhatIsNotJson) { EXPECT_THAT(ReadCount("{\"count\": 3"), HasSubstr("is not JSON")); }

TEST(JsonFieldsTest, RefusesDeepNesting) {
  EXPECT_EQ(ReadCount(std::string(100000, '[') + std::string(100000, ']')), "nests deeper than 16");
}

TEST(JsonFieldsTest, RefusesWhatIsNotAnObject) { EXPECT_EQ(ReadCount("[1]"), "thing is a JSON array, not an object"); }

}  // namespace
}  // namespace aaren::package
