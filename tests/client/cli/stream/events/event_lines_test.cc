#include "client/cli/stream/events/event_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

namespace aaren::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const float kMissing = std::nanf("");

class EventLinesTest : public ::testing::Test {
 protected:
  EventLinesTest() {
    const uint32_t login = *names_.Add("log\"in");
    marks_ = {login, 7, client::kNewMark};
    forecast_ = {.seq = 7, .values = times_, .surprise = surprise_};
    forecast_.event = {.spans_s = spans_, .within = within_, .marks = marks_, .mark_probabilities = probabilities_};
  }

  std::string Line(bool words, std::optional<AlertRule> alert = {}) const {
    const EventLines lines({.series = "web", .spans = {"1m", "1d"}, .words = words}, levels_, alert, names_);
    std::string out;
    lines.Append(row_, forecast_, out);
    return out;
  }

  client::MarkNames names_;
  std::vector<float> levels_ = {0.1f, 0.5f, 0.9f}, times_ = {0.5f, 3, 7200}, surprise_ = {0.25f};
  std::vector<float> within_ = {0.5f, 0.75f}, probabilities_ = {0.5f, 0.25f, 0.125f};
  std::vector<double> spans_ = {60, 86400};
  std::vector<uint32_t> marks_;
  Row row_ = {.time = "2024-01-01", .time_ns = 5, .values = {}, .mark = "log\"in"};
  client::Forecast forecast_;
};

TEST_F(EventLinesTest, JsonHasTheEventAndTheForecast) {
  EXPECT_EQ(Line(false),
            "{\"seq\":7,\"time\":\"2024-01-01\",\"series\":\"web\",\"mark\":\"log\\\"in\",\"surprise\":0.25,"
            "\"next_seconds\":{\"0.1\":0.5,\"0.5\":3,\"0.9\":7200},\"within\":{\"1m\":0.5,\"1d\":0.75},\"marks\":["
            "{\"mark\":\"log\\\"in\",\"probability\":0.5},{\"mark\":\"#7\",\"probability\":0.25},"
            "{\"mark\":null,\"probability\":0.125}]}\n");
}

TEST_F(EventLinesTest, WordsHaveTheSame) {
  EXPECT_EQ(
      Line(true),
      "2024-01-01  log\"in  surprise 0.250  next in 3 s (500 ms .. 2 h)  within 1m 50 %, 1d 75 %  then log\"in 50 "
      "%, #7 25 %, (new) 12 %\n");
}

TEST_F(EventLinesTest, AnAlertIsMarked) {
  surprise_[0] = 0.9999f;
  EXPECT_THAT(Line(false, AlertRule(0.01)), HasSubstr(",\"alert\":true,"));
  EXPECT_THAT(Line(true, AlertRule(0.01)), StartsWith("! "));
  const bool learning[] = {true};
  forecast_.learning = learning;
  EXPECT_THAT(Line(false, AlertRule(0.01)), HasSubstr(",\"learning\":true,\"alert\":false,"));
}

TEST_F(EventLinesTest, WithoutAForecastNumbersAreNull) {
  times_ = {kMissing, kMissing, kMissing};
  surprise_[0] = kMissing;
  const auto json = nlohmann::json::parse(Line(false));
  EXPECT_TRUE(json["surprise"].is_null());
  EXPECT_TRUE(json["next_seconds"]["0.5"].is_null());
  EXPECT_EQ(Line(true), "2024-01-01  log\"in  next unknown yet\n");
}

TEST(ShortSpanTest, HasTheUnitThatSuits) {
  EXPECT_EQ(ShortSpan(0), "0 ns");
  EXPECT_EQ(ShortSpan(2e-9), "2 ns");
  EXPECT_EQ(ShortSpan(0.0125), "12.5 ms");
  EXPECT_EQ(ShortSpan(90), "1.5 min");
  EXPECT_EQ(ShortSpan(86400 * 365.0), "365 d");
  EXPECT_EQ(ShortSpan(kMissing), "-");
}

}  // namespace
}  // namespace aaren::cli
