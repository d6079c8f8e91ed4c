#include "tests/model/engine/cuda/emulated_cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace aaren::engine {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr int kWarp = 32;
constexpr uint64_t kSharedBytes = 4096;

// Shared memory: barriers first, numbers from here on.
float* Numbers(const ClusterThread& thread) { return reinterpret_cast<float*>(thread.shared() + 1024); }
uint64_t* Bar(const ClusterThread& thread) { return reinterpret_cast<uint64_t*>(thread.shared()); }

class EmulatedClusterTest : public testing::Test {
 protected:
  // Runs the kernel in several orders. Returns the last run's fault.
  std::string Run(int threads, const std::function<void(ClusterThread&)>& kernel, int blocks = 1,
                  uint32_t clusters = 1) {
    pieces_ = {{reinterpret_cast<uintptr_t>(numbers_.data()), numbers_.size() * sizeof(float)}};
    std::string fault;
    for (uint64_t seed = 0; seed < 8; ++seed) {
      fault = RunClusters({.clusters = clusters,
                           .blocks = blocks,
                           .threads = threads,
                           .shared_bytes = kSharedBytes,
                           .seed = seed,
                           .pieces = &pieces_},
                          kernel);
    }
    return fault;
  }

  std::vector<float> numbers_ = std::vector<float>(64, 7.0f);
  DevicePieces pieces_;
};

// Each thread reads a number of a thread in the opposite warp.
TEST_F(EmulatedClusterTest, AMissingBarrierBetweenWarpsIsAFault) {
  const auto kernel = [](ClusterThread& thread, bool barrier) {
    thread.Put(Numbers(thread) + thread.thread(), 1.0f);
    barrier ? thread.Named(3, 2 * kWarp) : thread.SyncWarp();
    EXPECT_EQ(thread.Get(Numbers(thread) + (thread.thread() + kWarp) % (2 * kWarp)), 1.0f);
  };
  EXPECT_THAT(Run(2 * kWarp, [&](ClusterThread& thread) { kernel(thread, true); }), IsEmpty());
  EXPECT_THAT(Run(2 * kWarp, [&](ClusterThread& thread) { kernel(thread, false); }), Not(IsEmpty()));
}

TEST_F(EmulatedClusterTest, AMissingBarrierBetweenLanesIsAFault) {
  const auto kernel = [](ClusterThread& thread) {
    if (thread.thread() == 0) thread.Put(Numbers(thread), 1.0f);
    if (thread.thread() == 1) thread.Get(Numbers(thread));
  };
  EXPECT_THAT(Run(kWarp, kernel), Not(IsEmpty()));
}

TEST_F(EmulatedClusterTest, AWriteBeforeOthersHaveReadIsAFault) {
  const auto kernel = [](ClusterThread& thread) {
    if (thread.thread() == 0) thread.Put(Numbers(thread), 1.0f);
    thread.Named(1, 2 * kWarp);
    if (thread.thread() == kWarp) thread.Get(Numbers(thread));
    if (thread.thread() == 0) thread.Put(Numbers(thread), 2.0f);
  };
  EXPECT_THAT(Run(2 * kWarp, kernel), Not(IsEmpty()));
}

TEST_F(EmulatedClusterTest, ACopyIsThereWhenItsBarrierSaysSo) {
  const auto kernel = [&](ClusterThread& thread, bool waits) {
    if (thread.thread() == 0) {
      thread.SetUpBar(Bar(thread), 1);
      thread.Expect(Bar(thread), 64);
      thread.Copy(reinterpret_cast<char*>(Numbers(thread)), reinterpret_cast<const std::byte*>(numbers_.data()), 64,
                  Bar(thread));
    }
    thread.SyncWarp();
    if (waits) thread.Wait(Bar(thread), 0);
    EXPECT_EQ(thread.Get(Numbers(thread) + thread.thread() % 16), 7.0f);
  };
  EXPECT_THAT(Run(kWarp, [&](ClusterThread& thread) { kernel(thread, true); }), IsEmpty());
  EXPECT_THAT(Run(kWarp, [&](ClusterThread& thread) { kernel(thread, false); }), HasSubstr("no barrier lies between"));
}

