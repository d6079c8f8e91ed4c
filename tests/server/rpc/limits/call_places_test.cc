#include "server/rpc/limits/call_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/shard/world/world.h"

namespace aaren::rpc {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CallPlacesTest : public testing::Test {
 protected:
  explicit CallPlacesTest(bool lasting = false) : places_(8, clock_, lasting) {}

  // A call that waits for its client, unless told otherwise.
  bool Begin(const std::string& peer, bool waits = true) {
    CallPlaces::Place place = places_.Take(absl::StrCat("ipv4:", peer), [this, peer](CallPlaces::Why why) {
      (why == CallPlaces::Why::kStale ? stale_ : cancelled_).push_back(peer);
    });
    if (!place.taken()) return false;
    if (waits) place.BeginWaiting();
    held_.push_back(std::move(place));
    return true;
  }

  // So that all eight places are taken, by four connections of one host.
  void FillBy(const std::string& host, bool waits = true) {
    int port = 0;
    for (const int calls : {4, 2, 1, 1}) {
      ++port;
      for (int i = 0; i < calls; ++i) ASSERT_TRUE(Begin(absl::StrCat(host, ":", port), waits));
    }
    ASSERT_EQ(places_.size(), 8u);
  }

  shard::TestClock clock_;
  std::vector<std::string> cancelled_, stale_;  // peers of calls that lost their places
  CallPlaces places_;
  std::vector<CallPlaces::Place> held_;
};

class LastingCallsTest : public CallPlacesTest {
 protected:
  LastingCallsTest() : CallPlacesTest(true) {}
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

TEST_F(CallPlacesTest, OfTheHostThatHasMostTheCallThatWaitedLongestGivesWay) {
  FillBy("1.1.1.1");
  EXPECT_TRUE(Begin("2.2.2.2:1"));
  EXPECT_THAT(cancelled_, ElementsAre("1.1.1.1:1"));
  EXPECT_EQ(places_.size(), 8u);
}

// All but two are taken, so nobody has to give way to its first two.
TEST_F(CallPlacesTest, ConnectionHasItsShareBesideAHostThatHasNearlyAll) {
  for (const int port : {1, 1, 1, 1, 2, 2}) ASSERT_TRUE(Begin(absl::StrCat("1.1.1.1:", port)));
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(Begin("2.2.2.2:1")) << i;
  EXPECT_FALSE(Begin("2.2.2.2:1"));
  EXPECT_THAT(cancelled_, ElementsAre("1.1.1.1:1", "1.1.1.1:1"));
}

TEST_F(CallPlacesTest, AnotherHostFindsAPlaceHoweverOftenItComes) {
  FillBy("1.1.1.1");
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(Begin("2.2.2.2:1")) << i;
    held_.pop_back();
    ASSERT_TRUE(Begin(absl::StrCat("1.1.1.1:", 9 + i))) << i;
  }
}

TEST_F(CallPlacesTest, AnotherOfTheSameHostWaitsASecond) {
  FillBy("1.1.1.1");
  clock_.Advance(absl::Milliseconds(999));
  EXPECT_FALSE(Begin("1.1.1.1:9"));
  clock_.Advance(absl::Milliseconds(1));
  EXPECT_TRUE(Begin("1.1.1.1:9"));
  EXPECT_THAT(cancelled_, ElementsAre("1.1.1.1:1"));
}

TEST_F(CallPlacesTest, CallThatWaitsForNobodyDoesNotGiveWayToTheSameHost) {
  FillBy("1.1.1.1", /*waits=*/false);
  clock_.Advance(absl::Minutes(1));
  EXPECT_FALSE(Begin("1.1.1.1:9"));
}

TEST_F(CallPlacesTest, CallThatWaitsForNobodyDoesNotGiveWayToAnotherHost) {
  FillBy("1.1.1.1", /*waits=*/false);
  EXPECT_FALSE(Begin("2.2.2.2:1"));
}

// Slow uploads beside a host that asks again and again.
TEST_F(CallPlacesTest, HostThatHasMostTakesOnlyItsOwn) {
  ASSERT_TRUE(Begin("2.2.2.2:1"));
  for (const int port : {1, 1, 1, 1, 2, 3, 4}) ASSERT_TRUE(Begin(absl::StrCat("1.1.1.1:", port)));
  clock_.Advance(absl::Seconds(10));
  for (int i = 0; i < 7; ++i) ASSERT_TRUE(Begin(absl::StrCat("1.1.1.1:", 10 + i))) << i;
  EXPECT_FALSE(Begin("1.1.1.1:99"));
  EXPECT_THAT(cancelled_, testing::Each(testing::StartsWith("1.1.1.1:")));
}

// One slow upload beside a host that has all the rest, and somebody else asks.
TEST_F(CallPlacesTest, WhoHasWaitedLongestKeepsItsPlaceWhileAnotherHostHasMost) {
  ASSERT_TRUE(Begin("2.2.2.2:1"));
  clock_.Advance(absl::Seconds(10));
  for (const int port : {1, 1, 1, 1, 2, 3, 4}) ASSERT_TRUE(Begin(absl::StrCat("1.1.1.1:", port)));
  EXPECT_TRUE(Begin("3.3.3.3:1"));
  EXPECT_THAT(cancelled_, ElementsAre("1.1.1.1:1"));
}

TEST_F(CallPlacesTest, NobodyGivesWayWhileThereArePlaces) {
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(Begin("2.2.2.2:1"));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Begin("1.1.1.1:1")) << i;
  clock_.Advance(absl::Minutes(1));
  EXPECT_FALSE(Begin("1.1.1.1:1"));  // it has half of what is left
  EXPECT_THAT(cancelled_, IsEmpty());
}

TEST_F(LastingCallsTest, GiveWayToAnotherHostAFewTimesAMinute) {
  FillBy("1.1.1.1", /*waits=*/false);
  int gained = 0;
  for (int i = 0; i < 50; ++i) {
    if (!Begin("2.2.2.2:1")) continue;
    ++gained;
    held_.pop_back();
    ASSERT_TRUE(Begin(absl::StrCat("1.1.1.1:", 9 + i), /*waits=*/false));
  }
  EXPECT_EQ(gained, 10);
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
  ASSERT_TRUE(Begin("2.2.2.2:1"));
  held_.front().EndWaiting();
  held_.front().BeginWaiting();
  held_.clear();
  EXPECT_EQ(places_.size(), 0u);
}

}  // namespace
}  // namespace aaren::rpc
