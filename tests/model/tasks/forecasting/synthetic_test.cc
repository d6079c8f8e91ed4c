#include "model/tasks/forecasting/synthetic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <vector>

#include "model/tasks/forecasting/parts/gaussian_process.h"
#include "model/tasks/forecasting/parts/noise.h"
#include "model/tasks/forecasting/parts/random.h"
#include "model/tasks/forecasting/parts/season.h"
#include "model/tasks/forecasting/parts/trend.h"
#include "tests/model/rounding.h"

namespace aaren::forecasting {
namespace {

constexpr int kLength = 1024;

bool SameBits(const std::vector<double>& x, const std::vector<double>& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0;
}

// Correlation of a series without gaps with the series `lag` values later.
double Autocorrelation(const std::vector<double>& x, int lag) {
  double dot = 0, squares = 0;
  for (size_t t = lag; t < x.size(); ++t) dot += x[t] * x[t - lag];
  for (double value : x) squares += value * value;
  return dot / squares;
}

TEST(SyntheticSeriesTest, SameArgumentsGiveTheSameBits) {
  for (int index = 0; index < 50; ++index) {
    EXPECT_TRUE(SameBits(SyntheticSeries(3, index, kLength), SyntheticSeries(3, index, kLength))) << index;
  }
}

TEST(SyntheticSeriesTest, OtherIndexAndOtherSeedGiveOtherSeries) {
  EXPECT_FALSE(SameBits(SyntheticSeries(3, 0, kLength), SyntheticSeries(3, 1, kLength)));
  EXPECT_FALSE(SameBits(SyntheticSeries(3, 0, kLength), SyntheticSeries(4, 0, kLength)));
}

TEST(SyntheticSeriesTest, ValuesAreMissingOrOfModestSize) {
  for (int index = 0; index < 500; ++index) {
    int present = 0;
    for (const double value : SyntheticSeries(1, index, kLength)) {
      present += !std::isnan(value);
      ASSERT_TRUE(std::isnan(value) || std::fabs(value) < 1e9) << "series " << index << " has " << value;
    }
    EXPECT_GT(present, 0) << index;
  }
}

// Crops of every length are possible.
TEST(SyntheticSeriesTest, LongCropsArePossible) {
  for (int index = 0; index < 50; ++index) EXPECT_EQ(SyntheticSeries(1, index, 16384).size(), 16384u);
}

TEST(SyntheticSeriesTest, FamiliesAreDrawnInEqualParts) {
  constexpr int kDraws = 24000;
  std::map<absl::string_view, int> counts;
  for (int index = 0; index < kDraws; ++index) ++counts[SyntheticFamily(1, 2 * index).name];  // even, as training draws
  const double expected = kDraws / static_cast<double>(Families().size());
  EXPECT_EQ(counts.size(), Families().size());
  for (const auto& [name, count] : counts) EXPECT_NEAR(count, expected, 5 * std::sqrt(expected)) << name;
}

TEST(SyntheticSeriesTest, IsTheSeriesOfItsFamily) {
  for (int index = 0; index < 50; ++index) {
    const std::vector<double> one = SyntheticSeries(SyntheticFamily(1, index), 1, index, 100);
    EXPECT_TRUE(SameBits(one, SyntheticSeries(1, index, 100))) << index;
  }
}

TEST(RandomGaussianProcessTest, IsStandardizedAndReproducible) {
  for (int index = 0; index < 100; ++index) {
    Random one(5, index), two(5, index);
    const std::vector<double> path = RandomGaussianProcess(one, kLength);
    EXPECT_TRUE(SameBits(path, RandomGaussianProcess(two, kLength)));
    // Each bound is for a sum of as many numbers, up to 6 in size with a deviation of 1.
    EXPECT_NEAR(Autocorrelation(path, 0), 1, Gamma(4 * kLength, kDoubleUnit));
    EXPECT_NEAR(std::accumulate(path.begin(), path.end(), 0.0), 0, Gamma(4 * kLength, kDoubleUnit) * 6 * kLength);
  }
}

// Kernels are smooth and rough: neighbours nearly agree in some paths and differ in others.
TEST(RandomGaussianProcessTest, PathsAreSmoothAndRough) {
  int smooth = 0, rough = 0;
  for (int index = 0; index < 200; ++index) {
    Random random(6, index);
    const double neighbour = Autocorrelation(RandomGaussianProcess(random, kLength), 1);
    smooth += neighbour > 0.98;
    rough += neighbour < 0.8;
  }
  EXPECT_GT(smooth, 40);
  EXPECT_GT(rough, 20);
}

TEST(SyntheticSeriesTest, SomeSeriesHaveGapsAndMostHaveNone) {
  int with_gaps = 0;
  for (int index = 0; index < 400; ++index) {
    const std::vector<double> values = SyntheticSeries(1, index, kLength);
    with_gaps += std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
  }
  EXPECT_GT(with_gaps, 20);
  EXPECT_LT(with_gaps, 120);
}

TEST(SyntheticSeriesTest, ShortestSeriesIsOneValue) { EXPECT_EQ(SyntheticSeries(1, 7, 1).size(), 1u); }

TEST(RandomSeasonTest, MostSeasonsRepeatAfterSomePeriod) {
  int repeating = 0;
  for (int index = 0; index < 50; ++index) {
    Random random(2, index);
    const std::vector<double> season = RandomSeason(random, 4 * kLength);
    double best = -1;
    for (int lag = 4; lag <= 2016; ++lag)
      best = std::max(best, Autocorrelation(season, lag) / (1 - lag / (4.0 * kLength)));
    repeating += best > 0.7;
  }
  EXPECT_GT(repeating, 35);
}

TEST(RandomTrendTest, TrendsAreStandardizedOrFlat) {
  for (int index = 0; index < 100; ++index) {
    Random random(2, index);
    double squares = 0;
    for (const double value : RandomTrend(random, kLength)) squares += value * value / kLength;
    EXPECT_TRUE(squares == 0 || std::fabs(squares - 1) < 1e-6) << squares;
  }
}

TEST(MeanRevertingTest, ForgetsOverItsMemory) {
  Random random(2, 0);
  const std::vector<double> path = MeanReverting(random, 100000, 20);
  EXPECT_NEAR(Autocorrelation(path, 20), std::exp(-1), 0.05);
}

TEST(RandomNoiseTest, AutoregressionIsStationary) {
  for (int index = 0; index < 200; ++index) {
    Random random(2, index);
    const std::vector<double> noise = RandomNoise(random, kLength);
    for (const double value : noise) ASSERT_LT(std::fabs(value), 40) << index;
  }
}

}  // namespace
}  // namespace aaren::forecasting
