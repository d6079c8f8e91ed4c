// The bits of the exact tier, recorded: the same from every machine, compiler and instruction set. They may change only
// together with kNumericsVersion.

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <ostream>
#include <string>

#include "model/package/package.h"
#include "tests/model/engine/golden_bits.h"
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
     {0xda6eb94930a9c627, 0xbe0d1c4f00b6866a, 0x6db15ae55793aaa4, 0x3cfeb1aabbab9858, 0xa55664ec45175a6a}},
    {"TinyHalved",
     TinyHalved,
     {0xf2c54e30916f57c5, 0xd2b510af02462bff, 0xe9679ef794667a85, 0x41af5889e4b6df56, 0xf8bd2405d65b7b8a}},
    {"Default",
     Default,
     {0x71571271dbde5097, 0x56d73f32cd843417, 0x94af44becdfa1204, 0xcb2086e0e1a71e91, 0x6bbf63da3e1e989c}},
    {"DefaultHalved",
     DefaultHalved,
     {0xa90366b1906f2b13, 0x24b660c32a324c61, 0xcf95350f386ed132, 0x2213bb9e447d16ac, 0xecf7194763b13605}},
    {"TinySeasonal",
     TinySeasonal,
     {0xc5a8f94f631dac92, 0x417493f8542dcc15, 0xed093c0aa0bb56ab, 0x86f1318594566913, 0x46741e52a543a4d0}},
    {"DefaultSeasonal",
     DefaultSeasonal,
     {0x6e1ab5e422cf6f49, 0x55647faf0aaf5efb, 0x254d8ade3f60313f, 0xf55213b94c7962a6, 0x52a8d55301bddc92}},
    {"Bundled",
     Bundled,
     {0xc9fa5b9a9a4262e9, 0xfeb006835999a4a7, 0x48f640a185525764, 0x879a3e75a96baf17, 0xb90987d3abced428}},
};

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
