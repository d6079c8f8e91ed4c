#include "tests/bench/engine/gpu_roof.h"

#include <gtest/gtest.h>

namespace aaren::bench {
namespace {

// Round numbers: one processor of a gigahertz.
constexpr double kNoise = 1e-9;
const Gpu kGpu = {.name = "a test",
                  .architecture = "sm_0",
                  .processors = 1,
                  .gigahertz = 1,
                  .float_lanes = 64,
                  .double_lanes = 32,
                  .l2_bytes = 32,
                  .memory_bytes = 16,
                  .shared_bytes = 1 << 16};

// One stretch of `threads` threads; of(thread) gives each thread's counts.
template <class Of>
BlockCounts Stretch(size_t threads, Of of) {
  BlockCounts counts(1, std::vector<ThreadCounts>(threads));
  for (size_t i = 0; i < threads; ++i) of(i, counts[0][i]);
  return counts;
}

double SharedCyclesOf(size_t threads, uint64_t distance, uint32_t bytes) {
  const BlockCounts counts = Stretch(threads, [&](size_t i, ThreadCounts& of) {
    of.shared.push_back({i * distance, bytes});
  });
  return CyclesOf(counts, kGpu).shared;
}

TEST(GpuRoofTest, AWarpThatReadsOneWordTakesOneCycle) { EXPECT_EQ(SharedCyclesOf(32, 0, 4), 1); }
TEST(GpuRoofTest, WordsSideBySideTakeOneCycle) { EXPECT_EQ(SharedCyclesOf(32, 4, 4), 1); }
TEST(GpuRoofTest, SixteenBytesAThreadTakeFourCycles) { EXPECT_EQ(SharedCyclesOf(32, 16, 16), 4); }
TEST(GpuRoofTest, WordsOfOneBankWaitForEachOther) { EXPECT_EQ(SharedCyclesOf(32, 128, 4), 32); }
TEST(GpuRoofTest, EachWarpReadsForItself) { EXPECT_EQ(SharedCyclesOf(64, 0, 4), 2); }

TEST(GpuRoofTest, AWarpTakesAsLongAsItsBusiestThread) {
  const auto one_busy = [](size_t i, ThreadCounts& of) { of.multiply_adds = i == 5 ? 100 : 1; };
  EXPECT_NEAR(CyclesOf(Stretch(32, one_busy), kGpu).floats, 100 * 32 / 64.0, kNoise);
}

TEST(GpuRoofTest, FourSchedulersShareTheWarps) {
  const auto busy = [](size_t, ThreadCounts& of) { of.others = 10; };
  EXPECT_EQ(CyclesOf(Stretch(32, busy), kGpu).issue, 10);
  EXPECT_EQ(CyclesOf(Stretch(4 * 32, busy), kGpu).issue, 10);
  EXPECT_EQ(CyclesOf(Stretch(5 * 32, busy), kGpu).issue, 20);
}

TEST(GpuRoofTest, ASectorOfTheSecondCacheIsReadOnceAStretch) {
  const auto read = [](size_t i, ThreadCounts& of) { of.constants.push_back({i % 4 * 8, 8}); };
  BlockCounts counts = Stretch(64, read);
  EXPECT_EQ(CyclesOf(counts, kGpu).l2, 1);
  EXPECT_EQ(TotalsOf(counts).constant_bytes, 32);
  counts.push_back(counts[0]);
  EXPECT_EQ(CyclesOf(counts, kGpu).l2, 2);
}

TEST(GpuRoofTest, TheBusiestPartOfEachStretchCounts) {
  BlockCounts counts = Stretch(32, [](size_t, ThreadCounts& of) { of.multiply_adds = 200; });    // 200 to issue
  counts.push_back(Stretch(32, [](size_t, ThreadCounts& of) { of.double_divisions = 50; })[0]);  // 600
  const Cycles cycles = CyclesOf(counts, kGpu);
  EXPECT_NEAR(cycles.all, 200 + 600 + cycles.waits, kNoise);
}

}  // namespace
}  // namespace aaren::bench
