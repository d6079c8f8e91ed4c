// Scores of intervals against closed forms and against the definitions, worked out by other means.

#include "model/tasks/events/scores/judges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "model/tasks/forecasting/parts/random.h"

namespace aaren::events {
namespace {

// An exponential law of mean 1, with ties.
class Exponential final : public IntervalForecast {
 public:
  explicit Exponential(double tie = 0) : tie_(tie) {}
  double Tie() const override { return tie_; }
  double Below(double gap) const override { return gap > 0 ? -std::expm1(-gap) : 0; }
  double LogDensity(double gap) const override { return std::log(gap) - gap; }
  double IntervalAt(double level) const override {
    return level <= tie_ ? 0 : -std::log1p(-(level - tie_) / (1 - tie_));
  }

 private:
  const double tie_;
};

// Intervals that lie uniformly between 0 and 1: a surprise is the interval itself.
class Uniform final : public IntervalForecast {
 public:
  double Tie() const override { return 0; }
  double Below(double gap) const override { return std::clamp(gap, 0.0, 1.0); }
  double LogDensity(double gap) const override { return std::log(gap); }
  double IntervalAt(double level) const override { return level; }
};

TimeScore ScoreOf(const IntervalForecast& forecast, const std::vector<double>& gaps, double rounding = 0) {
  TimeJudge judge("model", rounding);
  for (const double gap : gaps) judge.Judge(forecast, gap);
  return judge.Score();
}

std::vector<double> ExponentialGaps(size_t count) {
  forecasting::Random random(7, 1);
  std::vector<double> gaps(count);
  for (double& gap : gaps) gap = random.Exponential();
  return gaps;
}

// The pinball loss of a right exponential forecast at level p is expected to be -(1 - p) log(1 - p): the integral of
// (p - [x < q]) (x - q) e^-x with q = -log(1 - p).
TEST(TimeJudgeTest, WqlOfARightForecastIsItsClosedForm) {
  constexpr size_t kGaps = 20000;
  std::vector<double> gaps;
  for (size_t i = 0; i < kGaps; ++i) gaps.push_back(-std::log1p(-(static_cast<double>(i) + 0.5) / kGaps));
  double expected = 0;
  for (int i = 1; i < 10; ++i) expected -= 2 * (1 - i / 10.0) * std::log1p(-i / 10.0) / 9;
  EXPECT_NEAR(ScoreOf(Exponential(), gaps).wql, expected, 1e-3 * expected);
}

TEST(TimeJudgeTest, WqlOfOneIntervalIsTheMeanOfItsLevels) {
  // At level p the quantile is p, the interval 0.35: 2 p (0.35 - p) below, 2 (1 - p) (p - 0.35) above.
  const double below = 2 * (0.1 * 0.25 + 0.2 * 0.15 + 0.3 * 0.05);
  const double above = 2 * (0.6 * 0.05 + 0.5 * 0.15 + 0.4 * 0.25 + 0.3 * 0.35 + 0.2 * 0.45 + 0.1 * 0.55);
  EXPECT_NEAR(ScoreOf(Uniform(), {0.35}).wql, (below + above) / 9 / 0.35, 1e-12);
}

TEST(TimeJudgeTest, WqlHasNoUnit) {
  class OfAnHour final : public IntervalForecast {
   public:
    double Tie() const override { return 0; }
    double Below(double gap) const override { return Uniform().Below(gap / 3600); }
    double LogDensity(double gap) const override { return Uniform().LogDensity(gap / 3600); }
    double IntervalAt(double level) const override { return 3600 * level; }
  };
  EXPECT_NEAR(ScoreOf(OfAnHour(), {720, 1800, 3240}).wql, ScoreOf(Uniform(), {0.2, 0.5, 0.9}).wql, 1e-12);
}

// The distance is looked for at every point of a fine grid, from both sides.
TEST(TimeJudgeTest, KsIsTheLargestDistanceToTheUniform) {
  const std::vector<double> gaps = {0.91, 0.12, 0.13, 0.5, 0.77, 0.18, 0.64};
  double expected = 0;
  constexpr int kGrid = 100000;
  for (int i = 0; i <= kGrid; ++i) {
    const double at = static_cast<double>(i) / kGrid;
    double less = 0, up_to = 0;
    for (const double gap : gaps) {
      less += gap < at ? 1.0 / static_cast<double>(gaps.size()) : 0;
      up_to += gap <= at ? 1.0 / static_cast<double>(gaps.size()) : 0;
    }
    expected = std::max({expected, std::abs(less - at), std::abs(up_to - at)});
  }
  EXPECT_NEAR(ScoreOf(Uniform(), gaps).ks, expected, 2e-5);
}

// 1.63 / sqrt(n) is exceeded by chance once in a hundred.
TEST(TimeJudgeTest, KsOfARightForecastIsThatOfChance) {
  const std::vector<double> gaps = ExponentialGaps(4000);
  EXPECT_LT(ScoreOf(Exponential(), gaps).ks, 1.63 / std::sqrt(4000.0));
}

TEST(TimeJudgeTest, KsOfForecastsTwiceTooLongIsTheirDistance) {
  std::vector<double> gaps = ExponentialGaps(20000);
  for (double& gap : gaps) gap /= 2;
  // The surprise u = 1 - e^-x of x of mean 1/2 has the distribution 1 - (1 - u)^2, at most 1/4 from u.
  EXPECT_NEAR(ScoreOf(Exponential(), gaps).ks, 0.25, 0.01);
}

// A tie, or a rounded time, is anywhere within what was rounded: the surprises of a right forecast stay uniform.
TEST(TimeJudgeTest, KsAllowsForTiesAndRounding) {
  constexpr double kRounding = 0.5, kTie = 0.3;
  forecasting::Random random(8, 1);
  std::vector<double> gaps;
  for (const double gap : ExponentialGaps(4000)) {
    gaps.push_back(random.Chance(kTie) ? 0 : (std::floor(gap / kRounding) + 0.5) * kRounding);
  }
  EXPECT_LT(ScoreOf(Exponential(kTie), gaps, kRounding).ks, 1.63 / std::sqrt(4000.0));
  EXPECT_GT(ScoreOf(Exponential(kTie), gaps, 0).ks, 0.1);
}

}  // namespace
}  // namespace aaren::events
