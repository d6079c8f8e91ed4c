#include "tests/model/engine/cuda/emulated_block.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace aaren::engine {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class EmulatedBlockTest : public testing::Test {
 protected:
  std::string Run(const std::function<void(EmulatedBlock&)>& kernel, uint32_t blocks = 1) {
    pieces_ = {{reinterpret_cast<uintptr_t>(numbers_.data()), numbers_.size() * sizeof(int)}};
    return RunBlocks(
        {.blocks = blocks, .threads = kThreads, .shared_bytes = kThreads * sizeof(int), .pieces = &pieces_}, kernel);
  }

  static constexpr int kThreads = 16;
  std::vector<int> numbers_ = std::vector<int>(kThreads);
  DevicePieces pieces_;
};

// Each thread gives a number to the next thread by shared memory, with a barrier between or without.
void PassOn(EmulatedBlock& block, bool barrier, int* out) {
  const auto shared = block.Shared<int>(0, block.threads());
  shared.Put(block.thread(), block.thread());
  if (barrier) block.Sync();
  const int got = shared.Get((block.thread() + 1) % block.threads());
  block.Global(out, block.threads()).Put(block.thread(), got);
}

TEST_F(EmulatedBlockTest, RunsEveryThreadUpToEachBarrier) {
  EXPECT_THAT(Run([&](EmulatedBlock& block) { PassOn(block, true, numbers_.data()); }), IsEmpty());
  for (int i = 0; i < kThreads; ++i) EXPECT_EQ(numbers_[i], (i + 1) % kThreads);
}

TEST_F(EmulatedBlockTest, AMissingBarrierIsAFault) {
  EXPECT_THAT(Run([&](EmulatedBlock& block) { PassOn(block, false, numbers_.data()); }), HasSubstr("block 0, thread"));
}

TEST_F(EmulatedBlockTest, AReadOfWhatAnotherWroteIsAFaultInAnyOrder) {
  const auto kernel = [](EmulatedBlock& block) {
    const auto shared = block.Shared<int>(0, 1);
    if (block.thread() == 0) shared.Put(0, 1);
    if (block.thread() == 1) shared.Get(0);
  };
  for (uint64_t seed = 0; seed < 8; ++seed) {
    EXPECT_NE(RunBlocks({.threads = 2, .shared_bytes = 4, .seed = seed}, kernel), "") << seed;
  }
}

TEST_F(EmulatedBlockTest, AMissingBarrierBetweenUsesOfTheDevicesMemoryIsAFault) {
  const auto kernel = [&](EmulatedBlock& block) {
    const auto numbers = block.Global(numbers_.data(), kThreads);
    numbers.Put(block.thread(), 1);
    numbers.Get((block.thread() + 1) % kThreads);
  };
  EXPECT_THAT(Run(kernel), HasSubstr("no barrier lies between"));
}

TEST_F(EmulatedBlockTest, WhatTwoBlocksTouchIsAFault) {
  const auto kernel = [&](EmulatedBlock& block) {
    if (block.thread() == 0) block.Global(numbers_.data(), kThreads).Put(3, block.block());
  };
  EXPECT_THAT(Run(kernel, 2), HasSubstr("another block"));
}

TEST_F(EmulatedBlockTest, AnAccessOutOfBoundsIsAFault) {
  const auto beyond = [](EmulatedBlock& block) { block.Shared<int>(0, kThreads).Put(block.thread() + 1, 1); };
  EXPECT_THAT(Run(beyond), HasSubstr("number 16 of 16"));
  const auto before = [&](EmulatedBlock& block) { block.Global(numbers_.data(), kThreads).Get(block.thread() - 1); };
  EXPECT_THAT(Run(before), HasSubstr("number -1 of 16"));
  const auto outside = [&](EmulatedBlock& block) { block.Global(numbers_.data(), kThreads + 1); };
  EXPECT_THAT(Run(outside), HasSubstr("outside the device's memory"));
}

TEST_F(EmulatedBlockTest, ConstantsOutOfBoundsAreAFault) {
  const int* constants = numbers_.data();
  const auto kernel = [&](EmulatedBlock& block) { block.Global(constants, kThreads).Get(kThreads); };
  EXPECT_THAT(Run(kernel), HasSubstr("number 16 of 16"));
}

TEST_F(EmulatedBlockTest, WhatWasNeverWrittenIsAFaultToRead) {
  EXPECT_THAT(Run([](EmulatedBlock& block) { block.Shared<int>(0, kThreads).Get(0); }), HasSubstr("never written"));
}

TEST_F(EmulatedBlockTest, SeveralNumbersThatAreNotAlignedAreAFault) {
  const auto kernel = [](EmulatedBlock& block) {
    int four[4] = {};
    if (block.thread() == 0) block.Shared<int>(0, kThreads).PutMany<4>(1, four);
  };
  EXPECT_THAT(Run(kernel), HasSubstr("not aligned"));
}

TEST_F(EmulatedBlockTest, ABarrierThatSomeThreadsDoNotReachIsAFault) {
  const auto kernel = [](EmulatedBlock& block) {
    if (block.thread() < 3) block.Sync();
  };
  EXPECT_THAT(Run(kernel), HasSubstr("never come to"));
}

}  // namespace
}  // namespace aaren::engine
