// The engine keeps to model/README.md, to the bit: forecasts, surprises and whole rows equal the results of a second
// implementation, which was written from the rules.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "model/engine/cpu/cpu_engine.h"
#include "model/package/package.h"
#include "tests/model/engine/hard_series.h"
#include "tests/model/engine/random_package.h"
#include "tests/model/engine/stepper.h"
#include "tests/model/specification/forecaster.h"

namespace aaren::specification {
namespace {

// Takes a call's tokens by the rules, and returns the results in the form of the engine's Stepper.
engine::Outputs TakeByRules(Forecaster& forecaster, const engine::Portion& portion) {
  engine::Outputs outputs;
  for (size_t i = 0; i < portion.values.size(); ++i) {
    const auto stage = static_cast<Stage>(portion.refinement);
    const Reply reply = forecaster.Take(portion.values[i], portion.forecast[i] != 0, stage);
    outputs.surprises.push_back(reply.surprise);
    outputs.forecasts.insert(outputs.forecasts.end(), reply.forecast.begin(), reply.forecast.end());
  }
  return outputs;
}

// Cuts a series into calls of 1 to `longest` tokens, of random refinements. In a call all, none or some forecasts are
// wanted.
std::vector<engine::Portion> Cut(engine::Slot slot, const std::vector<float>& series, size_t longest, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<engine::Portion> calls;
  for (size_t at = 0; at < series.size();) {
    const size_t count = std::min<size_t>(1 + random() % longest, series.size() - at);
    engine::Portion call = {.slot = slot, .values = {&series[at], &series[at] + count}, .forecast = {}};
    const uint64_t wanted = random() % 4;
    for (size_t i = 0; i < count; ++i) call.forecast.push_back(wanted == 0 || (wanted != 1 && random() % 3 == 0));
    call.refinement = static_cast<engine::Refinement>(std::min<uint64_t>(random() % 6, 3));
    calls.push_back(call);
    at += count;
  }
  return calls;
}

// Feeds a series to both implementations, and compares everything after each call.
void ExpectEqual(const package::ModelPackage& package, const std::vector<float>& series, size_t longest, uint64_t seed,
                 Tier tier = Tier::kExact) {
  engine::Stepper stepper(engine::NewCpuEngine(package, static_cast<engine::Tier>(tier)).value(), 1);
  const engine::Slot slot = stepper.Open();
  Forecaster forecaster(package, tier);
  size_t token = 0;
  for (const engine::Portion& call : Cut(slot, series, longest, seed)) {
    SCOPED_TRACE("call of tokens " + std::to_string(token) + " and " + std::to_string(call.values.size()) + " on");
    token += call.values.size();
    const engine::Outputs engine = stepper.Step({call})[0], rules = TakeByRules(forecaster, call);
    ASSERT_EQ(engine::Fingerprint(engine.forecasts), engine::Fingerprint(rules.forecasts)) << "forecasts";
    ASSERT_EQ(engine::Fingerprint(engine.surprises), engine::Fingerprint(rules.surprises)) << "surprises";
    ASSERT_TRUE(stepper.RowBytes(slot) == forecaster.Row()) << "rows";
  }
}

// Counts with a week of days: whole and never negative, for the support, and with a shorter season for B.
std::vector<float> Counts(size_t length) {
  std::vector<float> series = engine::Series(60, length);
  for (size_t t = 0; t < length; ++t) {
    const float day = static_cast<float>(t % 7 < 5 ? 20 : 3);
    series[t] = std::floor(std::max(0.0f, day + static_cast<float>(t % 11) + 0.25f * (series[t] - series[0])));
  }
  return series;
}

// Cycles outside the bank, each long enough to be found: one, then another, and a slow cycle above both.
std::vector<float> Cycles(size_t length) {
  std::vector<float> series = engine::Series(61, length);
  for (size_t t = 0; t < length; ++t) {
    const size_t cycle = t < length / 2 ? 37 : 53;
    series[t] = static_cast<float>(t % cycle * (t % cycle) % 23) + (t % (7 * cycle) < cycle ? 9.0f : 0.0f) +
                0.1f * std::sin(series[t]);
    if (t % 101 == 50) series[t] = NAN;
  }
  return series;
}

struct Shape {
  int ring, horizon, fold_every, layers, history;
  bool seasons;
};

package::ModelPackage Shaped(const Shape& shape, uint64_t seed) {
  package::ForecasterConfig config = engine::TinyConfig();
  config.ring = shape.ring;
  config.horizon = shape.horizon;
  config.fold_every = shape.fold_every;
  config.layers = shape.layers;
  config.history = shape.history;
  config.seasons = shape.seasons;
  if (seed % 2 == 1) config.quantiles = {0.05f, 0.25f, 0.5f, 0.75f, 0.95f};
  EXPECT_TRUE(config.Validate().ok()) << config.Validate();
  return engine::RandomPackage(config, seed);
}

class SpecificationShapes : public testing::TestWithParam<Shape> {};

TEST_P(SpecificationShapes, RulesGiveTheEnginesBitsOnHardSeries) {
  uint64_t seed = 1 + GetParam().ring;
  const package::ModelPackage package = Shaped(GetParam(), seed);
  for (const std::vector<float>& series : engine::HardSeries(500)) ExpectEqual(package, series, 100, ++seed);
  ExpectEqual(package, engine::EventfulSeries(800), 100, ++seed);
}

// The weights are random and no bfloat16.
TEST_P(SpecificationShapes, RulesOfTheFastTierGiveTheEnginesBits) {
  const package::ModelPackage package = Shaped(GetParam(), 7 + GetParam().ring);
  ExpectEqual(package, engine::EventfulSeries(750), 100, 9, Tier::kFast);
}

TEST_P(SpecificationShapes, RulesGiveTheEnginesBitsAfterTheMemoryIsFull) {
  const package::ModelPackage package = Shaped(GetParam(), GetParam().horizon);
  ExpectEqual(package, Counts(2000), 100, 3);
}

TEST_P(SpecificationShapes, RulesGiveTheEnginesBitsWhereSeasonsAreFound) {
  ExpectEqual(Shaped(GetParam(), GetParam().horizon), Cycles(3000), 100, 4);
}

INSTANTIATE_TEST_SUITE_P(Shapes, SpecificationShapes,
                         testing::Values(Shape{5, 1, 1, 1, 1024, false}, Shape{2, 3, 3, 2, 100, true},
                                         Shape{17, 48, 16, 1, 1024, true}, Shape{30, 24, 5, 2, 100, false},
                                         Shape{200, 60, 2, 1, 1024, true}, Shape{64, 200, 8, 1, 100, false}));

class SpecificationOfTheBundledModel : public testing::Test {
 protected:
  void SetUp() override {
    auto package = package::LoadPackage(AAREN_BUNDLED_MODEL);
    ASSERT_TRUE(package.ok()) << package.status();
    package_ = *std::move(package);
  }
  package::ModelPackage package_;
};

TEST_F(SpecificationOfTheBundledModel, RulesGiveTheEnginesBitsOnEvents) {
  ExpectEqual(package_, engine::EventfulSeries(750), 150, 5);
}

TEST_F(SpecificationOfTheBundledModel, RulesOfTheFastTierGiveTheEnginesBits) {
  ExpectEqual(package_, engine::EventfulSeries(750), 40, 6, Tier::kFast);
}

TEST_F(SpecificationOfTheBundledModel, RulesGiveTheEnginesBitsOneTokenACall) {
  ExpectEqual(package_, engine::HardSeries(300).back(), 1, 7);
}

}  // namespace
}  // namespace aaren::specification
