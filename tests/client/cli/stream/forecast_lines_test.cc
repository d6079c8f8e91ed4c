#include "client/cli/stream/forecast_lines.h"

#include <gtest/gtest.h>

#include <cmath>

namespace aaren::cli {
namespace {

constexpr float kQuantiles[] = {0.1f, 0.5f};

TEST(ForecastLinesTest, WritesALinePerSeriesWithItsQuantilesByLevel) {
  const ForecastLines lines({"a", "b"}, kQuantiles, true);
  const float values[] = {1, 2, 3, 4, 5, 6, 7, 8};  // [series, horizons, quantiles]
  const float surprise[] = {0.25f, 0.5f};
  std::string out;
  lines.Append({"2024-01-01", 0, {1.5f, 2.5f}}, {.seq = 7, .values = values, .surprise = surprise}, out);
  EXPECT_EQ(out, R"({"seq":7,"time":"2024-01-01","series":"a","value":1.5,"surprise":0.25,)"
                 R"("quantiles":{"0.1":[1,3],"0.5":[2,4]}})"
                 "\n"
                 R"({"seq":7,"time":"2024-01-01","series":"b","value":2.5,"surprise":0.5,)"
                 R"("quantiles":{"0.1":[5,7],"0.5":[6,8]}})"
                 "\n");
}

TEST(ForecastLinesTest, TellsOfEachSeriesWhetherItsValueIsAnAlert) {
  const ForecastLines lines({"a", "b", "c"}, kQuantiles, false, AlertRule(0.01));
  const float values[] = {1, 2, 3, 4, 5, 6};
  const float surprise[] = {0.5f, 0.999f, std::nanf("")};
  std::string out;
  lines.Append({"", 0, {1, 2, 3}}, {.seq = 7, .values = values, .surprise = surprise}, out);
  EXPECT_EQ(out, R"({"seq":7,"time":null,"series":"a","value":1,"surprise":0.5,"alert":false,)"
                 R"("quantiles":{"0.1":[1],"0.5":[2]}})"
                 "\n"
                 R"({"seq":7,"time":null,"series":"b","value":2,"surprise":0.999,"alert":true,)"
                 R"("quantiles":{"0.1":[3],"0.5":[4]}})"
                 "\n"
                 R"({"seq":7,"time":null,"series":"c","value":3,"surprise":null,"alert":false,)"
                 R"("quantiles":{"0.1":[5],"0.5":[6]}})"
                 "\n");
}

TEST(ForecastLinesTest, NumbersHaveAllDigitsOfTheirSeriesAndLearningIsTold) {
  const ForecastLines lines({"a"}, kQuantiles, false, AlertRule(0.01));
  const float values[] = {-1, 2}, surprise[] = {0.999f};
  const double offsets[] = {123456789};
  const bool learning[] = {true};
  std::string out;
  lines.Append({"", 0, {123456789}},
               {.seq = 7, .values = values, .surprise = surprise, .offsets = offsets, .learning = learning}, out);
  EXPECT_EQ(out, R"({"seq":7,"time":null,"series":"a","value":123456789,"surprise":0.999,"learning":true,)"
                 R"("alert":false,"quantiles":{"0.1":[123456788],"0.5":[123456791]}})"
                 "\n");
}

TEST(ForecastLinesTest, WhatIsNotThereIsNull) {
  const ForecastLines lines({"a"}, kQuantiles, false);
  const float values[] = {1, 2};
  std::string out;
  lines.Append({"", 0, {std::nanf("")}}, {.seq = 0, .values = values}, out);
  EXPECT_EQ(out, R"({"seq":0,"time":null,"series":"a","value":null,"surprise":null,"quantiles":{"0.1":[1],"0.5":[2]}})"
                 "\n");
}

}  // namespace
}  // namespace aaren::cli
