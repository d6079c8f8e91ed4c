// The fast tier: recorded bits, the same on every machine, with AMX and without, and their distance from the
// definition. A change of the bits requires a change of kForecasterNumerics.

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <ostream>
#include <string>

#include "model/engine/cpu/cpu_engine.h"
#include "model/engine/forecasting/weights.h"
#include "model/engine/network/amx.h"
#include "tests/model/engine/forecasting/reference.h"
#include "tests/model/engine/golden_bits.h"
#include "tests/model/engine/hard_series.h"
#include "tests/model/engine/only_target.h"
#include "tests/model/engine/random_package.h"
#include "tests/model/engine/stepper.h"

namespace aaren::engine {
namespace {

std::shared_ptr<const Engine> Fast(const package::ModelPackage& package) {
  return NewCpuEngine(package, Tier::kFast).value();
}

package::ModelPackage Tiny() { return RandomPackage(TinyConfig(), 17); }
package::ModelPackage DefaultSeasonal() { return RandomPackage(WithSeasons(package::ForecasterConfig()), 29); }
package::ModelPackage Bundled() { return package::LoadPackage(AAREN_BUNDLED_MODEL).value(); }

struct Golden {
  const char* name;
  package::ModelPackage (*package)();
  Bits bits;
};

void PrintTo(const Golden& golden, std::ostream* out) { *out << golden.name; }

const Golden kGoldens[] = {
    {"Tiny",
     Tiny,
     {0x9ae87fcd73ba109e, 0x97b5955cc1c82b4e, 0x59dd85bcc8a16b2e, 0x4b5c37d18b20a1ad, 0x21ac65576399aca5,
      0xdcf2216f0568e77}},
    {"DefaultSeasonal",
     DefaultSeasonal,
     {0xb7653cb8063fdc9e, 0x701589cfd5f4066b, 0xe735a16877070d9d, 0x36865c012b4acd27, 0x5ac54a5e89ce557,
      0xd52f153e14d3aa70}},
    {"Bundled",
     Bundled,
     {0x97bcd7cb4e580c7d, 0x5ba818f9024954c9, 0x25626a57a3e7d355, 0x215979ed593d4054, 0x64406cb3f53d84d5,
      0xa1b1e399f9f6ff49}},
};

class FastTierTest : public testing::TestWithParam<Golden> {
 protected:
  Stepper stepper_{Fast(GetParam().package())};
};

INSTANTIATE_TEST_SUITE_P(Packages, FastTierTest, testing::ValuesIn(kGoldens),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(FastTierTest, EveryInstructionSetGivesTheRecordedBitsHoweverTokensCome) {
  const ForbidAmx forbidden;
  for (const int64_t target : ExactTargets()) {
    const OnlyTarget only(target);
    for (const size_t most : {5, 64}) {
      EXPECT_EQ(BitsOf(stepper_, most), GetParam().bits) << hwy::TargetName(target) << ", " << most << " at a time";
    }
  }
}

TEST_P(FastTierTest, AmxGivesTheRecordedBitsHoweverTokensCome) {
  if (!MayUseAmx()) GTEST_SKIP() << "this CPU has no AMX";
  for (const size_t most : {1, 5, 11, 64}) {
    EXPECT_EQ(BitsOf(stepper_, most), GetParam().bits) << most << " at a time";
  }
}

// The largest error of any forecast, over the largest distance between the forecast's quantiles, or over the scale if
// larger.
double WorstError(const package::ModelPackage& package, const package::ModelPackage& defined) {
  Stepper stepper(Fast(package));
  Reference reference(defined);
  const std::vector<float> series = Series(8, 400);
  const Outputs outputs = stepper.Feed(stepper.Open(), series, Refinement::kNetwork);
  const float* forecast = outputs.forecasts.data();
  double worst = 0.0;
  for (const float value : series) {
    const Reference::Forecast expected = reference.Take(value);
    const auto [least, most] = std::minmax_element(expected.quantiles.begin(), expected.quantiles.end());
    const double unit = std::max(expected.scale, *most - *least);
    for (const double quantile : expected.quantiles) worst = std::max(worst, std::abs(*forecast++ - quantile) / unit);
  }
  return worst;
}

// The loss is the part of an input that two bfloat16 lack. The number bounds no rounding in general: the bits are equal
// on every machine, and so is their distance from the definition in double.
TEST(FastTierAccuracyTest, WeightsThatAreHalvesLoseLittle) {
  const package::ModelPackage package = RoundedWeights(RandomPackage(package::ForecasterConfig(), 7));
  EXPECT_LT(WorstError(package, package), 2e-4);
}

TEST(FastTierAccuracyTest, FloatsAreWithinWhatTheTierPromises) {
  const package::ModelPackage package = RandomPackage(package::ForecasterConfig(), 7);
  EXPECT_LT(WorstError(package, package), 2e-2);
}

TEST(FastTierEngineTest, SaysWhichTierItIs) {
  EXPECT_EQ(Fast(Tiny())->tier(), "fast");
  EXPECT_EQ(NewCpuEngine(Tiny()).value()->tier(), "exact");
}

TEST(FastTierEngineTest, GivesOtherBitsThanTheExactOne) {
  Stepper fast(Fast(Tiny())), exact(Tiny());
  EXPECT_NE(fast.Feed(fast.Open(), Series(1, 50)), exact.Feed(exact.Open(), Series(1, 50)));
}

}  // namespace
}  // namespace aaren::engine
