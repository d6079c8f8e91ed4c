#include "server/identity/accounts/rate_limit.h"

#include <gtest/gtest.h>

namespace aaren::identity {
namespace {

constexpr int64_t kSecond = 1'000'000'000, kStart = 50 * kSecond;

// How many of these may be taken at once.
int TakenAt(RateLimit& rate, int64_t now_ns) {
  int taken = 0;
  while (taken < 1'000'000 && rate.TryTake(now_ns)) ++taken;
  return taken;
}

TEST(RateLimitTest, AtFirstThereIsNone) {
  RateLimit rate;
  EXPECT_FALSE(rate.limited());
  rate.Charge(1'000'000, kStart);
  EXPECT_TRUE(rate.Admits(kStart));
  EXPECT_TRUE(rate.TryTake(kStart));
}

TEST(RateLimitTest, ASecondsWorthMayComeAtOnceAndNoMore) {
  for (const int per_second : {1, 3, 7, 10, 999}) {
    RateLimit rate;
    rate.Set(per_second);
    EXPECT_EQ(TakenAt(rate, kStart), per_second);
    EXPECT_NEAR(static_cast<double>(rate.WaitForOneNs(kStart)), 1e9 / per_second, 1e3);
  }
}

TEST(RateLimitTest, WhatIsGivenBackMayBeTakenAgain) {
  RateLimit rate;
  rate.Set(2);
  EXPECT_TRUE(rate.TryTake(0));
  EXPECT_TRUE(rate.TryTake(0));
  EXPECT_FALSE(rate.TryTake(0));
  rate.GiveBack();
  EXPECT_TRUE(rate.TryTake(0));
  EXPECT_FALSE(rate.TryTake(0));
}

TEST(RateLimitTest, FillsAtItsRate) {
  RateLimit rate;
  rate.Set(10);
  TakenAt(rate, kStart);
  EXPECT_EQ(TakenAt(rate, kStart + 3 * kSecond / 10), 3);
  EXPECT_EQ(TakenAt(rate, kStart + 100 * kSecond), 10);
}

TEST(RateLimitTest, LetsThroughWhatItSaysOverALongTime) {
  RateLimit rate;
  rate.Set(7);
  int taken = 0;
  for (int64_t now = kStart; now < kStart + 100 * kSecond; now += kSecond / 1000) taken += TakenAt(rate, now);
  EXPECT_NEAR(taken, 706, 1);
}

TEST(RateLimitTest, WhatIsOverdrawnIsWaitedFor) {
  RateLimit rate;
  rate.Set(10);
  rate.Charge(50, kStart);
  const int64_t wait = rate.WaitNs(kStart);
  EXPECT_NEAR(static_cast<double>(wait), 4e9, 10);
  EXPECT_FALSE(rate.Admits(kStart + wait - 1));
  EXPECT_TRUE(rate.Admits(kStart + wait));
}

TEST(RateLimitTest, AnotherRateHoldsFromNowOn) {
  RateLimit rate;
  rate.Set(10);
  TakenAt(rate, kStart);
  rate.Set(1000, kStart);
  EXPECT_EQ(TakenAt(rate, kStart + kSecond / 10), 100);
  rate.Set(0);
  EXPECT_TRUE(rate.Admits(kStart));
}

TEST(RateLimitTest, WhatWasOverdrawnAtAnotherRateIsNotOwed) {
  RateLimit rate;
  rate.Set(10);
  rate.Charge(100'000, kStart);
  rate.Set(10, kStart);
  EXPECT_FALSE(rate.Admits(kStart + kSecond));
  rate.Set(1000, kStart);
  EXPECT_TRUE(rate.Admits(kStart + 1));
}

}  // namespace
}  // namespace aaren::identity
