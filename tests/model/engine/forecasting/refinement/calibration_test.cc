#include "model/engine/forecasting/refinement/calibration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "model/engine/forecasting/refinement/surprise.h"
#include "model/tasks/forecasting/parts/random.h"

namespace aaren::engine {
namespace {

constexpr size_t kQuantiles = 9;
constexpr float kNormalQuantiles[kQuantiles] = {-1.28155f, -0.84162f, -0.52440f, -0.25335f, 0.0f,
                                                0.25335f,  0.52440f,  0.84162f,  1.28155f};
constexpr size_t kLearning = 15000, kScored = 30000;  // tokens

using Forecast = std::vector<float>;  // [T, Q]

// A session of a forecaster with a constant forecast.
class Session {
 public:
  explicit Session(Forecast forecast) : forecast_(std::move(forecast)) { calibration_.Reset(state_.data()); }

  // Takes a value and returns the corrected forecast made from the value.
  Forecast Take(float value) {
    values_.push_back(value);
    if (probes().At(seq_)) {
      std::vector<float> values(probes().tracked().size());
      probes().Gather(seq_, &values_.back(), values.data());
      calibration_.Learn(seq_, /*places=*/1, values.data(), forecast_.data(), state_.data());
    }
    ++seq_;
    Forecast corrected = forecast_;
    calibration_.Correct(state_.data(), corrected.data());
    return corrected;
  }

  const Forecast& forecast() const { return forecast_; }
  const package::ForecasterConfig& config() const { return config_; }

 private:
  const Probes& probes() const { return calibration_.probes(); }

  const package::ForecasterConfig config_;
  const Calibration calibration_{config_};
  Forecast forecast_;
  std::vector<float> state_ = std::vector<float>(calibration_.state_size());
  std::vector<float> values_;
  uint64_t seq_ = 0;
};

Forecast Normal(float mean, float deviation) {
  Forecast forecast;
  for (int j = 0; j < package::ForecasterConfig().horizon; ++j) {
    for (float quantile : kNormalQuantiles) forecast.push_back(mean + deviation * quantile);
  }
  return forecast;
}

std::vector<float> Noise(double deviation, size_t length, uint64_t seed) {
  forecasting::Random random(seed, 0);
  std::vector<float> values;
  for (size_t i = 0; i < length; ++i) values.push_back(static_cast<float>(deviation * random.Normal()));
  return values;
}

// The scores of one horizon's forecasts, over the last kScored forecasts.
struct Scores {
  double coverage = 0;     // share inside the 80 % interval
  double below = 0;        // share of values below the median
  double error = 0;        // mean |value - median|
  double uncorrected = 0;  // error of the forecaster without correction