TEST_F(EmulatedClusterTest, ACopyOverWhatIsStillReadIsAFault) {
  const auto kernel = [&](ClusterThread& thread) {
    if (thread.thread() == 0) thread.SetUpBar(Bar(thread), 1);
    thread.Put(Numbers(thread) + thread.thread() % kWarp, 1.0f);
    if (thread.thread() != 0) return;
    thread.Expect(Bar(thread), 64);
    thread.Copy(reinterpret_cast<char*>(Numbers(thread)), reinterpret_cast<const std::byte*>(numbers_.data()), 64,
                Bar(thread));
  };
  EXPECT_THAT(Run(kWarp, kernel), Not(IsEmpty()));
}

// Every block sends the rank to the next block, and waits for the bytes of the block before.
TEST_F(EmulatedClusterTest, WhatIsSentComesWithItsBarrier) {
  const auto kernel = [](ClusterThread& thread) {
    if (thread.thread() == 0) thread.SetUpBar(Bar(thread), 1);
    thread.ArriveCluster();
    thread.WaitCluster();
    if (thread.thread() == 0) {
      const float rank[1] = {static_cast<float>(thread.rank())};
      thread.Send<1>(Numbers(thread), (thread.rank() + 1) % 4, rank, Bar(thread));
      thread.Expect(Bar(thread), 4);
    }
    thread.Wait(Bar(thread), 0);
    EXPECT_EQ(thread.Get(Numbers(thread)), static_cast<float>((thread.rank() + 3) % 4));
  };
  EXPECT_THAT(Run(kWarp, kernel, 4), IsEmpty());
}

TEST_F(EmulatedClusterTest, ASendOverWhatAnotherBlockReadsIsAFault) {
  const auto kernel = [](ClusterThread& thread) {
    if (thread.thread() == 0) thread.SetUpBar(Bar(thread), 1);
    if (thread.thread() == 0) thread.Put(Numbers(thread), 1.0f);
    thread.ArriveCluster();
    thread.WaitCluster();
    thread.Get(Numbers(thread));
    const float one[1] = {2.0f};
    if (thread.thread() == 0) thread.Send<1>(Numbers(thread), 1 - thread.rank(), one, Bar(thread));
  };
  EXPECT_THAT(Run(kWarp, kernel, 2), Not(IsEmpty()));
}

TEST_F(EmulatedClusterTest, WhatIsSentAndNeverExpectedIsWaitedForForEver) {
  const auto kernel = [](ClusterThread& thread) {
    if (thread.thread() == 0) thread.SetUpBar(Bar(thread), 1);
    thread.SyncWarp();
    thread.Wait(Bar(thread), 0);
  };
  EXPECT_THAT(Run(kWarp, kernel), HasSubstr("never come to"));
}

TEST_F(EmulatedClusterTest, WhatTwoClustersTouchIsAFault) {
  const auto kernel = [&](ClusterThread& thread) {
    if (thread.thread() == 0) thread.PutGlobal(numbers_.data(), 1.0f);
  };
  EXPECT_THAT(Run(kWarp, kernel, 1, 2), HasSubstr("another cluster"));
}

TEST_F(EmulatedClusterTest, AccessesOutOfBoundsAreFaults) {
  EXPECT_THAT(Run(kWarp, [](ClusterThread& thread) { thread.Put(Numbers(thread) + 1024, 1.0f); }),
              HasSubstr("outside of shared memory"));
  EXPECT_THAT(Run(kWarp, [&](ClusterThread& thread) { thread.Constant(numbers_.data() + 64); }),
              HasSubstr("outside of the device's memory"));
  EXPECT_THAT(Run(kWarp, [&](ClusterThread& thread) { thread.Get(Numbers(thread)); }), HasSubstr("never written"));
  float two[2] = {};
  EXPECT_THAT(Run(kWarp, [&](ClusterThread& thread) { thread.PutMany<2>(Numbers(thread) + 1, two); }),
              HasSubstr("not aligned"));
}

}  // namespace
}  // namespace aaren::engine
