// The bundled model beside two forecasts that everybody has, the last value and the value of a season ago. On no kind
// of series is the model worse.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "model/package/package.h"
#include "model/tasks/forecasting/parts/random.h"
#include "tests/model/engine/stepper.h"

namespace aaren::engine {
namespace {

constexpr size_t kTokens = 4000, kScored = 2000, kAhead = 24, kEvery = 7;

using Values = std::vector<float>;

double Wave(size_t t, double period) { return std::sin(2 * std::numbers::pi * static_cast<double>(t) / period); }

Values Drawn(const std::function<double(forecasting::Random&, size_t)>& value) {
  forecasting::Random random(17, 3);
  Values values;
  for (size_t t = 0; t < kTokens; ++t) values.push_back(static_cast<float>(value(random, t)));
  return values;
}

Values CleanDay() {
  return Drawn([](forecasting::Random& random, size_t t) {
    return 40 + 9 * Wave(t, 24) + 3 * Wave(t, 12) + 0.1 * random.Normal();
  });
}

Values DayAndWeek() {
  return Drawn([](forecasting::Random& random, size_t t) {
    return (t / 24 % 7 < 5 ? 100 : 55) * (1 + 0.6 * Wave(t, 24)) + 2 * random.Normal();
  });
}

Values NightsOfZeros() {
  return Drawn([](forecasting::Random& random, size_t t) {
    return std::max(0.0, 50 * Wave(t, 24) * (0.8 + 0.2 * random.Uniform()));
  });
}

Values QuarterHours() {
  return Drawn(
      [](forecasting::Random& random, size_t t) { return std::exp(Wave(t, 96)) * (5 + 0.3 * random.Normal()); });
}

// A machine's cycle, whose length is in no clock and no calendar.
template <size_t kLength>
Values Cycle() {
  const auto shape = [](size_t place) { return forecasting::Random(19, place / (kLength / 17)).Normal(); };
  return Drawn([&](forecasting::Random& random, size_t t) { return shape(t % kLength) + 0.1 * random.Normal(); });
}

Values Walk() {
  double at = 60;
  return Drawn([&](forecasting::Random& random, size_t) { return at += random.Normal(); });
}

Values CalmAndStormyWalk() {
  double at = 60;
  return Drawn(
      [&](forecasting::Random& random, size_t t) { return at += (t / 300 % 2 == 0 ? 0.2 : 1.5) * random.Normal(); });
}

struct Kind {
  std::string name;
  Values (*values)();
  size_t season;
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

class NaiveTest : public testing::TestWithParam<Kind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, NaiveTest,
                         testing::Values(Kind{"CleanDay", CleanDay, 24}, Kind{"DayAndWeek", DayAndWeek, 168},
                                         Kind{"NightsOfZeros", NightsOfZeros, 24},
                                         Kind{"QuarterHours", QuarterHours, 96}, Kind{"CycleOf37", Cycle<37>, 37},
                                         Kind{"CycleOf137", Cycle<137>, 137}, Kind{"CycleOf250", Cycle<250>, 250},
                                         Kind{"CycleOf450", Cycle<450>, 450}, Kind{"Walk", Walk, 24},
                                         Kind{"CalmAndStormyWalk", CalmAndStormyWalk, 24}),
                         [](const auto& info) { return info.param.name; });

TEST_P(NaiveTest, IsNoBetterThanTheModel) {
  const Values values = GetParam().values();
  const package::ModelPackage package = package::LoadPackage(AAREN_BUNDLED_MODEL).value();
  Stepper stepper(package);
  const package::ForecasterConfig& config = package.config;
  const size_t levels = config.quantiles.size(), size = static_cast<size_t>(config.horizon) * levels;
  const Outputs outputs = stepper.Feed(stepper.Open(), values);
  double model = 0, last = 0, seasonal = 0;
  for (size_t t = kTokens - kScored; t + kAhead < kTokens; t += kEvery) {
    for (size_t ahead = 1; ahead <= kAhead; ++ahead) {
      const double truth = values[t + ahead];
      model += std::abs(truth - outputs.forecasts[t * size + (ahead - 1) * levels + levels / 2]);
      last += std::abs(truth - values[t]);
      seasonal += std::abs(truth - values[t + ahead - GetParam().season]);
    }
  }
  EXPECT_LT(model, 1.02 * std::min(last, seasonal));
}

}  // namespace
}  // namespace aaren::engine
