// The bundled model on series unlike any in its training: forecasts are always finite, quantiles do not cross, and the
// forecasts are sensible. extremes_test.cc tests the first two for any weights.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "model/package/package.h"
#include "tests/model/engine/stepper.h"

namespace aaren::engine {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

class BadInputTest : public ::testing::Test {
 protected:
  // Streams the series through a session of its own, with a forecast at every token.
  void Feed(const std::vector<float>& series) {
    outputs_ = stepper_.Feed(stepper_.Open(), series);
    tokens_ = series.size();
    size_t i = 0;  // nothing is forecast before the first value
    while (i < outputs_.forecasts.size() && std::isnan(series[i / (horizon_ * levels_)])) {
      ASSERT_TRUE(std::isnan(outputs_.forecasts[i++]));
    }
    for (; i < outputs_.forecasts.size(); ++i) {
      ASSERT_TRUE(std::isfinite(outputs_.forecasts[i])) << i;
      ASSERT_TRUE(i % levels_ == 0 || outputs_.forecasts[i] >= outputs_.forecasts[i - 1]) << i;
    }
    for (float surprise : outputs_.surprises) ASSERT_TRUE(std::isnan(surprise) || (surprise >= 0 && surprise <= 1));
  }

  // The forecast from token t, `ahead` steps ahead, counted from 1.
  float Quantile(size_t t, size_t ahead, size_t level) const {
    return outputs_.forecasts[(t * horizon_ + ahead - 1) * levels_ + level];
  }
  float Median(size_t t, size_t ahead) const { return Quantile(t, ahead, levels_ / 2); }
  float Width(size_t t, size_t ahead) const { return Quantile(t, ahead, levels_ - 1) - Quantile(t, ahead, 0); }

  void ExpectAllWithin(float low, float high, size_t from = 0) const {
    for (size_t i = from * horizon_ * levels_; i < outputs_.forecasts.size(); ++i) {
      ASSERT_TRUE(outputs_.forecasts[i] >= low && outputs_.forecasts[i] <= high) << outputs_.forecasts[i];
    }
  }
  void ExpectMediansWithin(size_t from, float low, float high) const {
    for (size_t t = from; t < tokens_; ++t) {
      for (size_t ahead = 1; ahead <= horizon_; ++ahead) {
        ASSERT_TRUE(Median(t, ahead) >= low && Median(t, ahead) <= high) << Median(t, ahead) << " after token " << t;
      }
    }
  }

