// The kernels against the rules, step by step and number by number, in plain C++.

#include "model/engine/forecasting/refinement/quantiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "model/math/scaling.h"
#include "tests/model/engine/only_target.h"

namespace aaren::engine {
namespace {

constexpr float kMostFloat = std::numeric_limits<float>::max();

class Random {
 public:
  explicit Random(uint64_t seed) : random_(seed) {}
  float Number(float scale) { return scale * std::uniform_real_distribution<float>(-1.0f, 1.0f)(random_); }
  std::vector<float> Numbers(size_t count, float scale) {
    std::vector<float> numbers(count);
    for (float& number : numbers) number = Number(scale);
    return numbers;
  }
  // Random quantiles, in order within each step.
  std::vector<float> Forecast(const ForecastSize& size, float scale) {
    std::vector<float> forecast = Numbers(size.steps * size.levels, scale);
    for (size_t j = 0; j < size.steps; ++j) {
      std::sort(forecast.begin() + j * size.levels, forecast.begin() + (j + 1) * size.levels);
    }
    return forecast;
  }

 private:
  std::mt19937_64 random_;
};

constexpr size_t kLevels[] = {1, 3, 8, 9, 11, 33};
constexpr size_t kSteps[] = {1, 2, 7, 16, 17, 48, 63, 64, 65, 200};

// Calls test(size, seed) for forecasts of many sizes, with the kernels of each instruction set.
template <typename Test>
void ForEachSize(const Test& test) {
  for (const int64_t target : ExactTargets()) {
    const OnlyTarget only(target);
    uint64_t seed = 0;
    for (size_t levels : kLevels) {
      for (size_t steps : kSteps) test(ForecastSize{steps, levels}, ++seed);
    }
  }
}

// Rule 6 for one step.
void PullStep(const Pull& pull, size_t j, size_t levels, float* quantiles) {
  const double median = quantiles[levels / 2];
  double shift = 0.0;
  for (size_t source = 0; source < Pull::kSources; ++source) {
    const double away = pull.sources[source * pull.distance + j] - median;
    shift += static_cast<double>(pull.weights[source]) * std::clamp(away, -pull.most, pull.most);
  }
  const size_t middle = levels / 2;
  for (size_t i = 0; i < levels; ++i) {
    const float away = static_cast<float>(i < middle ? middle - i : i - middle);
    const float share = middle == 0 ? 1.0f : 1.0f - 0.5f * (away / static_cast<float>(middle));
    const float moved = std::clamp(quantiles[i] + math::ToFloat(shift) * share, -kMostFloat, kMostFloat);
    quantiles[i] = std::abs(moved) < math::kLeastValue ? 0.0f : moved;
  }
  for (size_t i = middle + 1; i < levels; ++i) quantiles[i] = std::max(quantiles[i], quantiles[i - 1]);
  for (size_t i = middle; i > 0; --i) quantiles[i - 1] = std::min(quantiles[i - 1], quantiles[i]);
}

void ExpectPulled(const ForecastSize& size, uint64_t seed, float scale) {
  Random random(seed);
  const std::vector<float> weights = random.Numbers(8, 1.0f);
  const std::vector<float> sources = random.Numbers(Pull::kSources * size.steps, 2.0f * scale);
  const size_t first = (size.steps + 2) / 3;
  const Pull pulls[] = {{weights.data(), 0.5 * scale, sources.data(), size.steps, first},
                        {weights.data() + 4, 1.5 * scale, sources.data() + first, size.steps, size.steps - first}};
  std::vector<float> forecast = random.Forecast(size, scale), expected = forecast;
  PullQuantiles(pulls, size, forecast.data());
  for (size_t j = 0; j < size.steps; ++j) {
    const bool later = j >= first;
    PullStep(pulls[later], later ? j - first : j, size.levels, expected.data() + j * size.levels);
  }
  ASSERT_EQ(forecast, expected) << size.steps << " steps, " << size.levels << " levels";
}

TEST(QuantilesTest, EachStepMovesByTheShiftOfItsMedian) {
  ForEachSize([](const ForecastSize& size, uint64_t seed) { ExpectPulled(size, seed, 10.0f); });
}

TEST(QuantilesTest, PulledQuantilesStayFinite) {
  ForEachSize([](const ForecastSize& size, uint64_t seed) { ExpectPulled(size, seed, 3e38f); });
}

TEST(QuantilesTest, PulledQuantilesThatAreTinyAreZero) {
  ForEachSize([](const ForecastSize& size, uint64_t seed) { ExpectPulled(size, seed, 3e-27f); });
}

// Rule 7 for one step: adds the excess of theta over a tenth of a spread, then orders from the median outwards.
void CorrectOne(const float* low, const float* high, float fraction, size_t levels, float* quantiles) {
  const float spread = std::min(quantiles[levels - 1] - quantiles[0], kMostFloat);
  for (size_t i = 0; i < levels; ++i) {
    const float theta = low[i] + fraction * (high[i] - low[i]);
    const float excess = theta - std::clamp(theta, -0.1f, 0.1f);
    quantiles[i] = std::clamp(quantiles[i] + excess * spread, -kMostFloat, kMostFloat);
  }
  for (size_t i = levels / 2 + 1; i < levels; ++i) quantiles[i] = std::max(quantiles[i], quantiles[i - 1]);
  for (size_t i = levels / 2; i > 0; --i) quantiles[i - 1] = std::min(quantiles[i - 1], quantiles[i]);
}

// theta: for two tracked horizons, the first and the last step.
void ExpectCorrected(const ForecastSize& size, uint64_t seed, float theta_scale, float scale) {
  Random random(seed);
  const std::vector<float> theta = random.Numbers(2 * size.levels, theta_scale);
  std::vector<Between> steps;
  for (size_t j = 0; j < size.steps; ++j) {
    const bool last = j + 1 == size.steps;
    steps.push_back({last ? 1u : 0u, last ? 0.0f : static_cast<float>(j) / static_cast<float>(size.steps)});
  }
  std::vector<float> forecast = random.Forecast(size, scale), expected = forecast;
  CorrectQuantiles(theta.data(), steps, size.levels, forecast.data());
  for (size_t j = 0; j < size.steps; ++j) {
    const float* low = theta.data() + steps[j].low * size.levels;
    const float* high = steps[j].fraction == 0.0f ? low : low + size.levels;
    CorrectOne(low, high, steps[j].fraction, size.levels, expected.data() + j * size.levels);
  }
  ASSERT_EQ(forecast, expected) << size.steps << " steps, " << size.levels << " levels";
}

TEST(QuantilesTest, CorrectionsThatKeepTheOrder) {
  ForEachSize([](const ForecastSize& size, uint64_t seed) { ExpectCorrected(size, seed, 0.11f, 10.0f); });
}

TEST(QuantilesTest, CorrectionsThatWouldCross) {
  ForEachSize([](const ForecastSize& size, uint64_t seed) { ExpectCorrected(size, seed, 0.75f, 10.0f); });
}

TEST(QuantilesTest, CorrectedQuantilesStayFinite) {
  ForEachSize([](const ForecastSize& size, uint64_t seed) { ExpectCorrected(size, seed, 0.75f, 3e38f); });
}

TEST(WidenAfterGapTest, AStepHasTheDistancesOfTheStepFurtherOn) {
  std::vector<float> forecast = {-1, 0, 1, /**/ 8, 10, 13, /**/ 15, 20, 26, /**/ 22, 30, 39};
  WidenAfterGap(2, {4, 3}, forecast.data());
  EXPECT_EQ(forecast, std::vector<float>({-5, 0, 6, /**/ 2, 10, 19, /**/ 12, 20, 29, /**/ 22, 30, 39}));
}

TEST(WidenAfterGapTest, WithoutAGapNothingChanges) {
  std::vector<float> forecast = {-1, 0, 1, /**/ 8, 10, 13};
  WidenAfterGap(0, {2, 3}, forecast.data());
  EXPECT_EQ(forecast, std::vector<float>({-1, 0, 1, /**/ 8, 10, 13}));
}

TEST(WidenAfterGapTest, AGapBeyondTheHorizonHasTheDistancesOfTheLastStep) {
  std::vector<float> forecast = {-1, 0, 1, /**/ 8, 10, 13};
  WidenAfterGap(192, {2, 3}, forecast.data());
  EXPECT_EQ(forecast, std::vector<float>({-2, 0, 3, /**/ 8, 10, 13}));
}

TEST(WidenAfterGapTest, DistancesBeyondTheFloatsStayFinite) {
  std::vector<float> forecast = {0, kMostFloat / 2, kMostFloat, /**/ -kMostFloat, kMostFloat / 2, kMostFloat};
  WidenAfterGap(1, {2, 3}, forecast.data());
  for (const float quantile : forecast) EXPECT_TRUE(std::isfinite(quantile));
}

}  // namespace
}  // namespace aaren::engine
