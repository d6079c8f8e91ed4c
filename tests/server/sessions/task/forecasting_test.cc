#include "server/sessions/task/forecasting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
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

TEST_F(ForecastingConversionTest, LeavesALevelTheModelDoesNotHaveToTheEngine) {
  request_.quantiles = {0.1f, 0.25f};
  request_.horizons = {2, 3};
  const OutputPlan plan = conversion_.Resolve(request_).plan;
  EXPECT_THAT(plan.selection->steps, ElementsAre(2, 3));
  EXPECT_THAT(plan.selection->levels, ElementsAre(0.1f, 0.25f));
  EXPECT_EQ(conversion_.PlannedFloats(plan), 4);
}

TEST_F(ForecastingConversionTest, LeavesNothingToTheEngineForLevelsOfTheModel) {
  request_.quantiles = {0.1f, 0.9f};
  EXPECT_EQ(conversion_.Resolve(request_).plan.selection, nullptr);
}

TEST_F(ForecastingConversionTest, SendsTheSelectionBehindTheResult) {
  request_.quantiles = {0.25f};
  const OutputPlan plan = conversion_.Resolve(request_).plan;
  std::vector<float> result(12), sent(4);
  result.resize(12 + engine::ResultTail::kFloats);
  engine::ResultTail{.origin = 100}.Write(result.data(), 12);
  result.insert(result.end(), {1, 2, 3, 4});
  EXPECT_EQ(conversion_.CopyPlanned(result.data(), plan, sent.data()), sent.data() + sent.size());
  EXPECT_THAT(sent, ElementsAre(101, 102, 103, 104));
}

TEST_F(ForecastingConversionTest, RefusesALevelTooFarOut) {
  for (const float level : {0.0049f, 0.996f, 1.0f, std::numeric_limits<float>::quiet_NaN()}) {
    request_.quantiles = {level};
    EXPECT_EQ(BadField(), "open.output.quantiles[0]") << level;
  }
  EXPECT_THAT(conversion_.Resolve(request_).bad->problem, HasSubstr("0.005 .. 0.995"));
  request_.quantiles = {0.005f, 0.995f};
  EXPECT_EQ(BadField(), "");
}

TEST_F(ForecastingConversionTest, RefusesMoreNumbersThanAReplyHolds) {
  for (int i = 0; i < 4097; ++i) request_.quantiles.push_back(0.1f + 1e-4f * static_cast<float>(i));
  EXPECT_EQ(BadField(), "open.output.quantiles");
}

TEST_F(ForecastingConversionTest, RefusesFieldsThatAForecasterDoesNotRead) {
  const std::vector<uint32_t> marks = {1};
  const std::vector<float> values = {1, 2, 3};
  EXPECT_FALSE(conversion_.CheckNumbers({.values = values}, 1, {}).has_value());
  EXPECT_EQ(conversion_.CheckNumbers({.values = values, .marks = marks}, 1, {})->field, "tokens.marks");
  EXPECT_EQ(conversion_.CheckNumbers({.values = values, .future_values = values}, 1, {})->field,
            "tokens.future_values");
}

TEST_F(ForecastingConversionTest, RefusesValuesThatDoNotFillEveryChannel) {
  const std::vector<float> values = {1, 2, 3};
  EXPECT_FALSE(conversion_.CheckNumbers({.values = values}, 3, {}).has_value());
  EXPECT_EQ(conversion_.CheckNumbers({.values = values}, 2, {})->problem,
            "3 values are not a multiple of the session's 2 channels");
}

TEST_F(ForecastingConversionTest, GivesTheEngineTheValuesAsTheyAre) {
  const std::vector<float> values = {1, 2, 3, 4};
  const std::vector<double> doubles = {0.1, 123456789, 1e12, -4};
  std::vector<float> inputs(2 * values.size());
  EXPECT_EQ(conversion_.inputs({}), 2);
  conversion_.CopyInputs({.values = values}, 2, {}, inputs.data());
  EXPECT_EQ(inputs, engine::RunValues({1, 2, 3, 4}));
  conversion_.CopyInputs({.doubles = doubles}, 2, {}, inputs.data());
  EXPECT_EQ(inputs, engine::RunValues(doubles));
}