  const package::ModelPackage package_ = package::LoadPackage(AAREN_BUNDLED_MODEL).value();
  Stepper stepper_{package_};
  const size_t horizon_ = static_cast<size_t>(package_.config.horizon);
  const size_t levels_ = package_.config.quantiles.size();
  Outputs outputs_;
  size_t tokens_ = 0;
};

TEST_F(BadInputTest, ConstantIsForecastConstant) {
  Feed(std::vector<float>(1000, 42.0f));
  ExpectMediansWithin(0, 41.0f, 43.0f);
  ExpectAllWithin(41.99f, 42.01f, 9);
  EXPECT_EQ(Width(20, horizon_), 0.0f);
  EXPECT_LT(Width(4, horizon_), Width(0, horizon_));
}

TEST_F(BadInputTest, IntervalNarrowsOnceNoiseHasBecomeConstant) {
  std::vector<float> series = Series(2, 300);
  const float last = 42.0f;
  series.resize(4000, last);
  Feed(series);
  EXPECT_LT(Width(1000, 1), Width(320, 1) / 5);
  EXPECT_LT(Width(3999, 1), Width(1000, 1));
  EXPECT_NEAR(Median(3999, 1), last, 0.05f);
}

TEST_F(BadInputTest, CalmAfterNoiseDoesNotSurprise) {
  std::vector<float> series = Series(2, 300);
  for (int t = 0; t < 3000; ++t) series.push_back(42.0f + 1e-3f * static_cast<float>(t * 7919 % 13));
  Feed(series);
  const auto alert = [](float surprise) { return surprise < 0.0005f || surprise > 0.9995f; };
  EXPECT_LT(std::count_if(outputs_.surprises.begin() + 500, outputs_.surprises.end(), alert), 17);  // three by chance
}

TEST_F(BadInputTest, ZerosAreForecastZero) {
  Feed(std::vector<float>(1000, 0.0f));
  ExpectAllWithin(0.0f, 0.0f);
}

TEST_F(BadInputTest, ZerosDoNotSurprise) {
  Feed(std::vector<float>(3000, 0.0f));
  for (size_t t = 1; t < tokens_; ++t) ASSERT_EQ(outputs_.surprises[t], 0.5f) << t;
}

TEST_F(BadInputTest, OneOutlierOf1e30IsForgotten) {
  std::vector<float> series = Series(2, 3000);
  const auto [low, high] = std::minmax_element(series.begin(), series.end());
  const float span = *high - *low, below = *low - 3 * span, above = *high + 3 * span;
  series[1000] = 1e30f;
  Feed(series);
  ExpectMediansWithin(100, below, above);
  EXPECT_LT(Width(1001, 1), 20 * Width(999, 1));
  EXPECT_LT(Width(1300, 1), 2 * Width(999, 1));
}

TEST_F(BadInputTest, SensorThatSendsAnErrorCodeThreeTimesIsForgotten) {
  std::vector<float> series = Series(2, 3000);
  for (size_t t : {1000, 1001, 1002}) series[t] = -9999e6f;
  Feed(series);
  EXPECT_LT(Width(1010, 1), 50 * Width(999, 1));
  EXPECT_LT(Width(1300, 1), 2 * Width(999, 1));
}

TEST_F(BadInputTest, NinetyPercentMissingKeepsTheForecastAmongTheValues) {
  std::vector<float> series = Series(2, 3000);
  float low = series[0], high = series[0];
  for (size_t t = 0; t < series.size(); ++t) {
    if (t % 10 != 0) series[t] = kMissing;
    low = std::fmin(low, series[t]);
    high = std::fmax(high, series[t]);
  }
  Feed(series);
  const float span = high - low;
  ExpectMediansWithin(100, low - span, high + span);  // so few values may look like a trend, but have no other scale
}

TEST_F(BadInputTest, JumpOfAMillionIsFollowed) {
  std::vector<float> series = Series(2, 3000);
  const auto [low, high] = std::minmax_element(series.begin(), series.end());
  const float span = *high - *low, below = 1e6f + *low - 5 * span, above = 1e6f + *high + 5 * span;
  for (size_t t = 1000; t < series.size(); ++t) series[t] += 1e6f;
  Feed(series);
  ExpectMediansWithin(1010, 0.0f, 2e6f);
  ExpectMediansWithin(1200, below, above);  // when the ring has no other value left
  EXPECT_LT(Width(1200, 1), 5 * Width(999, 1));
}

TEST_F(BadInputTest, OutageThatSendsAnErrorCodeIsOverWhenItHasLeftTheRing) {
  std::vector<float> series = Series(2, 3000);
  const auto [low, high] = std::minmax_element(series.begin(), series.end());
  const float span = *high - *low, below = *low - 2 * span, above = *high + 2 * span;
  for (size_t t = 1000; t < 1034; ++t) series[t] = -9999.0f;
  Feed(series);
  ExpectMediansWithin(1240, below, above);
  EXPECT_LT(Width(1240, 1), 5 * Width(999, 1));
}

TEST_F(BadInputTest, FirstValueOf1e30IsForgotten) {
  std::vector<float> series = Series(2, 1000);
  const auto [low, high] = std::minmax_element(series.begin(), series.end());
  const float span = *high - *low, below = *low - 10 * span, above = *high + 10 * span;
  series[0] = 1e30f;
  Feed(series);
  ExpectMediansWithin(200, below, above);
}

// A day of 24 values and noise. After the disturbance, forecasts are nearly as good as without the disturbance.
class AfterwardsTest : public BadInputTest {
 protected:
  static constexpr size_t kFrom = 1350, kTokens = 2600;

  static std::vector<float> Daily() {
    std::vector<float> series;
    std::mt19937 random(5);
    for (size_t t = 0; t < kTokens; ++t) {
      const float noise = static_cast<float>(random() % 101) / 25.0f - 2.0f;
      series.push_back(10.0f * std::sin(0.2617994f * static_cast<float>(t % 24)) + noise);
    }
    return series;
  }

  struct Quality {
    double loss = 0, inside = 0;  // mean pinball loss, and share inside the 80 % interval; one to twelve values ahead
  };

  Quality Judge(const std::vector<float>& series) {
    Feed(series);
    Quality quality;
    double count = 0;
    for (size_t t = kFrom; t + 12 < kTokens; ++t) {
      for (size_t ahead = 1; ahead <= 12; ++ahead, ++count) {
        const double value = series[t + ahead];
        for (size_t i = 0; i < levels_; ++i) {
          const double level = 0.1 * static_cast<double>(i + 1), error = value - Quantile(t, ahead, i);
          quality.loss += std::fmax(level * error, (level - 1) * error) / static_cast<double>(levels_);
        }
        quality.inside += value >= Quantile(t, ahead, 0) && value <= Quantile(t, ahead, levels_ - 1);
      }
    }
    return {.loss = quality.loss / count, .inside = quality.inside / count};
  }

