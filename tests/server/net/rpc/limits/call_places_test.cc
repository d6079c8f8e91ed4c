#include "server/net/rpc/limits/call_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "absl/time/time.h"
#include "tests/server/sessions/shard/world/world.h"

namespace aaren::rpc {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CallPlacesTest : public testing::Test {
 protected:
  // A call that waits for its client.
  bool Begin(int call, size_t bytes = 0) {
    CallPlaces::Place place = places_.Take(
        [this, call](CallPlaces::Why why) { (why == CallPlaces::Why::kStale ? stale_ : gave_way_).push_back(call); });
    if (!place.taken()) return false;
    if (bytes > 0) place.BeginWaiting(bytes);
    held_.push_back(std::move(place));
    return true;
  }

  // Takes all places.
  void Fill() {
    for (int call = 0; call < 3; ++call) ASSERT_TRUE(Begin(call)) << call;
  }

  shard::TestClock clock_;
  std::vector<int> gave_way_, stale_;  // calls without a place any more
  CallPlaces places_{3, clock_};
  std::vector<CallPlaces::Place> held_;
};

TEST_F(CallPlacesTest, PlaceIsThereAgainWhenItsCallHasGone) {
  Fill();
  EXPECT_FALSE(Begin(3));
  held_.pop_back();
  EXPECT_TRUE(Begin(3));
  EXPECT_THAT(gave_way_, IsEmpty());
}

TEST_F(CallPlacesTest, CallThatHasWaitedLongestGivesWayAfterASecond) {
  Fill();
  clock_.Advance(absl::Milliseconds(999));
  EXPECT_FALSE(Begin(3));
  clock_.Advance(absl::Milliseconds(1));
  EXPECT_TRUE(Begin(3));
  EXPECT_THAT(gave_way_, ElementsAre(0));
}

TEST_F(CallPlacesTest, WithoutPatienceTheOldestGivesWayAtOnce) {
  CallPlaces places(1, clock_, absl::ZeroDuration());
  const CallPlaces::Place first = places.Take([this](CallPlaces::Why) { gave_way_.push_back(0); });
  const CallPlaces::Place second = places.Take([this](CallPlaces::Why) { gave_way_.push_back(1); });
  EXPECT_THAT(gave_way_, ElementsAre(0));
  EXPECT_FALSE(first.taken());
  EXPECT_TRUE(second.taken());
}

TEST_F(CallPlacesTest, CallThatDoesNotWaitForItsClientKeepsItsPlace) {
  Fill();
  for (CallPlaces::Place& place : held_) place.EndWaiting();
  clock_.Advance(absl::Minutes(1));
  EXPECT_FALSE(Begin(3));
}

TEST_F(CallPlacesTest, NobodyGivesWayWhileThereArePlaces) {
  for (int call = 0; call < 2; ++call) ASSERT_TRUE(Begin(call));
  clock_.Advance(absl::Minutes(1));
  EXPECT_TRUE(Begin(2));
  EXPECT_THAT(gave_way_, IsEmpty());
}

// Calls that come again and again wait behind the oldest: each finds a place a second after the call before.
TEST_F(CallPlacesTest, PlacesGoRoundAmongCallsThatWait) {
  Fill();
  for (int call = 3; call < 20; ++call) {
    clock_.Advance(absl::Seconds(1));
    ASSERT_TRUE(Begin(call)) << call;
  }
  EXPECT_EQ(places_.size(), 3u);
}

TEST_F(CallPlacesTest, RoomIsMadeByTheLongestThatHoldBytes) {
  ASSERT_TRUE(Begin(0) && Begin(1, /*bytes=*/100) && Begin(2, /*bytes=*/100));
  clock_.Advance(absl::Seconds(1));
  EXPECT_TRUE(places_.MakeRoom(50));
  EXPECT_THAT(gave_way_, ElementsAre(1));
  EXPECT_FALSE(places_.MakeRoom(101));
  EXPECT_EQ(places_.size(), 2u);
}

TEST_F(CallPlacesTest, WhoWaitsNoMoreIsNotStale) {
  Fill();
  held_.front().EndWaiting();
  clock_.Advance(absl::Minutes(1));
  places_.EndStale(clock_.Now());
  EXPECT_THAT(stale_, ElementsAre(1, 2));
}

TEST_F(CallPlacesTest, OnlyThoseThatHaveWaitedSoLongAreStale) {
  ASSERT_TRUE(Begin(0));
  clock_.Advance(absl::Seconds(2));
  ASSERT_TRUE(Begin(1));
  places_.EndStale(clock_.Now() - absl::Seconds(1));
  EXPECT_THAT(stale_, ElementsAre(0));
}

TEST_F(CallPlacesTest, CallThatGaveWayMayStillWaitAndGo) {
  Fill();
  clock_.Advance(absl::Seconds(1));
  ASSERT_TRUE(Begin(3));
  held_.front().EndWaiting();
  held_.front().BeginWaiting();
  held_.clear();
  EXPECT_EQ(places_.size(), 0u);
}

}  // namespace
}  // namespace aaren::rpc
