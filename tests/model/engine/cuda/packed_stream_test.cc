#include "model/engine/cuda/stream/packed_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/package/package.h"
#include "tests/model/engine/random_package.h"

namespace aaren::engine {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kHopper = 227 << 10;  // a block's most shared memory

TEST(PackedStreamTest, EveryFormHoldsTheBundledModel) {
  const NetworkImage image(package::LoadPackage(AAREN_BUNDLED_MODEL).value());
  for (const StreamForm& form : kStreamForms) {
    const PackedStream packed(image, form, kHopper);
    ASSERT_TRUE(packed.fits()) << form.tokens << "x" << form.blocks << ": " << packed.refusal;
    EXPECT_LE(packed.plan.shared_bytes, kHopper);
    EXPECT_GE(packed.plan.slots, 2);
  }
}

// All weights once, in slots' pieces, and little more.
TEST(PackedStreamTest, TheStreamsOfACacheHoldTheWeightsOnce) {
  const NetworkImage image(package::LoadPackage(AAREN_BUNDLED_MODEL).value());
  const size_t one = PackedStream(image, {8, 1}, kHopper).bytes.size();
  for (const StreamForm& form : kStreamForms) {
    EXPECT_LT(static_cast<double>(PackedStream(image, form, kHopper).bytes.size()), 1.2 * static_cast<double>(one));
  }
}

TEST(PackedStreamTest, ANetworkThatCannotBeStreamedSaysWhy) {
  const NetworkImage image(RandomPackage(TinyConfig(), 1));
  const PackedStream packed(image, {8, 1}, kHopper);
  ASSERT_FALSE(packed.fits());
  EXPECT_THAT(packed.refusal, HasSubstr("bfloat16"));
}

TEST(PackedStreamTest, TooLittleSharedMemoryIsRefused) {
  const NetworkImage image(package::LoadPackage(AAREN_BUNDLED_MODEL).value());
  EXPECT_FALSE(PackedStream(image, {32, 1}, 99 << 10).fits());
}

}  // namespace
}  // namespace aaren::engine
