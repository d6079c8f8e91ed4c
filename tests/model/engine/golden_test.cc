// The bits of the exact tier, recorded: the same from every machine, compiler and instruction set. They may change only
// together with kNumericsVersion. Nothing that goes in comes from the C library's functions, whose bits differ from one
// machine to the next: integers, products, quotients and square roots make the weights and the series.

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <bit>
#include <iomanip>
#include <ostream>
#include <string>

#include "model/package/package.h"
#include "tests/model/engine/hard_series.h"
#include "tests/model/engine/only_target.h"
#include "tests/model/engine/random_package.h"
#include "tests/model/engine/stepper.h"

namespace aaren {
namespace {

constexpr size_t kTokens = 800;

// Of everything that one session is told and leaves behind.
struct Bits {
  uint64_t network, calibrated, surprises, row;
  bool operator==(const Bits&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Bits& bits) {
  return out << std::hex << "{0x" << bits.network << ", 0x" << bits.calibrated << ", 0x" << bits.surprises << ", 0x"
             << bits.row << "}";
}

struct Golden {
  const char* name;
  ModelPackage (*package)();
  Bits bits;
};

void PrintTo(const Golden& golden, std::ostream* out) { *out << golden.name; }

// As aaren-train leaves them: matrices whose weights are bfloat16, which the engine reads at half the size.
ModelPackage Halved(ModelPackage package) {
  for (auto& [name, tensor] : package.tensors) {
    if (tensor.shape.size() != 2 || name.ends_with(".cos") || name.ends_with(".sin")) continue;
    for (float& value : tensor.data) value = std::bit_cast<float>(std::bit_cast<uint32_t>(value) & 0xffff0000u);
  }
  return package;
}

ModelPackage Tiny() { return RandomPackage(TinyConfig(), 17); }
ModelPackage TinyHalved() { return Halved(Tiny()); }
ModelPackage Default() { return RandomPackage(ForecasterConfig(), 19); }
ModelPackage DefaultHalved() { return Halved(Default()); }
ModelPackage Bundled() { return LoadPackage(AAREN_BUNDLED_MODEL).value(); }

const Golden kGoldens[] = {
    {"Tiny", Tiny, {0xd6bf7020004bda40, 0x656507c93c0a90bb, 0x5a357a03efa15a25, 0x58c776126b1a8b62}},
    {"TinyHalved", TinyHalved, {0xc924370c4312c4ea, 0x494c23e433524237, 0x49ccf361af98ad65, 0x475d2a06f17f2ee3}},
    {"Default", Default, {0x8b9abf2aa0efea7d, 0xbda9cc79de3f7ed6, 0x89f3303c6bcd2285, 0xb431c1084d7bb51b}},
    {"DefaultHalved", DefaultHalved, {0xf88a510e00ebe592, 0x6c039b481bab5c7d, 0x4a163a696923d35f, 0x94a22e15551f94a9}},
    {"Bundled", Bundled, {0x2ed1952d1ce71a76, 0x2180fcc7b70f3ecf, 0x996ae5fb35150d5f, 0x05c61dcc1419dea7}},
};

// Of a session whose tokens come `most` at a time, and of another that wants the network's own forecasts.
Bits BitsOf(Stepper& stepper, size_t most) {
  const std::vector<float> series = EventfulSeries(kTokens);
  Outputs outputs, network;
  const Slot slot = stepper.Open(), other = stepper.Open();
  for (size_t begin = 0; begin < kTokens; begin += most) {
    const std::vector<float> tokens(series.begin() + begin, series.begin() + std::min(kTokens, begin + most));
    outputs.Append(stepper.Feed(slot, tokens));
    network.Append(stepper.Feed(other, tokens, /*calibrated=*/false));
  }
  const Bits bits = {Fingerprint(network.forecasts), Fingerprint(outputs.forecasts), Fingerprint(outputs.surprises),
                     Fingerprint(stepper.RowBytes(slot))};
  stepper.rows().Free(slot);
  stepper.rows().Free(other);
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
  for (int64_t target : ExactTargets()) {
    const OnlyTarget only(target);
    for (size_t most : {1, 5, 11, 64}) {
      EXPECT_EQ(BitsOf(stepper_, most), GetParam().bits) << hwy::TargetName(target) << ", " << most << " at a time";
    }
  }
}

}  // namespace
}  // namespace aaren
