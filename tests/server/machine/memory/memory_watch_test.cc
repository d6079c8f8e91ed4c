#include "server/machine/memory/memory_watch.h"

#include <gtest/gtest.h>

namespace aaren::memory {
namespace {

class MemoryWatchTest : public testing::Test {
 protected:
  // A look 5 ms after the last.
  bool Grows(size_t excess) {
    excess_ = excess;
    return watch_.Grows(now_ += absl::Milliseconds(5));
  }

  size_t excess_ = 0;
  absl::Time now_ = absl::UnixEpoch();
  MemoryWatch watch_{[this] { return excess_; }};
};

TEST_F(MemoryWatchTest, MemoryThatIsNotShortDoesNotGrow) {
  EXPECT_FALSE(Grows(0));
  EXPECT_FALSE(watch_.is_short());
}

TEST_F(MemoryWatchTest, ALittleIsNobodysFault) {
  EXPECT_FALSE(Grows(2 << 20));
  EXPECT_TRUE(watch_.is_short());
}

TEST_F(MemoryWatchTest, GrowthCountsFromTheLastGrowth) {
  EXPECT_TRUE(Grows(3 << 20));
  EXPECT_FALSE(Grows(3 << 20));
  EXPECT_FALSE(Grows(5 << 20));
  EXPECT_TRUE(Grows((5 << 20) + 1));
}

TEST_F(MemoryWatchTest, GrowthCountsFromTheLeastExcess) {
  EXPECT_TRUE(Grows(30 << 20));
  EXPECT_FALSE(Grows(10 << 20));
  EXPECT_TRUE(Grows(13 << 20));
}

TEST_F(MemoryWatchTest, MeasuresEveryFiveMilliseconds) {
  EXPECT_FALSE(Grows(0));
  excess_ = 30 << 20;
  EXPECT_FALSE(watch_.Grows(now_ + absl::Milliseconds(4)));
  EXPECT_TRUE(watch_.Grows(now_ + absl::Milliseconds(5)));
}

}  // namespace
}  // namespace aaren::memory
