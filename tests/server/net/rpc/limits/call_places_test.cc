#include "server/net/rpc/limits/call_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/sessions/shard/world/world.h"

namespace aaren::rpc {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CallPlacesTest : public testing::Test {
 protected:
  // A call waiting for its client, unless told otherwise.
  bool Begin(const std::string& peer, bool waits = true) {
    CallPlaces::Place place = places_.Take(absl::StrCat("ipv4:", peer), [this, peer](CallPlaces::Why why) {
      (why == CallPlaces::Why::kStale ? stale_ : cancelled_).push_back(peer);
    });
    if (!place.taken()) return false;
    if (waits) place.BeginWaiting();
    held_.push_back(std::move(place));
    return true;
  }

  // Takes all eight places, by four connections of a host.
  void FillBy(const std::string& host, bool waits = true) {
    int port = 0;
    for (const int calls : {4, 2, 1, 1}) {
      ++port;
      for (int i = 0; i < calls; ++i) ASSERT_TRUE(Begin(absl::StrCat(host, ":", port), waits));
    }
    ASSERT_EQ(places_.size(), 8u);
  }

  shard::TestClock clock_;
  std::vector<std::string> cancelled_, stale_;  // peers of calls without a place any more
  CallPlaces places_{8, clock_};
  std::vector<CallPlaces::Place> held_;
};

TEST_F(CallPlacesTest, OneConnectionHasHalfOfThem) {
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(Begin("1.1.1.1:1")) << i;
  EXPECT_FALSE(Begin("1.1.1.1:1"));
  EXPECT_TRUE(Begin("1.1.1.1:2"));
}

TEST_F(CallPlacesTest, OthersHaveHalfOfWhatIsLeft) {
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(Begin("1.1.1.1:1"));
  EXPECT_TRUE(Begin("1.1.1.1:2"));
  EXPECT_TRUE(Begin("1.1.1.1:2"));
  EXPECT_FALSE(Begin("1.1.1.1:2"));
  EXPECT_THAT(cancelled_, IsEmpty());
}

TEST_F(CallPlacesTest, PlaceIsThereAgainWhenItsCallHasGone) {
  FillBy("1.1.1.1");
  EXPECT_FALSE(Begin("1.1.1.1:5"));
  held_.pop_back();
  EXPECT_TRUE(Begin("1.1.1.1:5"));
  EXPECT_THAT(cancelled_, IsEmpty());
}

TEST_F(CallPlacesTest, CallThatHasWaitedLongestGivesWayAfterASecond) {
  FillBy("1.1.1.1");
  clock_.Advance(absl::Milliseconds(999));
  EXPECT_FALSE(Begin("1.1.1.1:9"));
  clock_.Advance(absl::Milliseconds(1));
  EXPECT_TRUE(Begin("1.1.1.1:9"));
  EXPECT_THAT(cancelled_, ElementsAre("1.1.1.1:1"));
}

TEST_F(CallPlacesTest, WithoutPatienceTheOldestGivesWayAtOnceAndIsCountedUntilItHasGone) {
  CallPlaces places(1, clock_, absl::ZeroDuration());
  CallPlaces::Place first = places.Take("", [this](CallPlaces::Why) { cancelled_.push_back("first"); });
  first.BeginWaiting();
  const CallPlaces::Place second = places.Take("", [this](CallPlaces::Why) { cancelled_.push_back("second"); });
  EXPECT_THAT(cancelled_, ElementsAre("first"));
  EXPECT_EQ(places.lost(), 1u);
  first = {};
  EXPECT_EQ(places.lost(), 0u);
  EXPECT_EQ(places.size(), 1u);
}

TEST_F(CallPlacesTest, PeerWithoutANameMayHaveAll) {
  std::vector<CallPlaces::Place> held;
  for (int i = 0; i < 8; ++i) held.push_back(places_.Take("", [](CallPlaces::Why) {}));
  EXPECT_TRUE(held.back().taken());
}

TEST_F(CallPlacesTest, CallThatDoesNotWaitForItsClientKeepsItsPlace) {
  FillBy("1.1.1.1", /*waits=*/false);
  clock_.Advance(absl::Minutes(1));
  EXPECT_FALSE(Begin("1.1.1.1:9"));
}

TEST_F(CallPlacesTest, NobodyGivesWayWhileThereArePlaces) {
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(Begin("2.2.2.2:1"));
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(Begin("1.1.1.1:1")) << i;
  clock_.Advance(absl::Minutes(1));
  EXPECT_FALSE(Begin("1.1.1.1:1"));  // the connection has half of the free places
  EXPECT_THAT(cancelled_, IsEmpty());
}

// Calls that come again and again wait behind the oldest: each finds a place a second after the call before.
TEST_F(CallPlacesTest, PlacesGoRoundAmongCallsThatWait) {
  FillBy("1.1.1.1");
  for (int i = 0; i < 20; ++i) {
    clock_.Advance(absl::Seconds(1));
    ASSERT_TRUE(Begin(absl::StrCat("2.2.2.2:", i))) << i;
  }
  EXPECT_EQ(places_.size(), 8u);
}

TEST_F(CallPlacesTest, WhoWaitsNoMoreIsNotStale) {
  ASSERT_TRUE(Begin("1.1.1.1:1"));
  ASSERT_TRUE(Begin("1.1.1.1:2"));
  held_.front().EndWaiting();
  clock_.Advance(absl::Minutes(1));
  places_.EndStale(clock_.Now());
  EXPECT_THAT(stale_, ElementsAre("1.1.1.1:2"));
}

TEST_F(CallPlacesTest, OnlyThoseThatHaveWaitedSoLongAreStale) {
  ASSERT_TRUE(Begin("1.1.1.1:1"));
  clock_.Advance(absl::Seconds(2));
  ASSERT_TRUE(Begin("1.1.1.1:2"));
  places_.EndStale(clock_.Now() - absl::Seconds(1));
  EXPECT_THAT(stale_, ElementsAre("1.1.1.1:1"));
}

TEST_F(CallPlacesTest, CallThatWasCancelledMayStillWaitAndGo) {
  FillBy("1.1.1.1");
  clock_.Advance(absl::Seconds(1));
  ASSERT_TRUE(Begin("2.2.2.2:1"));
  held_.front().EndWaiting();
  held_.front().BeginWaiting();
  held_.clear();
  EXPECT_EQ(places_.size(), 0u);
}

}  // namespace
}  // namespace aaren::rpc
