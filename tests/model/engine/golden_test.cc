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
     {0xc9fa5b9a9a4262e9, 0x1266471bbb7ed0a6, 0x400b036d50062449, 0x124a2de93fee7f85, 0x8cbf65d22fb49851}},
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
