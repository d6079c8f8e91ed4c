#include "client/cli/timestamp.h"

#include <gtest/gtest.h>

namespace aaren::cli {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kNoon = 1706702400 * kSecond;  // 2024-01-31 12:00 UTC

TEST(TimestampTest, ReadsTheWaysToWriteOneTime) {
  for (const char* text :
       {"2024-01-31 12:00", "2024-01-31T12:00:00Z", "2024-01-31 12:00:00.000", "2024/01/31 12:00:00",
        "31.01.2024 12:00:00", "1706702400", " 2024-01-31T14:00:00+02:00 ", "2024-01-31T07:00-0500"}) {
    EXPECT_EQ(ParseTimestamp(text), kNoon) << text;
  }
}

TEST(TimestampTest, DateAloneIsItsMidnight) { EXPECT_EQ(ParseTimestamp("2024-01-31"), kNoon - 43200 * kSecond); }

TEST(TimestampTest, KeepsFractionsToTheNanosecond) {
  EXPECT_EQ(ParseTimestamp("2024-01-31 12:00:00.123456789"), kNoon + 123456789);
  EXPECT_EQ(ParseTimestamp("2024-01-31 12:00:00.5"), kNoon + kSecond / 2);
}

TEST(TimestampTest, RefusesWhatIsNoTime) {
  for (const char* text : {"", "high", "2024-01", "2024-13-01", "2023-02-29", "2024-01-31 24:00", "2024-01-31 12",
                           "2024-01-31 12:00:00.", "2024-01-31 12:00 pm", "31.1.2024", "99999999999999"}) {
    EXPECT_EQ(ParseTimestamp(text), std::nullopt) << text;
  }
}

TEST(TimestampTest, LeapDayExistsInLeapYears) { EXPECT_TRUE(ParseTimestamp("2024-02-29").has_value()); }

TEST(TimestampTest, FormatsAsRfc3339InUtc) {
  EXPECT_EQ(FormatTimestamp(kNoon + kSecond / 4), "2024-01-31T12:00:00.250Z");
}

TEST(TimestampTest, ReadsWhatItFormats) { EXPECT_EQ(ParseTimestamp(FormatTimestamp(kNoon)), kNoon); }

}  // namespace
}  // namespace aaren::cli
