#include "server/sessions/task/forecasting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>

namespace aaren::task {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ForecastingConversionTest : public testing::Test {
 protected:
  static package::ForecasterConfig Config() {
    package::ForecasterConfig config;
    config.horizon = 4;
    config.quantiles = {0.1f, 0.5f, 0.9f};
    return config;
  }

  // The path of the refused option; empty: none.
  std::string BadField() const {
    const Resolved resolved = conversion_.Resolve(request_);
    return resolved.bad ? resolved.bad->field : "";
  }

  // The sent part of the result 0, 1, .. 11: number 3 h + q is quantile q of step h.
  std::vector<float> Sent() const {
    std::array<float, 12 + engine::ResultTail::kFloats> result;
    std::iota(result.begin(), result.end(), 0.0f);
    engine::ResultTail{.origin = origin_}.Write(result.data(), 12);
    const OutputPlan plan = conversion_.Resolve(request_).plan;
    std::vector<float> sent(conversion_.PlannedFloats(plan));
    EXPECT_EQ(conversion_.CopyPlanned(result.data(), plan, sent.data()), sent.data() + sent.size());
    return sent;
  }

  ForecastingConversion conversion_{Config()};
  OutputRequest request_;
  double origin_ = 0;
};

TEST_F(ForecastingConversionTest, TurnsHorizonsAndLevelsIntoPlaces) {
  request_.horizons = {1, 4};
  request_.quantiles = {0.5f, 0.9f};
  const OutputPlan plan = conversion_.Resolve(request_).plan;
  EXPECT_EQ(BadField(), "");
  EXPECT_THAT(plan.horizons, ElementsAre(0, 3));
  EXPECT_THAT(plan.quantiles, ElementsAre(1, 2));
}

TEST_F(ForecastingConversionTest, KeepsWhatElseWasAskedFor) {
  request_.every = 3;
  request_.surprise = true;
  request_.refinement = engine::Refinement::kMixed;
  const OutputPlan plan = conversion_.Resolve(request_).plan;
  EXPECT_EQ(plan.every, 3);
  EXPECT_TRUE(plan.surprise);
  EXPECT_EQ(plan.refinement, engine::Refinement::kMixed);
}

TEST_F(ForecastingConversionTest, RefinesAllTheWayUnlessAskedNotTo) {
  EXPECT_EQ(conversion_.Resolve(request_).plan.refinement, engine::Refinement::kRestricted);
}

TEST_F(ForecastingConversionTest, TakesEveryOfZeroForOne) {
  request_.every = 0;
  EXPECT_EQ(conversion_.Resolve(request_).plan.every, 1);
}

TEST_F(ForecastingConversionTest, RefusesAHorizonBeyondTheModels) {
  for (const uint32_t horizon : {0u, 5u}) {
    request_.horizons = {horizon};
    EXPECT_EQ(BadField(), "open.output.horizons[0]");
    EXPECT_THAT(conversion_.Resolve(request_).bad->problem, HasSubstr("1 .. 4"));
  }
}

TEST_F(ForecastingConversionTest, RefusesHorizonsThatDoNotAscend) {
  request_.horizons = {2, 2};
  EXPECT_EQ(BadField(), "open.output.horizons[1]");
}

TEST_F(ForecastingConversionTest, RefusesQuantilesThatDoNotAscend) {
  request_.quantiles = {0.5f, 0.1f};
  EXPECT_EQ(BadField(), "open.output.quantiles[1]");
}

TEST_F(ForecastingConversionTest, RefusesALevelTheModelDoesNotHave) {
  request_.quantiles = {0.25f};
  EXPECT_EQ(BadField(), "open.output.quantiles[0]");
  EXPECT_THAT(conversion_.Resolve(request_).bad->problem, HasSubstr("0.25"));
}

TEST_F(ForecastingConversionTest, RefusesFieldsThatAForecasterDoesNotRead) {
  const std::vector<uint32_t> marks = {1};
  const std::vector<float> values = {1, 2, 3};
  EXPECT_FALSE(conversion_.CheckNumbers({.values = values}, 1).has_value());
  EXPECT_EQ(conversion_.CheckNumbers({.values = values, .marks = marks}, 1)->field, "tokens.marks");
  EXPECT_EQ(conversion_.CheckNumbers({.values = values, .future_values = values}, 1)->field, "tokens.future_values");
}

TEST_F(ForecastingConversionTest, RefusesValuesThatDoNotFillEveryChannel) {
  const std::vector<float> values = {1, 2, 3};
  EXPECT_FALSE(conversion_.CheckNumbers({.values = values}, 3).has_value());
  EXPECT_EQ(conversion_.CheckNumbers({.values = values}, 2)->problem,
            "3 values are not a multiple of the session's 2 channels");
}

TEST_F(ForecastingConversionTest, GivesTheEngineTheValuesAsTheyAre) {
  const std::vector<float> values = {1, 2, 3, 4};
  const std::vector<double> doubles = {0.1, 123456789, 1e12, -4};
  std::vector<float> inputs(2 * values.size());
  EXPECT_EQ(conversion_.inputs(), 2);
  conversion_.CopyInputs({.values = values}, 2, inputs.data());
  EXPECT_EQ(inputs, engine::RunValues({1, 2, 3, 4}));
  conversion_.CopyInputs({.doubles = doubles}, 2, inputs.data());
  EXPECT_EQ(inputs, engine::RunValues(doubles));
}

TEST_F(ForecastingConversionTest, RefusesValuesBesideDoubles) {
  const std::vector<float> values = {1, 2};
  const std::vector<double> doubles = {1, 2};
  EXPECT_EQ(conversion_.CheckNumbers({.values = values, .doubles = doubles}, 1)->field, "tokens.doubles");
  EXPECT_FALSE(conversion_.CheckNumbers({.doubles = doubles}, 1).has_value());
}

TEST_F(ForecastingConversionTest, SendsForecastsInTheUnitsOfTheSeriesUnlessAskedNotTo) {
  request_.horizons = {1};
  origin_ = 1000;
  EXPECT_THAT(Sent(), ElementsAre(1000, 1001, 1002));
  request_.relative = true;
  EXPECT_THAT(Sent(), ElementsAre(0, 1, 2));
}

TEST_F(ForecastingConversionTest, SendsTheWholeForecastUnlessAskedForLess) {
  EXPECT_THAT(Sent(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
}

TEST_F(ForecastingConversionTest, SendsTheRowsAskedFor) {
  request_.horizons = {2, 4};
  EXPECT_THAT(Sent(), ElementsAre(3, 4, 5, 9, 10, 11));
}

TEST_F(ForecastingConversionTest, SendsTheColumnsAskedFor) {
  request_.quantiles = {0.1f, 0.9f};
  EXPECT_THAT(Sent(), ElementsAre(0, 2, 3, 5, 6, 8, 9, 11));
}

TEST_F(ForecastingConversionTest, SendsTheCrossingOfRowsAndColumnsAskedFor) {
  request_.horizons = {1, 3};
  request_.quantiles = {0.5f};
  EXPECT_THAT(Sent(), ElementsAre(1, 7));
}

}  // namespace
}  // namespace aaren::task
