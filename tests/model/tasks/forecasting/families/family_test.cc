#include "model/tasks/forecasting/families/family.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <set>
#include <string>

namespace aaren::forecasting {
namespace {

using Series = std::vector<double>;

constexpr int kLength = 4096, kSeries = 40;

Series DrawOf(absl::string_view family, int index, int length = kLength) {
  Random random(4, index);
  return FindFamily(family)->draw(random, length);
}

// The median of a number over many series; NaN does not count.
double MedianOver(absl::string_view family, const std::function<double(const Series&)>& number) {
  Series numbers;
  for (int index = 0; index < kSeries; ++index) {
    const double one = number(DrawOf(family, index));
    if (!std::isnan(one)) numbers.push_back(one);
  }
  std::nth_element(numbers.begin(), numbers.begin() + numbers.size() / 2, numbers.end());
  return numbers[numbers.size() / 2];
}

double Share(const Series& values, const std::function<bool(double)>& holds) {
  double count = 0, all = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    ++all;
    count += holds(value);
  }
  return count / std::max(all, 1.0);
}

double ZeroShare(const Series& values) {
  return Share(values, [](double value) { return value == 0; });
}

bool AreCounts(const Series& values) {
  return Share(values, [](double value) { return value >= 0 && value == std::round(value); }) == 1;
}

double Deviation(const Series& values) {
  double count = 0, mean = 0, squares = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    const double delta = value - mean;
    mean += delta / ++count;
    squares += delta * (value - mean);
  }
  return std::sqrt(squares / std::max(count, 1.0));
}

// Mean |x_t - x_{t - lag}| over the deviation. Every seventh t is enough.
double RawLagError(const Series& values, int lag) {
  double sum = 0, count = 0;
  for (size_t t = lag; t < values.size(); t += 7) {
    const double error = std::fabs(values[t] - values[t - lag]);
    if (std::isnan(error)) continue;
    sum += error;
    ++count;
  }
  return sum / std::max(count, 1.0);
}

double LagError(const Series& values, int lag) { return RawLagError(values, lag) / Deviation(values); }

// The error at the best lag from `first` to 1,500.
double LeastLagError(const Series& values, int first) {
  double least = 1e9;
  for (int lag = first; lag <= 1500; ++lag) least = std::min(least, RawLagError(values, lag));
  return least / Deviation(values);
}

double Correlation(const Series& values, int lag) {
  double mean = 0, dot = 0, squares = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (size_t t = 0; t < values.size(); ++t) {
    squares += (values[t] - mean) * (values[t] - mean);
    if (t >= static_cast<size_t>(lag)) dot += (values[t] - mean) * (values[t - lag] - mean);
  }
  return dot / squares;
}

Series Increments(const Series& values) {
  Series increments;
  for (size_t t = 1; t < values.size(); ++t) increments.push_back(values[t] - values[t - 1]);
  return increments;
}

TEST(FamiliesTest, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const Family& family : Families()) {
    EXPECT_EQ(FindFamily(family.name), &family);
    names.emplace(family.name);
  }
  EXPECT_EQ(names.size(), Families().size());
  EXPECT_EQ(FindFamily("no such"), nullptr);
}

class EveryFamilyTest : public ::testing::TestWithParam<Family> {};

TEST_P(EveryFamilyTest, DrawsTheSameBitsFromTheSameSeed) {
  for (int index = 0; index < 10; ++index) {
    const Series one = DrawOf(GetParam().name, index), two = DrawOf(GetParam().name, index);
    ASSERT_EQ(one.size(), static_cast<size_t>(kLength));
    EXPECT_EQ(std::memcmp(one.data(), two.data(), kLength * sizeof(double)), 0) << index;
  }
}

TEST_P(EveryFamilyTest, IsFiniteAndModestAtAnyLength) {
  for (const int length : {1, 2, 7, 300, 16384}) {
    for (int index = 0; index < 60; ++index) {
      const Series values = DrawOf(GetParam().name, index, length);
      ASSERT_EQ(values.size(), static_cast<size_t>(length));
      for (const double value : values)
        ASSERT_TRUE(std::isnan(value) || std::fabs(value) < 1e9) << index << " " << value;
      EXPECT_GT(Share(values, [](double) { return true; }), 0) << "nothing is present";
    }
  }
}

TEST_P(EveryFamilyTest, MostSeriesVary) {
  int vary = 0;
  for (int index = 0; index < kSeries; ++index) vary += Deviation(DrawOf(GetParam().name, index)) > 0;
  EXPECT_GT(vary, kSeries * 3 / 4);
}

