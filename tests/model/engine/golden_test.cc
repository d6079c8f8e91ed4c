// The bits of the exact tier, recorded: the same from every machine, compiler and instruction set. They may change only
// together with kNumericsVersion. Nothing that goes in comes from the C library's functions, whose bits differ from one
// machine to the next: integers, products, quotients and square roots make the weights and the series.

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iomanip>
#include <ostream>
#include <string>

#include "model/package/package.h"
#include "tests/model/engine/hard_series.h"
#include "tests/model/engine/only_target.h"
#include "tests/model/engine/random_package.h"
#include "tests/model/engine/stepper.h"
#include "tests/model/engine/tested_engine.h"

namespace aaren::engine {
namespace {

constexpr size_t kTokens = 800;

// Of everything that one session is told and leaves behind.
struct Bits {
  uint64_t network, calibrated, surprises, row, whole;
  bool operator==(const Bits&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Bits& bits) {
  return out << std::hex << "{0x" << bits.network << ", 0x" << bits.calibrated << ", 0x" << bits.surprises << ", 0x"
             << bits.row << ", 0x" << bits.whole << "}";
}

struct Golden {
  const char* name;
  package::ModelPackage (*package)();
  Bits bits;
};

void PrintTo(const Golden& golden, std::ostream* out) { *out << golden.name; }

// As aaren-train leaves them: matrices whose weights are bfloat16, which the engine reads at half the size.
package::ModelPackage Halved(package::ModelPackage package) {
  for (auto& [name, tensor] : package.tensors) {
    if (tensor.shape.size() != 2 || name.ends_with(".cos") || name.ends_with(".sin")) continue;
    for (float& value : tensor.data) value = std::bit_cast<float>(std::bit_cast<uint32_t>(value) & 0xffff0000u);
  }
  return package;
}

package::ModelPackage Tiny() { return RandomPackage(TinyConfig(), 17); }
package::ModelPackage TinyHalved() { return Halved(Tiny()); }
package::ModelPackage Default() { return RandomPackage(package::ForecasterConfig(), 19); }
package::ModelPackage DefaultHalved() { return Halved(Default()); }

package::ForecasterConfig WithSeasons(package::ForecasterConfig config) {
  config.seasons = true;
  return config;
}

package::ModelPackage TinySeasonal() { return RandomPackage(WithSeasons(TinyConfig()), 23); }
package::ModelPackage DefaultSeasonal() { return Halved(RandomPackage(WithSeasons(package::ForecasterConfig()), 29)); }
package::ModelPackage Bundled() { return package::LoadPackage(AAREN_BUNDLED_MODEL).value(); }

const Golden kGoldens[] = {
    {"Tiny",
     Tiny,
     {0xda6eb94930a9c627, 0x2247897e8e89ebe0, 0x4611b966383932ce, 0xa6f1b4c1bf505ad3, 0x1c17a01524908fe8}},
    {"TinyHalved",
     TinyHalved,
     {0xf2c54e30916f57c5, 0x991e6edf3d023639, 0x11ecbb0af928b3cc, 0xbaadb16fa7176527, 0x6f019eaf18c9aecf}},
    {"Default",
     Default,
     {0x71571271dbde5097, 0x23dd38d5117dd26d, 0x4a1a667a8d033a36, 0x5a77b05a837e13eb, 0x2321d967fc186be}},
    {"DefaultHalved",
     DefaultHalved,
     {0xa90366b1906f2b13, 0x42dc1ba7b07bb0ca, 0xae9f748b94761665, 0x2383ded4dba99e5e, 0x2fb81676f32d6e7a}},
    {"TinySeasonal",
     TinySeasonal,
     {0xc5a8f94f631dac92, 0xee4b3c1c7011d654, 0x2c303a3dcccd7c57, 0xa9e1f27741f691b1, 0xe857daf4ea015466}},
    {"DefaultSeasonal",
     DefaultSeasonal,
     {0x6e1ab5e422cf6f49, 0xca1c028f9f764d7d, 0xfa078e21c2cdba44, 0xab3558c84e1e6b1d, 0x1615c1aa4835d619}},
    {"Bundled",
     Bundled,
     {0x67c8ea0e827901d, 0xe931e55aec41e96e, 0xead2770e4cb1b4f5, 0x98ebd466592d77cd, 0x7d8d1e1862b8ef33}},
};

// Whole numbers that are never negative, whose forecasts are such too.
std::vector<float> Whole(std::vector<float> values) {
  for (float& value : values) value = std::floor(std::abs(value));  // NaN stays
  return values;
}

// Of a session whose tokens come `most` at a time, of one that wants the network's own forecasts, and of one of whole
// numbers.
Bits BitsOf(Stepper& stepper, size_t most) {
  const std::vector<float> series = EventfulSeries(kTokens);
  Outputs outputs, network, whole;
  const Slot slot = stepper.Open(), second = stepper.Open(), third = stepper.Open();
  for (size_t begin = 0; begin < kTokens; begin += most) {
    const std::vector<float> tokens(series.begin() + begin, series.begin() + std::min(kTokens, begin + most));
    outputs.Append(stepper.Feed(slot, tokens));
    network.Append(stepper.Feed(second, tokens, Refinement::kNetwork));
    whole.Append(stepper.Feed(third, Whole(tokens)));
  }
  const Bits bits = {Fingerprint(network.forecasts), Fingerprint(outputs.forecasts), Fingerprint(outputs.surprises),
                     Fingerprint(stepper.RowBytes(slot)), Fingerprint(whole.forecasts)};
  stepper.lane().Free({slot, second, third});
  return bits;
}

class GoldenTest : public testing::TestWithParam<Golden> {
 protected:
  Stepper stepper_{GetParam().package()};
};

INSTANTIATE_TEST_SUITE_P(Packages, GoldenTest, testing::ValuesIn(kGoldens),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(GoldenTest, GivesTheRecordedBits) { EXPECT_EQ(BitsOf(stepper_, 64), GetParam().bits); }

// One token alone goes through other kernels than many: with halved weights, and with fewer rows at once.
TEST_P(GoldenTest, EveryInstructionSetGivesThemHoweverTokensCome) {
  if (TestsEmulation()) GTEST_SKIP() << "of the CPU's kernels";
  for (int64_t target : ExactTargets()) {
    const OnlyTarget only(target);
    for (size_t most : {1, 5, 11, 64}) {
      EXPECT_EQ(BitsOf(stepper_, most), GetParam().bits) << hwy::TargetName(target) << ", " << most << " at a time";
    }
  }
}

}  // namespace
}  // namespace aaren::engine
