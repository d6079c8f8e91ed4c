#include "server/net/accept/placement.h"

#include <gtest/gtest.h>

#include <vector>

#include "absl/time/time.h"

namespace aaren::accept {
namespace {

class PlacementTest : public testing::Test {
 protected:
  PlacementTest() { Pass(0, 0); }

  // A second passes, with a part of work for each shard.
  void Pass(double first, double second) {
    now_ += absl::Seconds(1);
    busy_ns_[0] += static_cast<int64_t>(first * 1e9);
    busy_ns_[1] += static_cast<int64_t>(second * 1e9);
    placement_.Look(busy_ns_, now_);
  }
  size_t Choose(std::vector<size_t> connections) { return placement_.Choose(connections); }

  absl::Time now_ = absl::UnixEpoch();
  std::vector<int64_t> busy_ns_ = {0, 0};
  Placement placement_{/*shards=*/2};
};

TEST_F(PlacementTest, ConnectionGoesToTheLeastBusyHoweverManyAreIdleThere) {
  Pass(0.9, 0.1);
  EXPECT_EQ(Choose({10, 5000}), 1u);
}

TEST_F(PlacementTest, BetweenThoseWhoAreAsBusyTheFewestConnectionsDecide) {
  Pass(0.31, 0.29);
  EXPECT_EQ(Choose({8, 7}), 1u);
}

TEST_F(PlacementTest, TwoThatComeTogetherGoToTwoShards) {
  EXPECT_EQ(Choose({4900, 5001}), 0u);
  EXPECT_EQ(Choose({4901, 5001}), 1u);
}

TEST_F(PlacementTest, ThousandThatComeTogetherAreHalvedButForWhatOneIsBusy) {
  Pass(1.0, 0.0);
  std::vector<size_t> connections = {0, 0};
  for (int i = 0; i < 1000; ++i) ++connections[Choose(connections)];
  EXPECT_NEAR(static_cast<double>(connections[0]), 500, 3);
}

TEST_F(PlacementTest, NewConnectionCountsForASecondOrTwo) {
  EXPECT_EQ(Choose({0, 0}), 0u);
  Pass(0, 0);
  EXPECT_EQ(Choose({1, 9}), 1u);
  Pass(0, 0);
  EXPECT_EQ(Choose({1, 9}), 0u);
}

TEST_F(PlacementTest, WhatAShardWasBusyLongAgoDoesNotCount) {
  Pass(1.0, 0.0);
  Pass(0.0, 0.0);
  EXPECT_EQ(Choose({0, 0}), 0u);
}

TEST_F(PlacementTest, IsBusyOnceAShardHasWorkForAHundredthOfItsTime) {
  Pass(0.005, 0.0);
  EXPECT_FALSE(placement_.busy());
  Pass(0.0, 0.02);
  EXPECT_TRUE(placement_.busy());
}

}  // namespace
}  // namespace aaren::accept
