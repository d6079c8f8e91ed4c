#include "tests/bench/attention/memory_copy.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "hwy/aligned_allocator.h"

namespace aaren::bench {
namespace {

using Copy = void (*)(const float* from, float* to, int64_t count);

// Every number arrives and none beyond, for counts that lines and threads do not divide.
void ExpectCopies(Copy copy) {
  at::set_num_threads(2);
  for (const int64_t count : {1, 15, 16, 17, 1000, 12345}) {
    std::vector<float> from(count);
    std::iota(from.begin(), from.end(), 1.0f);
    const hwy::AlignedFreeUniquePtr<float[]> to = hwy::AllocateAligned<float>(count + 1);
    std::fill_n(to.get(), count + 1, -1.0f);
    copy(from.data(), to.get(), count);
    EXPECT_EQ(std::vector<float>(to.get(), to.get() + count), from);
    EXPECT_EQ(to[count], -1.0f);
  }
}

TEST(MemoryCopyTest, StretchesCoverTheBuffer) { ExpectCopies(CopyInStretches); }

TEST(MemoryCopyTest, StreamedStretchesCoverTheBuffer) { ExpectCopies(StreamInStretches); }

}  // namespace
}  // namespace aaren::bench
