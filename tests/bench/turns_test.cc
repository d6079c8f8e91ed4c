#include "tests/bench/turns.h"

#include <gtest/gtest.h>

#include <string>

namespace aaren::bench {
namespace {

TEST(TurnsTest, PiecesTakeTurnsAfterOneWarmUpEach) {
  std::string order;
  TimeInTurns({[&] { order += 'a'; }, [&] { order += 'b'; }}, {.runs = 3, .seconds = 0, .slow = 1e9});
  EXPECT_EQ(order,
            "ab"
            "ab"
            "ab"
            "ab");
}

TEST(TurnsTest, SlowPieceRunsOnceWhileOthersGoOn) {
  std::string order;
  TimeInTurns({[&] { order += 'a'; }}, {.runs = 3, .seconds = 0, .slow = 0});
  EXPECT_EQ(order, "a");
}

TEST(TurnsTest, BestRunCounts) {
  int runs = 0;
  const auto work = [&runs] {
    volatile double sink = 0;
    const int rounds = ++runs == 3 ? 1'000 : 10'000'000;
    for (int i = 0; i < rounds; ++i) sink = sink + i;
  };
  EXPECT_LT(TimeInTurns({work}, {.runs = 3, .seconds = 0, .slow = 1e9})[0], 1e-3);
}

TEST(MedianTest, IsTheUpperOfTwo) {
  EXPECT_EQ(Median({3, 1, 2}), 2);
  EXPECT_EQ(Median({4, 1, 3, 2}), 3);
}

}  // namespace
}  // namespace aaren::bench
