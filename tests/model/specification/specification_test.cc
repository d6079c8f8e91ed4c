// The engine keeps to model/README.md, to the bit: forecasts, surprises and whole rows equal the results of a second
// implementation, which was written from the rules.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "model/engine/cpu/cpu_engine.h"
#include "model/engine/forecast_result.h"
#include "model/package/package.h"
#include "tests/model/engine/hard_series.h"
#include "tests/model/engine/random_package.h"
#include "tests/model/engine/stepper.h"
#include "tests/model/specification/forecaster.h"

namespace aaren::specification {
namespace {

// Takes a call's tokens by the rules, and returns the results in the form of the engine's Stepper.
engine::Outputs TakeByRules(Forecaster& forecaster, const engine::Portion& portion, int covariates) {
  engine::Outputs outputs;
  const size_t stride = portion.values.size() / portion.forecast.size();
  for (size_t i = 0; i < portion.forecast.size(); ++i) {
    const auto stage = static_cast<Stage>(portion.refinement);
    const Selection selection = {portion.selection.steps, portion.selection.levels};
    Beside beside;
    double value = portion.values[i * stride];
    if (stride > 1) {
      const float* inputs = &portion.values[i * stride];
      value = engine::DoubleAt(inputs);
      beside.now.assign(inputs + 2, inputs + 2 + covariates);
      beside.ahead.assign(inputs + 2 + covariates, inputs + stride);
    }
    Reply reply = forecaster.Take(value, portion.forecast[i] != 0, stage, selection, beside);
    outputs.surprises.push_back(reply.surprise);
    if (reply.forecast.empty()) continue;
    const size_t quantiles = reply.forecast.size();
    reply.forecast.resize(quantiles + engine::ResultTail::kFloats);
    engine::ResultTail{reply.origin, reply.learning}.Write(reply.forecast.data(), quantiles);
    outputs.results.insert(outputs.results.end(), reply.forecast.begin(), reply.forecast.end());
    outputs.results.insert(outputs.results.end(), reply.selected.begin(), reply.selected.end());
  }
  return outputs;
}

std::vector<float> ValuesOf(const float* begin, const float* end) { return {begin, end}; }
std::vector<float> ValuesOf(const double* begin, const double* end) {
  return engine::RunValues(absl::MakeConstSpan(begin, end));
}

// Cuts a series of floats or doubles into calls of 1 to `longest` tokens, of random refinements. In a call all, none or
// some forecasts are wanted.
template <typename Value>
std::vector<engine::Portion> Cut(engine::Slot slot, const std::vector<Value>& series, size_t longest, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<engine::Portion> calls;
  for (size_t at = 0; at < series.size();) {
    const size_t count = std::min<size_t>(1 + random() % longest, series.size() - at);
    engine::Portion call = {.slot = slot, .values = ValuesOf(&series[at], &series[at] + count), .forecast = {}};
    const uint64_t wanted = random() % 4;
    for (size_t i = 0; i < count; ++i) call.forecast.push_back(wanted == 0 || (wanted != 1 && random() % 3 == 0));
    call.refinement = static_cast<engine::Refinement>(std::min<uint64_t>(random() % 6, 3));
    calls.push_back(call);
    at += count;
  }
  return calls;
}

// The last step and the first, by levels below, at, between and beyond those of the model.
engine::Selection FurtherLevels(const package::ModelPackage& package) {
  engine::Selection selection = {.steps = {1}, .levels = {0.005f, 0.01f, 0.3f, 0.5f, 0.6f, 0.77f, 0.96f, 0.995f}};
  const auto last = static_cast<uint32_t>(package.config.horizon);
  if (last > 1) selection.steps.push_back(last);
  return selection;
}

// Steps on both sides of the horizon and of knots, and the last.
std::vector<uint32_t> FarSteps(const package::ModelPackage& package) {
  std::vector<uint32_t> steps = {1};
  for (const uint32_t step : {47u, 49u, 64u, 100u, 201u, 336u, 719u, 721u, 1024u}) steps.push_back(step);
  const auto last = static_cast<uint32_t>(package.config.horizon);
  steps.insert(std::upper_bound(steps.begin(), steps.end(), last), {last, last + 1});
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

// Puts covariates behind the values of a call, doubles: a cycle, a flag and noise, with holes; and what is known ahead.
void AddCovariates(size_t token, const Kind& kind, engine::Portion& call) {
  const size_t covariates = kind.past + kind.future, ahead = call.selection.steps.size() * kind.future;
  std::vector<float> values;
  for (size_t i = 0; i < call.forecast.size(); ++i) {
    const bool single = call.values.size() == call.forecast.size();
    const std::vector<float> value = engine::RunValues({engine::ValueAt(call.values, call.forecast.size(), i)});
    values.insert(values.end(), value.begin(), value.end());
    std::mt19937_64 random(7 * (token + i) + single);
    for (size_t k = 0; k < covariates + ahead; ++k) {
      const float noise = static_cast<float>(random() % 1000) / 100.0f;
      const float number = k % 3 == 0 ? static_cast<float>((token + i) % 24) + noise
                                      : (k % 3 == 1 ? static_cast<float>(random() % 20 == 0) : 1e6f * noise);
      values.push_back(random() % 15 == 0 ? NAN : number);
    }
  }
  call.values = values;
}

// Feeds a series to both implementations, and compares everything after each call.
template <typename Value>
void ExpectEqual(const package::ModelPackage& package, const std::vector<Value>& series, size_t longest, uint64_t seed,
                 Tier tier = Tier::kExact, Kind kind = {}) {
  const bool covariates = kind.past + kind.future > 0;
  std::unique_ptr<engine::Engine> engine =
      engine::NewCpuEngine(package, kind.extended ? engine::Tier::kExtended : static_cast<engine::Tier>(tier)).value();
  if (covariates || kind.profile) {
    engine = engine->Extended({static_cast<uint32_t>(kind.past), static_cast<uint32_t>(kind.future), kind.profile});
  }
  engine::Stepper stepper(std::move(engine), 1);
  const engine::Slot slot = stepper.Open();
  Forecaster forecaster(package, tier, kind);
  size_t token = 0;
  for (engine::Portion& call : Cut(slot, series, longest, seed)) {
    if (token % 2 == 1) call.selection = FurtherLevels(package);
    if (token % 2 == 1 && kind.extended) call.selection.steps = FarSteps(package);
    if (covariates) AddCovariates(token, kind, call);
    SCOPED_TRACE("call of tokens " + std::to_string(token) + " and " + std::to_string(call.values.size()) + " on");
    token += call.forecast.size();
    const engine::Outputs engine = stepper.Step({call})[0],
                          rules = TakeByRules(forecaster, call, kind.past + kind.future);
    ASSERT_EQ(engine::Fingerprint(engine.results), engine::Fingerprint(rules.results)) << "forecasts";
    ASSERT_EQ(engine::Fingerprint(engine.surprises), engine::Fingerprint(rules.surprises)) << "surprises";
    ASSERT_TRUE(stepper.RowBytes(slot) == forecaster.Row()) << "rows";
    const absl::Status sound = stepper.engine()->CheckRow(forecaster.Row()).status();
    ASSERT_TRUE(sound.ok()) << sound;
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

// A day with a value in every third token, in every sixth after a dense time, and some beside their places.
std::vector<float> RegularHoles(size_t length) {
  std::vector<float> series = engine::Series(62, length);
  for (size_t t = 0; t < length; ++t) {
    const size_t every = t < length / 3 ? 3 : t < length / 2 ? 1 : 6;
    if (t % every != 2 % every && t % 397 != 0) series[t] = NAN;
  }
  return series;
}

// A counter at 1e12 that grows and begins anew: the origin moves. Its first value comes late.
std::vector<double> Counter(size_t length) {
  std::vector<double> series(20, NAN);
  for (size_t t = series.size(); t < length; ++t) {
    const double steps = static_cast<double>(t % 900);
    series.push_back(1e12 + 4000 * steps + static_cast<double>(t * t % 7) + 0.1);
    if (t % 50 == 49) series.back() = NAN;
  }
  return series;
}

// A flag, and then a series of five tenths.
std::vector<double> FewValues(size_t length) {
  std::vector<double> series;
  for (size_t t = 0; t < length; ++t)
    series.push_back(t < length / 2 ? (t * t % 11 < 3) : 21.3 + t * t % 13 % 5 / 10.0);
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

TEST_P(SpecificationShapes, RulesGiveTheEnginesBitsWhereHolesAreRegular) {
  ExpectEqual(Shaped(GetParam(), GetParam().horizon), RegularHoles(1800), 60, 5);
}

TEST_P(SpecificationShapes, RulesGiveTheEnginesBitsAtAHighLevel) {
  ExpectEqual(Shaped(GetParam(), GetParam().horizon), Counter(2000), 60, 6);
}

TEST_P(SpecificationShapes, RulesGiveTheEnginesBitsOfFewValues) {
  ExpectEqual(Shaped(GetParam(), GetParam().horizon), FewValues(400), 60, 7);
}

TEST_P(SpecificationShapes, RulesGiveTheEnginesBitsOfExtendedRows) {
  const package::ModelPackage package = Shaped(GetParam(), GetParam().horizon);
  ExpectEqual(package, Counter(1900), 70, 8, Tier::kExact, {.extended = true});
  ExpectEqual(package, engine::EventfulSeries(900), 50, 9, Tier::kExact, {.extended = true});
  ExpectEqual(package, RegularHoles(900), 50, 10, Tier::kExact, {.extended = true});
}

TEST_P(SpecificationShapes, RulesGiveTheEnginesBitsWithCovariates) {
  const package::ModelPackage package = Shaped(GetParam(), GetParam().horizon);
  ExpectEqual(package, Counter(1200), 70, 11, Tier::kExact, {.extended = true, .past = 1, .future = 2});
  ExpectEqual(package, engine::EventfulSeries(700), 50, 12, Tier::kExact, {.extended = true, .past = 2, .future = 0});
  ExpectEqual(package, Counts(900), 50, 13, Tier::kExact, {.extended = true, .past = 3, .future = 5});
}

// Two weeks of a day, another day, and the first again: the profile is learned anew from full memory, twice.
std::vector<double> ChangingDays(size_t length) {
  std::vector<double> series;
  for (size_t t = 0; t < length; ++t) {
    const size_t day = t / 1200 % 2 == 0 ? 24 : 7;
    const double noise = static_cast<double>(t * t * 31 % 101) / 50.0;
    series.push_back(1e9 + static_cast<double>(t % day * (t % day) % 17) + noise);
    if (t % 31 == 30) series.back() = NAN;
  }
  return series;
}

// A day, and then another: the other's profile has caught up at token 1152, when its view has just left the origin.
std::vector<double> JumpBehindANewDay(size_t length) {
  std::vector<double> series;
  for (size_t t = 0; t < length; ++t) {
    const size_t phase = t % (t < 492 ? 24 : 96);
    series.push_back(static_cast<double>(phase * phase * phase % 17) + (t >= 1100 ? 2000.0 : 0.0));
  }
  return series;
}

// Three values, a gap as long as the memory, and a level for good: the origin moves before the profile has a value.
std::vector<double> LevelBehindAGap(size_t length) {
  std::vector<double> series(length, NAN);
  std::fill_n(series.begin(), 3, 0.0);
  std::fill(series.begin() + 1453, series.end(), 100.0);
  return series;
}

TEST_P(SpecificationShapes, RulesGiveTheEnginesBitsWithProfiles) {
  const package::ModelPackage package = Shaped(GetParam(), GetParam().horizon);
  ExpectEqual(package, JumpBehindANewDay(1200), 50, 19, Tier::kExact, {.extended = true, .profile = true});
  ExpectEqual(package, LevelBehindAGap(1650), 90, 20, Tier::kExact, {.extended = true, .profile = true});
  ExpectEqual(package, ChangingDays(4000), 90, 14, Tier::kExact, {.extended = true, .profile = true});
  ExpectEqual(package, Counts(1200), 50, 15, Tier::kExact, {.extended = true, .past = 1, .future = 1, .profile = true});
  ExpectEqual(package, RegularHoles(900), 50, 16, Tier::kExact, {.extended = true, .profile = true});
  ExpectEqual(package, engine::EventfulSeries(900), 50, 17, Tier::kExact, {.extended = true, .profile = true});
  ExpectEqual(package, Counter(1900), 70, 18, Tier::kExact, {.extended = true, .profile = true});
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

TEST_F(SpecificationOfTheBundledModel, RulesGiveTheEnginesBitsWhereHolesAreRegular) {
  ExpectEqual(package_, RegularHoles(600), 60, 8);
}

TEST_F(SpecificationOfTheBundledModel, RulesOfTheFastTierGiveTheEnginesBits) {
  ExpectEqual(package_, engine::EventfulSeries(750), 40, 6, Tier::kFast);
}

TEST_F(SpecificationOfTheBundledModel, RulesGiveTheEnginesBitsOfExtendedRows) {
  ExpectEqual(package_, engine::EventfulSeries(1100), 60, 9, Tier::kExact, {.extended = true, .past = 1, .future = 2});
}

TEST_F(SpecificationOfTheBundledModel, RulesGiveTheEnginesBitsWithAProfile) {
  ExpectEqual(package_, ChangingDays(1500), 60, 10, Tier::kExact, {.extended = true, .profile = true});
}

TEST_F(SpecificationOfTheBundledModel, RulesGiveTheEnginesBitsOneTokenACall) {
  ExpectEqual(package_, engine::HardSeries(300).back(), 1, 7);
}

}  // namespace
}  // namespace aaren::specification