TEST_F(ForecastingConversionTest, RefusesValuesBesideDoubles) {
  const std::vector<float> values = {1, 2};
  const std::vector<double> doubles = {1, 2};
  EXPECT_EQ(conversion_.CheckNumbers({.values = values, .doubles = doubles}, 1, {})->field, "tokens.doubles");
  EXPECT_FALSE(conversion_.CheckNumbers({.doubles = doubles}, 1, {}).has_value());
}

TEST_F(ForecastingConversionTest, NeedsExtendedRowsBeyondTheModelsHorizon) {
  request_.horizons = {1, 4};
  EXPECT_FALSE(conversion_.NeedsExtended(request_));
  request_.horizons = {1, 5};
  EXPECT_TRUE(conversion_.NeedsExtended(request_));
  EXPECT_THAT(conversion_.Resolve(request_).bad->problem, HasSubstr("only a session created with"));
}

TEST_F(ForecastingConversionTest, LeavesFarHorizonsOfExtendedRowsToTheEngine) {
  const ForecastingConversion extended(Config(), {.extended = true});
  request_.horizons = {4, 1024};
  const Resolved resolved = extended.Resolve(request_);
  ASSERT_FALSE(resolved.bad.has_value()) << resolved.bad->problem;
  EXPECT_THAT(resolved.plan.selection->steps, ElementsAre(4, 1024));
  EXPECT_EQ(resolved.plan.selection->levels, Config().quantiles);
  request_.horizons = {1025};
  EXPECT_THAT(extended.Resolve(request_).bad->problem, HasSubstr("1 .. 1024"));
}

class CovariatesConversionTest : public ForecastingConversionTest {
 protected:
  CovariatesConversionTest() { request_.horizons = {1, 2}; }

  std::string Problem(const TokenNumbers& numbers, uint32_t channels = 1) const {
    const auto bad = covariates_.CheckNumbers(numbers, channels, covariates_.Resolve(request_).plan);
    return bad ? bad->field + ": " + bad->problem : "";
  }

  const ForecastingConversion covariates_{Config(), {.extended = true, .extension = {.past = 1, .future = 1}}};
  const std::vector<float> two_ = {1, 2}, four_ = {1, 2, 3, 4};
};

TEST_F(CovariatesConversionTest, TakesTheCovariatesOfEachToken) {
  EXPECT_EQ(Problem({.values = two_, .covariates = four_}), "");
  EXPECT_EQ(Problem({.values = two_, .future_values = four_, .covariates = four_}), "");
  EXPECT_EQ(Problem({.values = four_, .future_values = four_, .covariates = four_}, 2), "");
}

TEST_F(CovariatesConversionTest, RefusesTokensWithoutTheirCovariates) {
  EXPECT_THAT(Problem({.values = two_}), HasSubstr("tokens.covariates: 0 covariates for 2 tokens"));
  EXPECT_THAT(Problem({.values = four_, .covariates = four_}), HasSubstr("1 past and 1 future"));
  EXPECT_THAT(Problem({.values = two_, .future_values = two_, .covariates = four_}),
              HasSubstr("tokens.future_values: 2 values for 2 tokens, 2 horizons and 1 future"));
}

TEST_F(CovariatesConversionTest, PutsCovariatesBehindTheValueOfEachChannel) {
  const OutputPlan plan = covariates_.Resolve(request_).plan;
  ASSERT_EQ(covariates_.inputs(plan), 6);
  std::vector<float> inputs(12);
  covariates_.CopyInputs({.values = two_, .future_values = {four_.data() + 2, 2}, .covariates = two_}, 2, plan,
                         inputs.data());
  EXPECT_EQ(engine::DoubleAt(&inputs[6]), 2);
  for (const size_t begin : {2, 8}) {
    EXPECT_THAT(std::vector<float>(&inputs[begin], &inputs[begin + 4]), ElementsAre(1, 2, 3, 4));
  }
}

TEST_F(CovariatesConversionTest, TakesUnknownFutureValuesForMissing) {
  const OutputPlan plan = covariates_.Resolve(request_).plan;
  std::vector<float> inputs(6);
  covariates_.CopyInputs({.values = {two_.data(), 1}, .covariates = two_}, 1, plan, inputs.data());
  EXPECT_TRUE(std::isnan(inputs[4]) && std::isnan(inputs[5]));
}

TEST_F(ForecastingConversionTest, RefusesCovariatesThatTheSessionDoesNotHave) {
  const std::vector<float> values = {1};
  EXPECT_EQ(conversion_.CheckNumbers({.values = values, .covariates = values}, 1, {})->field, "tokens.covariates");
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
