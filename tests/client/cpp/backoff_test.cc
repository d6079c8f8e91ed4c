#include "client/cpp/stream/backoff.h"

#include <gtest/gtest.h>

namespace aaren::client {
namespace {

constexpr BackoffOptions kOptions = {
    .initial = absl::Milliseconds(100), .max = absl::Milliseconds(350), .multiplier = 2, .jitter = 0.5};

TEST(BackoffTest, GrowsToItsMaximum) {
  Backoff backoff(kOptions, [] { return 0.5; });
  EXPECT_EQ(backoff.Next(), absl::Milliseconds(100));
  EXPECT_EQ(backoff.Next(), absl::Milliseconds(200));
  EXPECT_EQ(backoff.Next(), absl::Milliseconds(350));
  EXPECT_EQ(backoff.Next(), absl::Milliseconds(350));
}

TEST(BackoffTest, SpreadsEachWaitByItsJitter) {
  double random = 0;
  Backoff backoff(kOptions, [&] { return random; });
  EXPECT_EQ(backoff.Next(), absl::Milliseconds(50));
  random = 0.75;
  EXPECT_EQ(backoff.Next(), absl::Milliseconds(250));
}

TEST(BackoffTest, BeginsAgainAfterReset) {
  Backoff backoff(kOptions, [] { return 0.5; });
  backoff.Next();
  backoff.Next();
  backoff.Reset();
  EXPECT_EQ(backoff.Next(), absl::Milliseconds(100));
}

}  // namespace
}  // namespace aaren::client
