// The recorded bits of the exact tier, the same on every machine, compiler and instruction set. A change of the bits
// requires a change of kNumericsVersion.

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
     {0xda6eb94930a9c627, 0x54ffeaac08af7d, 0x1d429087ec841d89, 0x3cfeb1aabbab9858, 0xe77ce86283a3adda,
      0xb2ecbc454182b9df}},
    {"TinyHalved",
     TinyHalved,
     {0xf2c54e30916f57c5, 0xd72dfb94054706a5, 0x77d07d7358fdfd2c, 0x41af5889e4b6df56, 0x21a35034bb02ff1a,
      0xdd3320f4307caaa6}},
    {"Default",
     Default,
     {0x71571271dbde5097, 0xe5f1750a4347e1d2, 0x29fb4692f40cef26, 0x5949ef4811c21d79, 0x6be6f63933e96d5e,
      0x1b2e3a02cba3fe6e}},
    {"DefaultHalved",
     DefaultHalved,
     {0xa90366b1906f2b13, 0x87b6b9c1dd8a416d, 0xdeee63966dec3d05, 0xa946cccfd2b89243, 0xe4dd12e76138f340,
      0x826c9523e3d6540f}},
    {"TinySeasonal",
     TinySeasonal,
     {0xc5a8f94f631dac92, 0x322ecbec96b737ad, 0x9d86141047a8f9db, 0x2dd91c51248d8318, 0x7f50a10a2e558755,
      0x911cf317b49b5b85}},
    {"DefaultSeasonal",
     DefaultSeasonal,
     {0x6e1ab5e422cf6f49, 0x8b8eeab156a4d2b, 0xa19aa2c5d21dcbaf, 0x7020be658a7bd988, 0x793b28a3bb597ba9,
      0x47d9a93e215d6c}},
    {"Bundled",
     Bundled,
     {0xe5ccd9826803bb1f, 0x4215d308137963, 0xd8f33af77540a1ac, 0x943cbed289deced2, 0x90421b3a884ad98e,
      0x9db46b9f50e18bc1}},
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

}  // namespace
}  // namespace aaren::engine