INSTANTIATE_TEST_SUITE_P(Family, EveryFamilyTest, ::testing::ValuesIn(Families().begin(), Families().end()),
                         [](const auto& info) {
                           std::string name(info.param.name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(CleanSeasonTest, RepeatsItselfAfterSomeLag) {
  const auto least = [](const Series& values) { return LeastLagError(values, 4); };
  EXPECT_LT(MedianOver("clean-season", least), 0.12);
  EXPECT_LT(MedianOver("clean-days", least), 0.12);
}

TEST(TrafficTest, RepeatsAfterADayOrAWeekAndIsNeverNegative) {
  EXPECT_LT(MedianOver("traffic", [](const Series& values) { return LeastLagError(values, 24); }), 0.4);
  for (int index = 0; index < kSeries; ++index) {
    EXPECT_EQ(Share(DrawOf("traffic", index), [](double value) { return value >= 0; }), 1);
  }
}

TEST(ElectricityTest, FollowsASeasonAndIsNeverNegative) {
  EXPECT_LT(MedianOver("electricity", [](const Series& values) { return LeastLagError(values, 24); }), 0.35);
  for (int index = 0; index < kSeries; ++index) {
    EXPECT_EQ(Share(DrawOf("electricity", index), [](double value) { return value >= 0; }), 1);
  }
}

TEST(SolarTest, NightsAreZeroAndDaysAreNot) {
  for (int index = 0; index < kSeries; ++index) {
    const Series values = DrawOf("solar", index);
    EXPECT_EQ(Share(values, [](double value) { return value >= 0; }), 1);
    EXPECT_GT(ZeroShare(values), 0.2) << index;
    EXPECT_LT(ZeroShare(values), 0.8) << index;
  }
}

TEST(ParkingTest, CountsCarsUpToAPlateau) {
  double highest = 0;
  for (int index = 0; index < kSeries; ++index) {
    const Series values = DrawOf("parking", index);
    EXPECT_TRUE(AreCounts(values)) << index;
    const double most = *std::max_element(values.begin(), values.end(), [](double a, double b) { return !(a >= b); });
    highest += Share(values, [&](double value) { return value > 0.9 * most; });
  }
  EXPECT_GT(highest / kSeries, 0.1) << "a full car park stays full for a while";
}

TEST(ParkingTest, SomeAreEmptyAtNightAndSomeNotReported) {
  int empty = 0, gone = 0;
  for (int index = 0; index < 4 * kSeries; ++index) {
    const Series values = DrawOf("parking", index);
    empty += ZeroShare(values) > 0.2;
    gone += std::count_if(values.begin(), values.end(), [](double value) { return std::isnan(value); }) > kLength / 5;
  }
  EXPECT_GT(empty, 4 * kSeries / 6);
  EXPECT_GT(gone, 4 * kSeries / 6);
}

TEST(CountFamiliesTest, AreWholeAndNotNegative) {
  for (int index = 0; index < kSeries; ++index) EXPECT_TRUE(AreCounts(DrawOf("bicycles", index))) << index;
  int whole = 0;
  for (int index = 0; index < kSeries; ++index) {
    const Series values = DrawOf("counts", index);
    EXPECT_EQ(Share(values, [](double value) { return value >= 0; }), 1) << index;
    whole += AreCounts(values);
  }
  EXPECT_GT(whole, kSeries / 2) << "the others are what the counted is worth";
}

TEST(CountsTest, SomeShopsCloseAndSomeNever) {
  int closed = 0;
  for (int index = 0; index < kSeries; ++index) closed += ZeroShare(DrawOf("counts", index)) > 0.25;
  EXPECT_GT(closed, kSeries / 4);
  EXPECT_LT(closed, kSeries);
}

TEST(IntermittentTest, IsMostlyZero) { EXPECT_GT(MedianOver("intermittent", ZeroShare), 0.6); }

TEST(TemperatureTest, NeighboursAgree) {
  EXPECT_GT(MedianOver("temperature", [](const Series& values) { return Correlation(values, 1); }), 0.9);
}

TEST(WeatherTest, NeighboursAgreeMoreThanValuesFarApart) {
  const auto near = [](const Series& values) { return Correlation(values, 1); };
  const auto far = [](const Series& values) { return Correlation(values, 1000); };
  EXPECT_GT(MedianOver("weather", near), 0.7);
  EXPECT_LT(MedianOver("weather", far), 0.3);
}

// With poles inside the unit circle, the second half of a path is no wilder than the first. Integrated paths wander.
TEST(SarimaTest, DoesNotExplode) {
  const auto growth = [](const Series& values) {
    const Series early(values.begin(), values.begin() + kLength / 2), late(values.begin() + kLength / 2, values.end());
    return Deviation(Increments(late)) / Deviation(Increments(early));
  };
  EXPECT_NEAR(MedianOver("sarima", growth), 1, 0.3);
  for (int index = 0; index < kSeries; ++index) EXPECT_LT(growth(DrawOf("sarima", index)), 20) << index;
}

// The memory is at most 400 steps, and the deviation is 1 around means of deviation 1.
TEST(OrnsteinUhlenbeckTest, Reverts) {
  for (int index = 0; index < kSeries; ++index) {
    for (const double value : DrawOf("ornstein-uhlenbeck", index, 16384)) ASSERT_LT(std::fabs(value), 15) << index;
  }
  EXPECT_LT(std::fabs(MedianOver("ornstein-uhlenbeck", [](const Series& values) { return Correlation(values, 1500); })),
            0.2);
}

TEST(WalkTest, IncrementsAreUncorrelatedAndHeavyTailed) {
  const auto kurtosis = [](const Series& values) {
    const Series steps = Increments(values);
    double fourth = 0;
    for (const double step : steps) fourth += std::pow(step / Deviation(steps), 4) / static_cast<double>(steps.size());
    return fourth;
  };
  const auto next = [](const Series& values) { return Correlation(Increments(values), 1); };
  EXPECT_NEAR(MedianOver("walk", next), 0, 0.03);
  EXPECT_GT(MedianOver("walk", kurtosis), 4);
  EXPECT_GT(MedianOver("walk", [](const Series& values) { return Correlation(values, 1); }), 0.99);
}

TEST(VolumeTest, RemembersAtManyScales) {
  const auto memory = [](int lag) {
    return MedianOver("volume", [lag](const Series& values) {
      Series logarithms;
      for (const double value : values) logarithms.push_back(std::copysign(std::log1p(std::fabs(value)), value));
      return Correlation(logarithms, lag);
    });
  };
  EXPECT_GT(memory(1), 0.3);
  EXPECT_GT(memory(30), 0.1);
}

TEST(StepsTest, AreFlatMostOfTheTimeBeforeTheirNoise) {
  int flat = 0;
  for (int index = 0; index < kSeries; ++index) {
    flat += Share(Increments(DrawOf("steps", index)), [](double step) { return std::fabs(step) < 1e-9; }) > 0.5;
  }
  EXPECT_GT(flat, kSeries / 4);
}

// A ramp moves in one direction most of the time and returns in leaps, so its increments are skewed.
TEST(SawtoothTest, RisesSlowlyAndFallsAtOnceOrTheOtherWayAround) {
  int skewed = 0;
  for (int index = 0; index < kSeries; ++index) {
    const Series steps = Increments(DrawOf("sawtooth", index));
    double third = 0;
    for (const double step : steps) third += std::pow(step / Deviation(steps), 3) / static_cast<double>(steps.size());
    skewed += std::fabs(third) > 1;
  }
  EXPECT_GT(skewed, kSeries / 3);
}

TEST(MachinesTest, SwitchBetweenFewStates) {
  const auto jumps = [](const Series& values) {
    const double size = Deviation(values);
    return Share(Increments(values), [&](double step) { return std::fabs(step) > 0.5 * size; });
  };
  EXPECT_LT(MedianOver("machines", jumps), 0.5);
  EXPECT_GT(MedianOver("machines", jumps), 0.01);
}

TEST(JobsTest, ComeBackAfterTheirPeriod) {
  const auto least = [](const Series& values) { return LeastLagError(values, 4) / LagError(values, 1); };
  EXPECT_LT(MedianOver("jobs", least), 0.7);
}

TEST(SmoothingTest, InnovationsStayInTheSeason) {
  const auto least = [](const Series& values) { return LeastLagError(values, 4) / LagError(values, 750); };
  EXPECT_LT(MedianOver("smoothing", least), 0.8);
}

TEST(DailyTest, MostHaveAWeek) {
  int weekly = 0;
  for (int index = 0; index < kSeries; ++index) {
    const Series steps = Increments(DrawOf("daily", index));
    weekly += Correlation(steps, 7) > std::max(Correlation(steps, 6), Correlation(steps, 8)) + 0.05;
  }
  EXPECT_GT(weekly, kSeries / 3);
}

}  // namespace
}  // namespace aaren::forecasting
