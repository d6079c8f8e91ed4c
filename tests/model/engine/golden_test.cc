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

namespace aaren {
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

ForecasterConfig WithSeasons(ForecasterConfig config) {
  config.seasons = true;
  return config;
}

ModelPackage TinySeasonal() { return RandomPackage(WithSeasons(TinyConfig()), 23); }
ModelPackage DefaultSeasonal() { return Halved(RandomPackage(WithSeasons(ForecasterConfig()), 29)); }
ModelPackage Bundled() { return LoadPackage(AAREN_BUNDLED_MODEL).value(); }

const Golden kGoldens[] = {
    {"Tiny", Tiny, {0xb1f9dda5abb25e1b, 0xfb29af195d0e2c4b, 0xaa2426b94ea44dd1, 0xc82a335400a9703a, 0xf4f2467f317355}},
    {"TinyHalved",
     TinyHalved,
     {0x1ae8347866845142, 0xddf667e1a801a171, 0x4a496f72f2e92983, 0x8b563453cf52ace0, 0xe8d925980dd218e0}},
    {"Default",
     Default,
     {0x46b0330613ea9473, 0xb478bc5d9e8a1b9e, 0x75eb793502937c2a, 0xcf1c865b2b701dcc, 0xeade9f24e7974fb5}},
    {"DefaultHalved",
     DefaultHalved,
     {0xe1476b71e33fd91b, 0x9ed68fa3f02cef25, 0x1baa56b9c005caab, 0x90064c51016492d9, 0x2542246563c339ad}},
    {"TinySeasonal",
     TinySeasonal,
     {0x9f0520e6a8462565, 0x3ded89a481fc061f, 0xe4d2fffe5999fc8b, 0xc2bd06b3d6eb1841, 0x409520391c52671f}},
    {"DefaultSeasonal",
     DefaultSeasonal,
     {0xc5b49502a516d952, 0xef69b98a72177336, 0xa0b49d2aabdf4cd7, 0x2972d8b7653a5c83, 0xc11007dc18a8a69a}},
    {"Bundled",
     Bundled,
     {0xe59a752365c59c00, 0x4899319947193ed8, 0xfd4d4ce6cbcda1a5, 0xa16b5030ee0359d, 0x521adeb8a551a05a}},
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
  for (Slot used : {slot, second, third}) stepper.rows().Free(used);
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
