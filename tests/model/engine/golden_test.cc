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
     {0xc73c626aefaf7313, 0x5a420ad085fba511, 0xeb35895557db13a4, 0xb726340bb40e3346, 0x457bf3f312c8022c,
      0x8300aca4d0708807}},
    {"TinyHalved",
     TinyHalved,
     {0x819eec31b68761df, 0xef02aa880400e386, 0x23fdb162095ed333, 0xf52671c7ce99a2cb, 0x35b5cb58612983e6,
      0x4e5dbe6bec6bed4d}},
    {"Default",
     Default,
     {0xb51aeccee04298f4, 0xfa770d68d9228581, 0x307a7460a2bc4b8e, 0xff2c449eb050c019, 0x3e207d0aca603ee0,
      0xce34e03663209342}},
    {"DefaultHalved",
     DefaultHalved,
     {0x8b4e6bdc0daa5b6d, 0xb4f2e8040e98c560, 0x73fc61ece497e172, 0xc67eefbed30daf14, 0x468985da60f566a6,
      0x5a1c2cd8c2543a74}},
    {"TinySeasonal",
     TinySeasonal,
     {0x1c498bd0dbfa4d69, 0x8b391d6576b52e38, 0x70f61004bddabc26, 0xae39bc6cc62bd09, 0x98a21783829b460e,
      0xa7fd3450c7578dc9}},
    {"DefaultSeasonal",
     DefaultSeasonal,
     {0xd59ac445ce7847d6, 0x3c6bbce0546cc3e0, 0x1dae678ef21b6419, 0xcb4bed4203f1967a, 0x721a8df20d466d7c,
      0xd92e8455fdf5ca3c}},
    {"Bundled",
     Bundled,
     {0x241ba96cc8f5e032, 0x1e932e9c196ed975, 0x6475cd810ff9792e, 0xd44d3376eac6e0b9, 0xf7888c356dcad1f,
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
    {"Undriven", Undriven, false, false, 0x69e742fde7977d04, 0xfa423ceddfd5f52f},
    {"Driven", Driven, false, false, 0x5093c9fc5513ad70, 0x7cb4b8efcecb0b98},
    {"DrivenByCovariatesThatMiss", Driven, true, false, 0x817ad8fd130f46e4, 0x428b583704ae3a6d},
    {"UndrivenWithProfile", Undriven, false, true, 0xf0a9ec0eea1db201, 0x709cc887f39c4137},
    {"DrivenWithProfile", Driven, true, true, 0x4843d9e2de466edd, 0x5c8248d9ede1ade4},
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