  void ExpectNearlyAsGood(const std::vector<float>& series) {
    const Quality usual = Judge(Daily()), now = Judge(series);
    EXPECT_LT(now.loss, 1.5 * usual.loss);
    EXPECT_GT(now.inside, 0.63);
  }
};

TEST_F(AfterwardsTest, FirstValueOf1e30) {
  std::vector<float> series = Daily();
  series[0] = 1e30f;
  ExpectNearlyAsGood(series);
}

TEST_F(AfterwardsTest, GlitchInAYoungSession) {
  std::vector<float> series = Daily();
  series[10] = 1e9f;
  ExpectNearlyAsGood(series);
}

TEST_F(AfterwardsTest, GlitchAfterEqualValues) {
  std::vector<float> series = Daily();
  std::fill_n(series.begin(), 900, 5.0f);
  series[900] = 1e12f;
  ExpectNearlyAsGood(series);
}

TEST_F(AfterwardsTest, JumpOfAMillionSoon) {
  std::vector<float> series = Daily();
  for (size_t t = 0; t < 1000; ++t) series[t] -= 1e6f;
  ExpectNearlyAsGood(series);
}

TEST_F(AfterwardsTest, OutageOfAnErrorCode) {
  std::vector<float> series = Daily();
  std::fill_n(series.begin() + 1000, 34, -9999.0f);
  ExpectNearlyAsGood(series);
}

TEST_F(AfterwardsTest, ZerosBeforeTheDeviceWasInstalled) {
  std::vector<float> series = Daily();
  for (size_t t = 0; t < series.size(); ++t) series[t] = t < 1100 ? 0.0f : series[t] + 1013.0f;
  ExpectNearlyAsGood(series);
}

TEST_F(AfterwardsTest, LongGap) {
  std::vector<float> series = Daily();
  std::fill_n(series.begin() + 700, 400, kMissing);
  ExpectNearlyAsGood(series);
}

TEST_F(BadInputTest, LoadThatGoesOnAndOffIsForecast) {
  std::vector<float> series;
  for (int t = 0; t < 3000; ++t) {
    series.push_back((t % 96 < 48 ? 0.5f : 120.0f) + 0.01f * static_cast<float>(t * 7 % 5));
  }
  Feed(series);
  for (size_t t = 1000; t + 1 < series.size(); ++t) {
    if (t % 48 < 4 || t % 48 > 40) continue;  // just after the switch, and just before
    ASSERT_NEAR(Median(t, 1), series[t + 1], 12.0f) << t;
  }
}

TEST_F(BadInputTest, DenormalsAreForecastZero) {
  std::vector<float> series;
  for (int t = 0; t < 1000; ++t) series.push_back(static_cast<float>(t % 9) * 1e-42f);
  Feed(series);
  ExpectAllWithin(0.0f, 0.0f);
}

TEST_F(BadInputTest, IntegersOf1e15KeepTheirLevel) {
  const float level = 1e15f, step = 67108864.0f;  // neighbouring floats at that level
  std::vector<float> series;
  for (int t = 0; t < 1000; ++t) series.push_back(level + static_cast<float>(t % 5) * step);
  Feed(series);
  ExpectMediansWithin(200, level - 4 * step, level + 8 * step);
}

TEST_F(BadInputTest, AlternationIsForecastAsAlternation) {
  std::vector<float> series;
  for (int t = 0; t < 1000; ++t) series.push_back(t % 2 == 0 ? 1.0f : 3.0f);
  Feed(series);
  for (size_t t = 200; t < series.size(); ++t) {
    ASSERT_NEAR(Median(t, 1), 4.0f - series[t], 0.5f) << t;
    ASSERT_NEAR(Median(t, 2), series[t], 0.5f) << t;
  }
}

TEST_F(BadInputTest, FirstTokenIsForecastToStayWithoutCertainty) {
  Feed({17.0f});
  for (size_t ahead = 1; ahead <= horizon_; ++ahead) {
    EXPECT_NEAR(Median(0, ahead), 17.0f, 1.0f);
    EXPECT_GT(Width(0, ahead), 0.5f);
  }
}

TEST_F(BadInputTest, NothingIsForecastBeforeTheFirstValue) { Feed({kMissing, kMissing, 7.0f, kMissing, 8.0f}); }

}  // namespace
}  // namespace aaren::engine
