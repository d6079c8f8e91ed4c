// Extended rows have the same bits however tokens come: with gaps, missing covariates and far horizons.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <ostream>
#include <random>
#include <thread>

#include "model/engine/cpu/cpu_engine.h"
#include "model/engine/forecast_result.h"
#include "tests/model/engine/hard_series.h"
#include "tests/model/engine/random_package.h"
#include "tests/model/engine/stepper.h"

namespace aaren::engine {
namespace {

struct Form {
  uint32_t past, future;
  bool seasons, profile = false;
};

void PrintTo(const Form& form, std::ostream* out) {
  *out << form.past << "Past" << form.future << "Future" << (form.seasons ? "WithSeasons" : "")
       << (form.profile ? "WithProfile" : "");
}

const Selection kNearAndFar{{1, 3, 6, 100, 1024}, {0.005f, 0.1f, 0.5f, 0.8f, 0.995f}};
const Selection kOne{{2}, {0.3f}};

class ExtendedExactnessTest : public testing::TestWithParam<Form> {
 protected:
  static constexpr size_t kTokens = 700;

  static package::ForecasterConfig Config() {
    package::ForecasterConfig config = TinyConfig();
    config.seasons = GetParam().seasons;
    return config;
  }

  static std::unique_ptr<Engine> MakeEngine() {
    auto engine = NewCpuEngine(RandomPackage(Config(), 1), Tier::kExtended).value();
    const auto& [past, future, seasons, profile] = GetParam();
    return engine->Extended({past, future, profile});
  }

  // A seventh of the covariates is missing.
  static float Covariate(uint64_t seed, size_t column, size_t token) {
    const uint64_t chance = std::mt19937_64(seed * 1000003 + column * 10007 + token)();
    return chance % 7 == 0 ? NAN : static_cast<float>(chance % 29) / 4.0f;
  }

  // A series that its first future covariate drives.
  static std::vector<float> Driven(uint64_t seed) {
    std::vector<float> series = seed == 0 ? EventfulSeries(kTokens) : Series(seed, kTokens);
    for (size_t t = 0; t < kTokens; ++t) {
      const float driver = Covariate(seed, GetParam().past, t);
      if (!std::isnan(driver)) series[t] += 4.0f * driver;
    }
    return series;
  }

  // Tokens begin ... end - 1 of a series, all with a forecast.
  static Portion Part(Slot slot, uint64_t seed, size_t begin, size_t end, const Selection& selection = kNearAndFar) {
    const std::vector<float> series = Driven(seed);
    const auto& [past, future, seasons, profile] = GetParam();
    Portion portion = {.slot = slot, .values = {}, .forecast = {}, .selection = selection};
    for (size_t t = begin; t < end; ++t) {
      const std::vector<float> value = RunValues({series[t]});
      portion.values.insert(portion.values.end(), value.begin(), value.end());
      for (uint32_t i = 0; i < past + future; ++i) portion.values.push_back(Covariate(seed, i, t));
      for (const uint32_t step : selection.steps) {
        for (uint32_t i = past; i < past + future; ++i) portion.values.push_back(Covariate(seed, i, t + step));
      }
      portion.forecast.push_back(1);
    }
    return portion;
  }

  static Outputs Whole(Stepper& stepper, Slot slot, uint64_t seed) {
    return stepper.Step({Part(slot, seed, 0, kTokens)})[0];
  }

  // In calls of random sizes, at most `most` tokens each.
  static Outputs InPieces(Stepper& stepper, Slot slot, uint64_t seed, size_t most) {
    std::mt19937_64 random(most);
    Outputs outputs;
    for (size_t begin = 0, end = 0; begin < kTokens; begin = end) {
      end = std::min(kTokens, begin + 1 + random() % most);
      outputs.Append(stepper.Step({Part(slot, seed, begin, end)})[0]);
    }
    return outputs;
  }

