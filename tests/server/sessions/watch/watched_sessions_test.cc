#include "server/sessions/watch/watched_sessions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace aaren::watch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const absl::Time kNow = absl::FromUnixSeconds(1'000'000);
const absl::Time kEnd = kNow + absl::Hours(1);

Sighting Seen(uint64_t seq, float value, task::Expected next = {}) {
  return {.seq = seq, .channel = 0, .value = value, .surprise = kNone, .next = next};
}

class WatchedSessionsTest : public testing::Test {
 protected:
  WatchedSessionsTest() { EXPECT_TRUE(watched_.Watch("acme/a", kNow, kEnd).ok()); }

  std::vector<std::string> Keys(absl::Time now) {
    std::vector<std::string> keys;
    for (const WatchedSession& session : watched_.List(now)) keys.push_back(session.key);
    return keys;
  }
  WatchedChannel Only() {
    const std::vector<WatchedSession> sessions = watched_.List(kNow);
    EXPECT_EQ(sessions.size(), 1u);
    EXPECT_EQ(sessions[0].channels.size(), 1u);
    return sessions[0].channels[0];
  }

  WatchedSessions watched_;
};

TEST_F(WatchedSessionsTest, OneThatIsNotNamedIsNotNoted) {
  watched_.Note("acme/b", {Seen(0, 1)});
  EXPECT_THAT(Keys(kNow), ElementsAre("acme/a"));
  EXPECT_EQ(watched_.List(kNow)[0].tokens, 0u);
}

TEST_F(WatchedSessionsTest, NobodyIsAskedForWhileNoneIsWatched) {
  EXPECT_TRUE(watched_.Watches("acme/a"));
  watched_.Unwatch("acme/a");
  EXPECT_FALSE(watched_.Watches("acme/a"));
}

TEST_F(WatchedSessionsTest, OneIsForgottenAtItsEnd) {
  EXPECT_THAT(Keys(kEnd - absl::Nanoseconds(1)), ElementsAre("acme/a"));
  EXPECT_TRUE(Keys(kEnd).empty());
  EXPECT_FALSE(watched_.Watches("acme/a"));
}

TEST_F(WatchedSessionsTest, OneThatIsNamedAgainStaysLongerAndKeepsItsNumbers) {
  watched_.Note("acme/a", {Seen(0, 1)});
  EXPECT_TRUE(watched_.Watch("acme/a", kNow, kEnd + absl::Hours(1)).ok());
  EXPECT_THAT(Keys(kEnd), ElementsAre("acme/a"));
  EXPECT_EQ(watched_.List(kEnd)[0].tokens, 1u);
}

TEST_F(WatchedSessionsTest, ThereIsNoRoomForMoreThanSixteen) {
  for (int i = 1; i < 16; ++i) EXPECT_TRUE(watched_.Watch("b/" + std::to_string(i), kNow, kEnd).ok());
  const absl::Status status = watched_.Watch("b/16", kNow, kEnd);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("16 sessions"));
  EXPECT_TRUE(watched_.Watch("b/1", kNow, kEnd).ok());                    // already watched
  EXPECT_TRUE(watched_.Watch("b/16", kEnd, kEnd + absl::Hours(1)).ok());  // the rest has ended
}

TEST_F(WatchedSessionsTest, TheNewestTokenIsTheOneThatIsTold) {
  watched_.Note("acme/a", {Seen(7, 1), Seen(8, 2, {.low = 1, .middle = 3, .high = 5})});
  const WatchedChannel channel = Only();
  EXPECT_EQ(channel.value, 2);
  EXPECT_EQ(channel.next.high, 5);
  EXPECT_EQ(watched_.List(kNow)[0].next_seq, 9u);
  EXPECT_EQ(watched_.List(kNow)[0].tokens, 2u);
}

TEST_F(WatchedSessionsTest, AForecastIsHeldAgainstTheNextValueBesideTheLastOne) {
  watched_.Note("acme/a", {Seen(0, 10, {.low = 10, .middle = 12, .high = 14})});
  watched_.Note("acme/a", {Seen(1, 13, {.low = 10, .middle = 12, .high = 14}), Seen(2, 15)});
  const WatchedChannel channel = Only();
  EXPECT_EQ(channel.judged, 2u);
  EXPECT_EQ(channel.outside, 1u);              // 15
  EXPECT_EQ(channel.error, 1 + 3);             // 13 - 12, 15 - 12
  EXPECT_EQ(channel.last_value_error, 3 + 2);  // 13 - 10, 15 - 13
}

TEST_F(WatchedSessionsTest, AValueOnTheEdgeOfItsIntervalIsInside) {
  watched_.Note("acme/a", {Seen(0, 1, {.low = 1, .middle = 2, .high = 3}), Seen(1, 3)});
  EXPECT_EQ(Only().outside, 0u);
}

TEST_F(WatchedSessionsTest, WhatHasNoForecastOrNoValueIsNotJudged) {
  const task::Expected next{.low = 1, .middle = 2, .high = 3};
  watched_.Note("acme/a", {Seen(0, 1), Seen(1, 2, next), Seen(2, kNone, next), Seen(3, 4)});
  EXPECT_EQ(Only().judged, 0u);
}

TEST_F(WatchedSessionsTest, ASessionThatWentBackIsNotJudgedByAForecastOfLater) {
  const task::Expected next{.low = 1, .middle = 2, .high = 3};
  watched_.Note("acme/a", {Seen(5, 1, next)});
  watched_.Note("acme/a", {Seen(3, 9)});
  EXPECT_EQ(Only().judged, 0u);
  EXPECT_EQ(watched_.List(kNow)[0].next_seq, 4u);
}

TEST_F(WatchedSessionsTest, ChannelsBeyondTheFirstEightAreLeftOut) {
  std::vector<Sighting> sightings;
  for (uint32_t channel = 0; channel < 20; ++channel) sightings.push_back({.seq = 0, .channel = channel, .value = 1});
  watched_.Note("acme/a", sightings);
  EXPECT_EQ(watched_.List(kNow)[0].channels.size(), 8u);
}

}  // namespace
}  // namespace aaren::watch
