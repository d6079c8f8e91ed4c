// The recorded bits of the exact tier, the same on every machine, compiler and instruction set. A change of the bits
// requires a change of kForecasterNumerics.

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <limits>
#include <ostream>
#include <string>

#include "model/engine/cpu/cpu_engine.h"
#include "model/engine/forecast_result.h"
#include "model/package/package.h"
#include "tests/model/engine/golden_bits.h"
#include "tests/model/engine/hard_series.h"
#include "tests/model/engine/only_target.h"
#include "tests/model/engine/random_package.h"
#include "tests/model/engine/stepper.h"
#include "tests/model/engine/tested_engine.h"

namespace aaren::engine {
namespace {

struct Golden {
  const char* name;
  package::ModelPackage (*package)();
  Bits bits;
};

void PrintTo(const Golden& golden, std::ostream* out) { *out << golden.name; }

package::ModelPackage Tiny() { return RandomPackage(TinyConfig(), 17); }
package::ModelPackage TinyHalved() { return Halved(Tiny()); }
package::ModelPackage Default() { return RandomPackage(package::ForecasterConfig(), 19); }
package::ModelPackage DefaultHalved() { return Halved(Default()); }

package::ModelPackage TinySeasonal() { return RandomPackage(WithSeasons(TinyConfig()), 23); }
package::ModelPackage DefaultSeasonal() { return Halved(RandomPackage(WithSeasons(package::ForecasterConfig()), 29)); }
package::ModelPackage Bundled() { return package::LoadPackage(AAREN_BUNDLED_MODEL).value(); }

const Golden kGoldens[] = {
    {"Tiny",
     Tiny,
     {0xc60c8fc6aa8e9f2b, 0x5431e19ca903a0ed, 0x76b61bf4b11e6797, 0x6a975e31e4096f54, 0x4da43ef684ed4b2f,
      0x8300aca4d0708807}},
    {"TinyHalved",
     TinyHalved,
     {0xce628d9f8b4eadd6, 0xf5d87db5a85af5f1, 0xfe410418faed8c67, 0xce669278d851ba00, 0xbdb908484f4dad99,
      0x4e5dbe6bec6bed4d}},
    {"Default",
     Default,
     {0x9caf25b677c167ec, 0xc90d29b4ab69cd0b, 0x84640bbbaf9ec007, 0x93bf7291483f6a3, 0xb85677a5888bed31,
      0xce34e03663209342}},
    {"DefaultHalved",
     DefaultHalved,
     {0x5c6cb71c30818bf3, 0xa17d14fce687037, 0xb68b5ecc4a02d0fd, 0xc3f08bc5a73e0e45, 0x1283ebcd84fe840d,
      0x5a1c2cd8c2543a74}},
    {"TinySeasonal",
     TinySeasonal,
     {0xe643722fa1729360, 0xb12b9358421ce12d, 0xf1d1144d6214cbc9, 0xfc94e6d25c5e8d3f, 0xff901e547a656562,
      0xa7fd3450c7578dc9}},
    {"DefaultSeasonal",
     DefaultSeasonal,
     {0xcb3ee5bf026e6ea8, 0x503da0f58853a39f, 0x1255b73b8253d861, 0x3a158fc1777fa73a, 0x611b9a86af76780b,
      0xd92e8455fdf5ca3c}},
    {"Bundled",
     Bundled,
     {0x6fbfa5055803885f, 0xdaf43431f181ec47, 0x7930fbb12a1369f3, 0xe24a2062f368b318, 0x718e8acb9aad8aa,
      0x8d081e5d29859fe0}},
};

class GoldenTest : public testing::TestWithParam<Golden> {
 protected:
  Stepper stepper_{GetParam().package()};
};

INSTANTIATE_TEST_SUITE_P(Packages, GoldenTest, testing::ValuesIn(kGoldens),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(GoldenTest, GivesTheRecordedBits) { EXPECT_EQ(BitsOf(stepper_, 64), GetParam().bits); }

// One token alone passes through other kernels than many tokens: with halved weights, and with fewer rows at once.
TEST_P(GoldenTest, EveryInstructionSetGivesThemHoweverTokensCome) {
  if (TestsEmulation()) GTEST_SKIP() << "of the CPU's kernels";
  for (int64_t target : ExactTargets()) {
    const OnlyTarget only(target);
    for (size_t most : {1, 5, 11, 64}) {
      EXPECT_EQ(BitsOf(stepper_, most), GetParam().bits) << hwy::TargetName(target) << ", " << most << " at a time";
    }
  }
}

// Covariates of extended rows: quotients of integers. Numbers 0, 1 and 2 are a token's own, and later ones are of steps
// ahead.
float CovariateAt(size_t number, size_t token) {
  return static_cast<float>((token + 17 * number) * (token + 17 * number) % 41) / 8.0f;
}

std::vector<float> Undriven() { return EventfulSeries(900); }

// A series that the future covariate drives, so that an effect is learned.
std::vector<float> Driven() {
  std::vector<float> series = Series(31, 900);
  for (size_t t = 0; t < series.size(); ++t) series[t] += 4.0f * CovariateAt(1, t);
  return series;
}

struct ExtendedGolden {
  const char* name;
  std::vector<float> (*series)();
  bool misses;  // covariates, of now and of steps ahead
  bool profile;
  uint64_t results, row;
};

void PrintTo(const ExtendedGolden& golden, std::ostream* out) { *out << golden.name; }

const ExtendedGolden kExtendedGoldens[] = {
    {"Undriven", Undriven, false, false, 0xfd1dd74908e57682, 0xf1153ede5697caa6},
    {"Driven", Driven, false, false, 0x80ebb122004201ae, 0x23be764a33500c93},
    {"DrivenByCovariatesThatMiss", Driven, true, false, 0xe7f8c5b9127e47d5, 0xcde9ac83aa8c7513},
    {"UndrivenWithProfile", Undriven, false, true, 0x89247d6c17785f28, 0x194d1cbc1a74a36f},
    {"DrivenWithProfile", Driven, true, true, 0xf2d2831383ed451, 0xb38d966a3ad53e1e},
};

class ExtendedGoldenTest : public testing::TestWithParam<ExtendedGolden> {
 protected:
  static float Covariate(size_t number, size_t token) {
    const bool missing = GetParam().misses && (token + number) * (token + number) % 43 % 5 == 0;
    return missing ? std::numeric_limits<float>::quiet_NaN() : CovariateAt(number, token);
  }

  // Takes all tokens, `most` at a time, each with a forecast, and compares.
  static void ExpectRecordedBits(size_t most) {
    const auto& [name, make_series, misses, profile, results, row] = GetParam();
    Stepper stepper(NewCpuEngine(Bundled(), Tier::kExtended).value()->Extended({1, 2, profile}), 1);
    const std::vector<float> series = make_series();
    const Slot slot = stepper.Open();
    Outputs outputs;
    for (size_t begin = 0; begin < series.size(); begin += most) {
      Portion portion = {.slot = slot, .values = {}, .forecast = {}};
      portion.selection = {{1, 48, 49, 100, 720, 1024}, {0.005f, 0.25f, 0.5f, 0.9f}};
      for (size_t t = begin; t < std::min(series.size(), begin + most); ++t) {
        const std::vector<float> value = RunValues({series[t]});
        portion.values.insert(portion.values.end(), value.begin(), value.end());
        for (size_t i = 0; i < 3 + 2 * portion.selection.steps.size(); ++i) portion.values.push_back(Covariate(i, t));
        portion.forecast.push_back(1);
      }
      outputs.Append(stepper.Step({portion})[0]);
    }
    EXPECT_EQ(Fingerprint(outputs.results), results) << std::hex << Fingerprint(outputs.results);
    EXPECT_EQ(Fingerprint(stepper.RowBytes(slot)), row) << std::hex << Fingerprint(stepper.RowBytes(slot));
  }
};

INSTANTIATE_TEST_SUITE_P(Rows, ExtendedGoldenTest, testing::ValuesIn(kExtendedGoldens),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(ExtendedGoldenTest, GivesTheRecordedBits) {
  if (TestsEmulation()) GTEST_SKIP() << "extended rows are the CPU's";
  ExpectRecordedBits(64);
}

TEST_P(ExtendedGoldenTest, EveryInstructionSetGivesThemHoweverTokensCome) {
  if (TestsEmulation()) GTEST_SKIP() << "extended rows are the CPU's";
  for (const int64_t target : ExactTargets()) {
    const OnlyTarget only(target);
    for (const size_t most : {1, 7, 300}) ExpectRecordedBits(most);
  }
}

}  // namespace
}  // namespace aaren::engine