  void Add(float value, const float* quantiles, float uncorrected_median) {
    coverage += (value >= quantiles[0] && value <= quantiles[8]) / double{kScored};
    below += (value < quantiles[4]) / double{kScored};
    error += std::abs(value - quantiles[4]) / double{kScored};
    uncorrected += std::abs(value - uncorrected_median) / double{kScored};
  }
};

// Scores by horizon.
std::map<size_t, Scores> Score(Session session, const std::vector<float>& values, const std::vector<size_t>& horizons) {
  std::map<size_t, Scores> scores;
  const size_t end = values.size() - horizons.back();
  for (size_t t = 0; t < end; ++t) {
    const Forecast forecast = session.Take(values[t]);
    if (t + kScored < end) continue;
    for (size_t horizon : horizons) {
      const size_t at = (horizon - 1) * kQuantiles;
      scores[horizon].Add(values[t + horizon], &forecast[at], session.forecast()[at + 4]);
    }
  }
  return scores;
}

// The largest distance of the surprises' distribution from the uniform distribution (Kolmogorov, Smirnov).
double Distance(std::vector<float> surprises) {
  std::sort(surprises.begin(), surprises.end());
  const double count = static_cast<double>(surprises.size());
  double distance = 0;
  for (size_t i = 0; i < surprises.size(); ++i) {
    const double at = static_cast<double>(i);
    distance = std::max({distance, surprises[i] - at / count, (at + 1) / count - surprises[i]});
  }
  return distance;
}

double SurpriseDistance(Session session, const std::vector<float>& values) {
  std::vector<float> surprises;
  for (size_t t = 0; t + 1 < values.size(); ++t) {
    const Forecast forecast = session.Take(values[t]);
    if (t + kScored >= values.size()) {
      surprises.push_back(Surprise(session.config().quantiles, forecast.data(), values[t + 1]));
    }
  }
  return Distance(surprises);
}

TEST(CalibrationTest, CoversAgainAfterTheNoiseDoubled) {
  std::vector<float> values = Noise(1, kLearning, 1);
  const std::vector<float> doubled = Noise(2, kLearning + kScored, 2);
  values.insert(values.end(), doubled.begin(), doubled.end());
  // Horizon 31 lies between two tracked horizons. Uncorrected intervals cover 48 %.
  for (const auto& [horizon, scores] : Score(Session(Normal(0, 1)), values, {1, 2, 12, 24, 31, 48})) {
    EXPECT_NEAR(scores.coverage, 0.8, 0.02) << horizon;
  }
}

TEST(CalibrationTest, NarrowsAnIntervalThatIsTooWide) {
  const std::vector<float> values = Noise(0.5, kLearning + kScored, 3);
  for (const auto& [horizon, scores] : Score(Session(Normal(0, 1)), values, {1, 12, 48})) {
    EXPECT_NEAR(scores.coverage, 0.8, 0.02) << horizon;  // 99 % without correction
  }
}

TEST(CalibrationTest, RemovesABias) {
  const std::vector<float> values = Noise(1, kLearning + kScored, 4);
  for (const auto& [horizon, scores] : Score(Session(Normal(1.5, 1)), values, {1, 12, 48})) {
    EXPECT_NEAR(scores.below, 0.5, 0.03) << horizon;  // 0.93 without correction
    EXPECT_NEAR(scores.coverage, 0.8, 0.02) << horizon;
    EXPECT_LT(scores.error, 0.6 * scores.uncorrected) << horizon;
  }
}

// theta exceeds the slack by chance, so the test judges the mean of several series.
TEST(CalibrationTest, LeavesAMedianThatIsRightAlone) {
  double error = 0, uncorrected = 0;
  for (uint64_t seed = 5; seed < 11; ++seed) {
    const std::vector<float> values = Noise(1, kLearning + kScored, seed);
    for (const auto& [horizon, scores] : Score(Session(Normal(0, 1)), values, {1, 12, 48})) {
      error += scores.error;
      uncorrected += scores.uncorrected;
    }
  }
  EXPECT_LT(error, 1.003 * uncorrected);
}

// A forecaster that looked at every 16th token would see only some phases of a season of 16 or 24 tokens.
TEST(CalibrationTest, CoversOnAverageWhereTheNoiseHasASeason) {
  for (size_t season : {16, 24, 48}) {
    std::vector<float> values = Noise(1, kLearning + kScored, 6);
    for (size_t t = 0; t < values.size(); ++t) values[t] *= t % season < 3 ? 4.0f : 0.7f;
    for (const auto& [horizon, scores] : Score(Session(Normal(0, 1)), values, {1, 48})) {
      EXPECT_NEAR(scores.coverage, 0.8, 0.02) << season << ", " << horizon;
    }
  }
}

TEST(CalibrationTest, SurpriseIsUniform) {
  const std::vector<float> values = Noise(1, kLearning + kScored, 7);
  EXPECT_LE(SurpriseDistance(Session(Normal(0, 1)), values), 0.05);
  EXPECT_LE(SurpriseDistance(Session(Normal(0, 0.5)), values), 0.05);
  EXPECT_LE(SurpriseDistance(Session(Normal(1, 2)), values), 0.05);
}

TEST(CalibrationTest, ValuesEqualToTheirForecastsTeachNothing) {
  Session session(Normal(5, 0));
  for (int t = 0; t < 1000; ++t) ASSERT_EQ(session.Take(5), session.forecast());
}

TEST(CalibrationTest, MissingValuesTeachNothing) {
  Session session(Normal(5, 1));
  for (int t = 0; t < 1000; ++t) ASSERT_EQ(session.Take(NAN), session.forecast());
}

TEST(CalibrationTest, FirstValuesTeachNothingYet) {
  Session session(Normal(5, 1));
  for (int t = 0; t < 33; ++t) ASSERT_EQ(session.Take(100), session.forecast());
  EXPECT_NE(session.Take(100), session.forecast());
}

TEST(CalibrationTest, QuantilesStayInOrderAndFinite) {
  const float most = std::numeric_limits<float>::max();
  for (float width : {0.0f, 1e-45f, 1.0f, 1e30f, most / 2}) {
    for (float value : {0.0f, most, -most, 1e-40f}) {
      Session session(Normal(0, width));
      for (int t = 0; t < 4000; ++t) {
        const Forecast forecast = session.Take(t % 2000 < 1500 ? value : -value);
        if (t % 7 != 0) continue;
        for (size_t i = 0; i < forecast.size(); ++i) {
          ASSERT_TRUE(std::isfinite(forecast[i])) << width << " " << value;
          ASSERT_TRUE(i % kQuantiles == 0 || forecast[i] >= forecast[i - 1]) << width << " " << value;
        }
      }
    }
  }
}

}  // namespace
}  // namespace aaren::engine