  Stepper stepper_{MakeEngine()};
};

INSTANTIATE_TEST_SUITE_P(Rows, ExtendedExactnessTest,
                         testing::Values(Form{0, 0, false}, Form{2, 1, true}, Form{0, 3, false}, Form{3, 5, true},
                                         Form{0, 0, true, true}, Form{1, 2, false, true}),
                         testing::PrintToStringParamName());

TEST_P(ExtendedExactnessTest, AnySplitOfTokensIntoCallsIsTheSame) {
  for (const uint64_t seed : {0, 2}) {
    const Slot whole = stepper_.Open();
    const Outputs expected = Whole(stepper_, whole, seed);
    for (const size_t most : {1, 9, 200}) {
      const Slot slot = stepper_.Open();
      EXPECT_EQ(InPieces(stepper_, slot, seed, most), expected) << most;
      EXPECT_EQ(stepper_.RowBytes(slot), stepper_.RowBytes(whole)) << most;
    }
  }
}

// Without an effect of covariates the other tests would prove little.
class ExtendedCovariatesTest : public ExtendedExactnessTest {};

INSTANTIATE_TEST_SUITE_P(Rows, ExtendedCovariatesTest, testing::Values(Form{2, 1, true}, Form{0, 3, false}),
                         testing::PrintToStringParamName());

TEST_P(ExtendedCovariatesTest, FutureCovariatesChangeForecasts) {
  Portion known = Part(stepper_.Open(), 7, 0, kTokens), unknown = known;
  unknown.slot = stepper_.Open();
  const size_t each = known.values.size() / kTokens, ahead = kNearAndFar.steps.size() * GetParam().future;
  for (size_t end = each; end <= unknown.values.size(); end += each) {
    std::fill_n(unknown.values.begin() + static_cast<ptrdiff_t>(end - ahead), ahead, NAN);
  }
  const std::vector<float> told = stepper_.Step({known})[0].results, untold = stepper_.Step({unknown})[0].results;
  EXPECT_FALSE(std::equal(told.end() - 1, told.end(), untold.end() - 1));  // after the last token
}

TEST_P(ExtendedExactnessTest, AnyBatchInAnyOrderIsTheSame) {
  constexpr size_t kSessions = 20;
  std::vector<Outputs> expected, got(kSessions);
  std::vector<Slot> slots;
  for (size_t i = 0; i < kSessions; ++i) {
    expected.push_back(Whole(stepper_, stepper_.Open(), i));
    slots.push_back(stepper_.Open());
  }
  std::mt19937_64 random(3);
  std::vector<size_t> order(kSessions), taken(kSessions, 0);
  for (size_t i = 0; i < kSessions; ++i) order[i] = i;
  while (std::any_of(taken.begin(), taken.end(), [](size_t count) { return count < kTokens; })) {
    std::shuffle(order.begin(), order.end(), random);
    std::vector<Portion> portions;
    std::vector<size_t> who;
    for (const size_t i : order) {
      const size_t end = std::min<size_t>(taken[i] + random() % 40, kTokens);
      if (end == taken[i]) continue;
      portions.push_back(Part(slots[i], i, taken[i], end));
      who.push_back(i);
      taken[i] = end;
    }
    const std::vector<Outputs> outputs = stepper_.Step(portions);
    for (size_t j = 0; j < who.size(); ++j) got[who[j]].Append(outputs[j]);
  }
  EXPECT_EQ(got, expected);
}

TEST_P(ExtendedExactnessTest, ThreadsThatShareAnEngineGetTheSame) {
  const Outputs expected = Whole(stepper_, stepper_.Open(), 4);
  std::vector<Outputs> got(3);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < got.size(); ++i) {
    threads.emplace_back([&, i] {
      Stepper stepper(stepper_.engine());
      got[i] = InPieces(stepper, stepper.Open(), 4, 7 + i);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Outputs& outputs : got) EXPECT_EQ(outputs, expected);
}

TEST_P(ExtendedExactnessTest, WhatIsLearnedDoesNotDependOnWhatIsAskedFor) {
  const Slot asked = stepper_.Open(), seldom = stepper_.Open();
  Whole(stepper_, asked, 5);
  for (size_t begin = 0; begin < kTokens; begin += 100) {
    Portion portion = Part(seldom, 5, begin, begin + 100, kOne);
    for (size_t t = 0; t < portion.forecast.size(); ++t) portion.forecast[t] = t % 7 == 5 || t + 1 == 100;
    stepper_.Step({portion});
  }
  EXPECT_EQ(stepper_.RowBytes(seldom), stepper_.RowBytes(asked));
}

TEST_P(ExtendedExactnessTest, ARowThatWasCopiedGoesOnTheSame) {
  const Slot whole = stepper_.Open(), first = stepper_.Open();
  Whole(stepper_, whole, 6);
  stepper_.Step({Part(first, 6, 0, 333)});
  Stepper elsewhere(MakeEngine());
  const Slot second = elsewhere.Open();
  elsewhere.SetRow(second, stepper_.RowBytes(first));
  elsewhere.Step({Part(second, 6, 333, kTokens)});
  EXPECT_EQ(elsewhere.RowBytes(second), stepper_.RowBytes(whole));
}

}  // namespace
}  // namespace aaren::engine
