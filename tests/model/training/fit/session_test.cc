#include "model/training/fit/session.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "model/tasks/forecasting/parts/random.h"

namespace aaren::training {
namespace {

// A day of 24 rows with noise, and now and then a promotion of six rows that adds 5.
class SessionTest : public testing::Test {
 protected:
  static double Day(size_t t) { return 10 + 3 * std::sin(2 * std::numbers::pi * static_cast<double>(t) / 24); }

  SessionTest() {
    forecasting::Random random(17, 1);
    series_ = {.name = "sales", .values = {}, .origins = {}, .season = 24};
    series_.covariates.resize(1);
    for (size_t t = 0; t < 1300; ++t) {
      const double promotion = t % 6 != 0 ? series_.covariates[0].back() : random.Chance(0.2) ? 1 : 0;
      series_.covariates[0].push_back(promotion);
      series_.values.push_back(Day(t) + 5 * promotion + 0.3 * random.Normal());
    }
    for (size_t origin = 1000; origin < 1270; origin += 10) series_.origins.push_back(origin);
  }

  Backtest With(const engine::Extension& covariates) const {
    return {.horizon = 24,
            .levels = {package_.config.quantiles.begin(), package_.config.quantiles.end()},
            .covariates = covariates,
            .series = {series_}};
  }

  double Loss(const engine::Extension& covariates) const {
    const Backtest backtest = With(covariates);
    return ScoreForecasts("session", backtest, ModelForecasts(package_, backtest).value()).wql;
  }

  const package::ModelPackage package_ = package::LoadPackage(AAREN_BUNDLED_MODEL).value();
  BacktestSeries series_;
};

TEST_F(SessionTest, APromotionKnownInAdvanceIsForecast) { EXPECT_LT(Loss({0, 1}), 0.75 * Loss({})); }

TEST_F(SessionTest, APromotionKnownTooLateHelpsLittle) { EXPECT_GT(Loss({1, 0}), 0.9 * Loss({})); }

TEST_F(SessionTest, PastCovariatesAfterTheOriginAreNotKnown) {
  const Forecasts whole = ModelForecasts(package_, With({1, 0})).value();
  for (size_t t = series_.origins.back(); t < series_.values.size(); ++t) series_.covariates[0][t] = 7;
  EXPECT_EQ(ModelForecasts(package_, With({1, 0})).value(), whole);
}

TEST_F(SessionTest, FutureCovariatesBeyondTheSeriesAreNotKnown) {
  for (std::vector<double>* values : {&series_.values, &series_.covariates[0]}) values->resize(1001);
  series_.origins = {1000};
  const Forecasts ended = ModelForecasts(package_, With({0, 1})).value();
  series_.covariates[0].resize(1100, std::nan(""));
  EXPECT_EQ(ModelForecasts(package_, With({0, 1})).value(), ended);
}

TEST_F(SessionTest, ASeriesLessItsCovariatesHasNoPromotions) {
  const auto engine = NewSessionEngine(package_, {0, 1}).value();
  const std::vector<double> less = LessCovariates(*engine, {0, 1}, series_).value();
  ASSERT_EQ(less.size(), series_.values.size());
  double during = 0, beside = 0, rows = 0, others = 0;
  for (size_t t = 600; t < less.size(); ++t) {
    const bool promotion = series_.covariates[0][t] > 0;
    (promotion ? during : beside) += less[t] - Day(t);
    (promotion ? rows : others) += 1;
  }
  EXPECT_NEAR(during / rows - beside / others, 0, 1) << "of 5";
}

TEST_F(SessionTest, WithoutFutureCovariatesASeriesStays) {
  series_.values[700] = std::nan("");
  const auto engine = NewSessionEngine(package_, {1, 0}).value();
  const std::vector<double> less = LessCovariates(*engine, {1, 0}, series_).value();
  for (size_t t = 0; t < less.size(); ++t) {
    if (t == 700) {
      EXPECT_TRUE(std::isnan(less[t]));
    } else {
      EXPECT_NEAR(less[t], series_.values[t], 20.0 / 65534) << t;
    }
  }
}

}  // namespace
}  // namespace aaren::training
