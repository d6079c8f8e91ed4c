#include "client/cli/sources/time/time_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace aaren::cli {
namespace {

using ::testing::HasSubstr;

// Computed by hand: 2020-01-02 is day 50 * 365 + 12 leap days + 1 = 18263 since 1970-01-01.
constexpr int64_t kNanosPerSecond = 1'000'000'000;
constexpr int64_t kDay = 18263 * 86400 * kNanosPerSecond;
constexpr int64_t kAfternoon = kDay + (15 * 3600 + 4 * 60) * kNanosPerSecond;  // 15:04

// The guess from the times.
TimeFormatGuess Guess(const std::vector<std::string>& times) {
  TimeFormatGuess guess;
  for (const std::string& time : times) {
    if (!guess.Add(time)) break;
  }
  return guess;
}

// The time in a file with this time only.
std::optional<int64_t> ReadTime(const std::string& time) {
  std::optional<TimeFormat> format = Guess({time}).best();
  return format ? format->Parse(time) : std::nullopt;
}

// The value of `time` in a file whose first times are `first`.
std::optional<int64_t> ReadAfter(const std::vector<std::string>& first, const std::string& time) {
  std::optional<TimeFormat> format = Guess(first).best();
  return format ? format->Parse(time) : std::nullopt;
}

TEST(TimeFormatTest, ReadsTheWaysToWriteADate) {
  for (const char* text :
       {"2020-01-02", "2020-1-2", "2020/1/2", "2020.01.02", "20200102", "2.1.2020", "02.01.20", "1/2/2020", "1/2/20",
        "01-02-2020", "02-Jan-2020", "2-Jan-20", "2 January 2020", "Jan 2, 2020", "Jan 2 2020"}) {
    EXPECT_EQ(ReadTime(text), kDay) << text;
  }
}

TEST(TimeFormatTest, ReadsTheWaysToWriteAClock) {
  for (const char* text : {"2020-01-02 15:04", "2020-01-02T15:04:00", "2020-01-02T15:04:00Z",
                           "2020-01-02T16:04:00+01:00", "2020-01-02T16:04:00.0+0100", "2020-01-02 09:34-05:30",
                           "2020-01-02 15:04:00 UTC", "2020-1-2 3:04 PM", "2020-01-02 03:04:00PM", "20200102T150400Z",
                           "20200102150400", "202001021504", "1/2/2020 3:04 pm", " 2.1.2020 15:04 "}) {
    EXPECT_EQ(ReadTime(text), kAfternoon) << text;
  }
}

TEST(TimeFormatTest, ReadsAPublicFilesTimeWithoutLeadingZeros) {
  EXPECT_EQ(ReadTime("1990/1/1 0:00"), 7305 * 86400 * kNanosPerSecond);  // 20 years and 5 leap days
  EXPECT_EQ(ReadAfter({"1990/1/1 0:00"}, "1990/1/1 13:00"), (7305 * 86400 + 13 * 3600) * kNanosPerSecond);
}

TEST(TimeFormatTest, TwelveIsMidnightInTheMorningAndNoonInTheAfternoon) {
  EXPECT_EQ(ReadTime("1/2/2020 12:00 AM"), kDay);
  EXPECT_EQ(ReadTime("1/2/2020 12:00 PM"), kDay + 43200 * kNanosPerSecond);
}

TEST(TimeFormatTest, KeepsFractionsToTheNanosecond) {
  EXPECT_EQ(ReadTime("2020-01-02 15:04:00.123456789"), kAfternoon + 123456789);
  EXPECT_EQ(ReadTime("2020-01-02T15:04:00.5Z"), kAfternoon + kNanosPerSecond / 2);
}

TEST(TimeFormatTest, NumbersAreInTheUnitThatTheirMagnitudeTells) {
  const int64_t time = 1'577'977'440;  // kAfternoon in seconds
  EXPECT_EQ(time * kNanosPerSecond, kAfternoon);
  for (const char* text :
       {"1577977440", "1577977440000", "1577977440000000", "1577977440000000000", "1577977440.000"}) {
    EXPECT_EQ(ReadTime(text), kAfternoon) << text;
  }
  EXPECT_EQ(ReadTime("1577977440.25"), kAfternoon + kNanosPerSecond / 4);
  EXPECT_EQ(ReadTime("-5"), -5 * kNanosPerSecond);
}

TEST(TimeFormatTest, RefusesWhatIsNoTime) {
  for (const char* text : {"", "high", "2024-13-01", "2023-02-29", "2024-01-31 24:01", "2024-01-31 12:00:00.x", "1e9",
                           "31/31/2024", "1600-01-01", "2300-01-01", "infinite-future", "--5", "1.2.3.4", "-", "."}) {
    EXPECT_EQ(ReadTime(text), std::nullopt) << text;
  }
}

TEST(TimeFormatTest, PrecisionOfTheClockMayChange) {
  for (const char* first : {"2020-01-02", "2020-01-02 00:00", "2020-01-02T00:00:00.5"}) {
    EXPECT_EQ(ReadAfter({first}, "2020-01-02 15:04"), kAfternoon) << first;
    EXPECT_EQ(ReadAfter({first}, "2020-01-02T15:04:00.5"), kAfternoon + kNanosPerSecond / 2) << first;
  }
}

TEST(TimeFormatTest, LayoutOfTheDateMayNotChange) {
  EXPECT_EQ(ReadAfter({"2020-01-02"}, "2020/01/03"), std::nullopt);
  EXPECT_EQ(ReadAfter({"1577977440"}, "2020-01-03"), std::nullopt);
  EXPECT_EQ(ReadAfter({"13/1/2020"}, "1/13/2020"), std::nullopt);
}

TEST(TimeFormatGuessTest, APartAboveTwelveIsTheDay) {
  EXPECT_EQ(ReadAfter({"2/1/2020", "13/1/2020"}, "2/1/2020"), kDay);
  EXPECT_EQ(ReadAfter({"1/2/2020", "1/13/2020"}, "1/2/2020"), kDay);
  EXPECT_EQ(ReadAfter({"02-01-20", "13-01-20"}, "02-01-20"), std::nullopt);  // three parts could be the year
}

TEST(TimeFormatGuessTest, TimesThatWouldGoBackAreReadTheOtherWay) {
  // Day first: 12 January, then 1 February. Month first: 1 December, then 2 January of the same year.
  const TimeFormatGuess guess = Guess({"12/1/2020", "1/2/2020"});
  EXPECT_EQ(guess.best()->name(), "day/month/year");
  EXPECT_EQ(guess.ambiguous(), "");
}

TEST(TimeFormatGuessTest, HoursThatWouldJumpByAMonthAreReadTheOtherWay) {
  std::vector<std::string> times;
  for (int day = 1; day <= 2; ++day) {
    for (int hour = 0; hour < 24; ++hour)
      times.push_back(std::to_string(day) + "/2/2020 " + std::to_string(hour) + ":00");
  }
  EXPECT_EQ(Guess(times).best()->name(), "day/month/year");
  EXPECT_EQ(Guess(times).ambiguous(), "");
}

TEST(TimeFormatGuessTest, MonthsOverAYearAreNoDays) {
  std::vector<std::string> times;
  for (int month = 1; month <= 12; ++month) times.push_back("1/" + std::to_string(month) + "/2020");
  times.push_back("1/1/2021");
  EXPECT_EQ(Guess(times).best()->name(), "day/month/year");
}

TEST(TimeFormatGuessTest, WithoutEvidenceItIsMonthFirstAndSaysHowToReadTheOther) {
  const TimeFormatGuess guess = Guess({"1/2/2020 0:00", "1/2/2020 1:00"});
  EXPECT_EQ(guess.best()->Parse("1/2/2020"), kDay);
  EXPECT_THAT(guess.ambiguous(),
              HasSubstr("\"1/2/2020 0:00\" are taken as month/day/year; --time_format=\"%d/%m/%Y\""));
}

TEST(TimeFormatGuessTest, OneRowSettlesWhatCannotBeConfused) {
  for (const char* text : {"2020-01-02", "1.2.2020", "13/1/2020", "1577977440", "20200102", "2-Jan-20"}) {
    TimeFormatGuess guess;
    EXPECT_FALSE(guess.Add(text)) << text;
  }
}

TEST(TimeFormatNameTest, APatternReadsWhatItSays) {
  auto format = TimeFormat::FromName("%d/%m/%Y %H:%M");
  ASSERT_TRUE(format.ok());
  EXPECT_EQ(format->Parse("2/1/2020 15:04"), kAfternoon);
  EXPECT_EQ(format->Parse("2/1/2020"), std::nullopt);
}

TEST(TimeFormatNameTest, APatternOfADateTakesAnyClock) {
  auto format = TimeFormat::FromName("%d/%m/%Y");
  ASSERT_TRUE(format.ok());
  EXPECT_EQ(format->Parse("2/1/2020"), kDay);
  EXPECT_EQ(format->Parse("2/1/2020 3:04 PM"), kAfternoon);
}

TEST(TimeFormatNameTest, UnitsAreReadWhateverTheMagnitude) {
  EXPECT_EQ(TimeFormat::FromName("unix")->Parse("12.5"), 12'500'000'000);
  EXPECT_EQ(TimeFormat::FromName("unix_ms")->Parse("12.5"), 12'500'000);
  EXPECT_EQ(TimeFormat::FromName("unix_us")->Parse("-12"), -12'000);
  EXPECT_EQ(TimeFormat::FromName("unix_ns")->Parse("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(TimeFormat::FromName("unix")->Parse("9223372037"), std::nullopt);
}

TEST(TimeFormatNameTest, WhatIsNoFormatIsNamed) {
  EXPECT_THAT(std::string(TimeFormat::FromName("iso").status().message()),
              HasSubstr("--time_format=iso is neither unix, unix_ms"));
}

}  // namespace
}  // namespace aaren::cli
