// A full slab sends a resting session to the store, or refuses the Open.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/server/sessions/shard/world/world.h"

namespace aaren::shard {
namespace {

using ::testing::HasSubstr;
using Event = FakePeer::Event;

TEST(EvictTest, SendsTheLeastRecentlyUsedDetachedSessionToTheStore) {
  World world(ShardOptions{.capacity_rows = 2, .save_interval = kInterval});
  Visit(world, "old");
  Visit(world, "young");
  FakePeer peer;
  world.Open(peer, 0, Named("new"));
  EXPECT_EQ(peer.Last().kind, Event::kOpened);
  EXPECT_FALSE(world.Get("old").value.resident);
  EXPECT_TRUE(world.Get("young").value.resident);
  EXPECT_EQ(world.shard().counters().sessions_evicted.value(), 1);
}

TEST(EvictTest, BringsASessionBackExactly) {
  World world(ShardOptions{.capacity_rows = 1, .save_interval = kInterval});
  Visit(world, "a");
  Visit(world, "b");
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  EXPECT_FALSE(peer.Last().opened.created);
  EXPECT_EQ(peer.Last().opened.next_seq, 5);
  world.Send(peer, 0, 5, Values(5, 3));
  EXPECT_EQ(peer.Forecasts(0)[2], world.engine().Forecasts(Values(0, 8))[7]);
}

TEST(EvictTest, NeverTakesAnAttachedSessionThatIsNotSaved) {
  World world(ShardOptions{.capacity_rows = 2, .save_interval = kInterval});
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  world.Open(peer, 1, Named("b"));
  for (session::Handle handle = 0; handle < 2; ++handle) world.Send(peer, handle, 0, Values(0, 1));
  world.Open(peer, 2, Named("c"));
  const session::Refusal& refusal = peer.Last().refusal;
  EXPECT_EQ(refusal.status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refusal.status.message()), HasSubstr("2"));
  EXPECT_FALSE(refusal.quota.empty());
  EXPECT_TRUE(refusal.retry_after.has_value());
  world.shard().Close(peer, 0, false, std::nullopt);
  world.Advance(kInterval);
  world.Open(peer, 2, Named("c"));
  EXPECT_EQ(peer.Last().kind, Event::kOpened);
}

TEST(EvictTest, NeverTakesASessionThatIsNotSaved) {
  World world(ShardOptions{.capacity_rows = 1, .save_interval = kInterval});
  FakePeer peer, other;
  world.Open(peer, 0, Named("a"));
  world.Send(peer, 0, 0, Values(0, 3));
  world.shard().Disconnect(peer);
  world.Open(other, 0, Named("b"));
  EXPECT_EQ(other.Last().refusal.status.code(), absl::StatusCode::kResourceExhausted);
  world.Advance(absl::ZeroDuration());
  world.Open(other, 0, Named("b"));
  EXPECT_EQ(other.Last().kind, Event::kOpened);
}

TEST(EvictTest, DoesNotHappenWithoutSaving) {
  World world(ShardOptions{.capacity_rows = 1, .save_interval = absl::ZeroDuration()});
  Visit(world, "a");
  FakePeer peer;
  world.Open(peer, 0, Named("b"));
  EXPECT_EQ(peer.Last().refusal.status.code(), absl::StatusCode::kResourceExhausted);
  world.Open(peer, 1, Named("a"));
  EXPECT_EQ(peer.Last().opened.next_seq, 5);
}

TEST(EvictTest, MakesRoomForAllChannelsOrNone) {
  World world(ShardOptions{.capacity_rows = 3, .save_interval = kInterval});
  Visit(world, "a");
  Visit(world, "b");
  FakePeer peer;
  session::OpenRequest request = Named("wide");
  request.channels = 4;
  world.Open(peer, 0, request);
  EXPECT_EQ(peer.Last().refusal.status.code(), absl::StatusCode::kResourceExhausted);
  request.channels = 3;
  world.Open(peer, 1, request);
  EXPECT_EQ(peer.Last().kind, Event::kOpened);
  EXPECT_EQ(world.shard().counters().slots_used.value(), 3);
}

TEST(EvictTest, NobodyLeavesForASessionThatCanNeverFit) {
  World world(ShardOptions{.capacity_rows = 2, .save_interval = kInterval});
  Visit(world, "a");
  Visit(world, "b");
  FakePeer peer;
  session::OpenRequest request = Named("wide");
  request.channels = 3;
  world.Open(peer, 0, request);
  EXPECT_EQ(peer.Last().refusal.status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_FALSE(peer.Last().refusal.retry_after.has_value());
  EXPECT_THAT(std::string(peer.Last().refusal.status.message()), HasSubstr("3 channels"));
  EXPECT_EQ(world.shard().counters().sessions_evicted.value(), 0);
}

TEST(EvictTest, SparesTheRowsOfOtherModels) {
  World world(ShardOptions{.capacity_rows = 1, .save_interval = kInterval});
  Visit(world, "a");
  FakePeer peer;
  session::OpenRequest request = Named("b");
  request.model = "other:1";
  world.Open(peer, 0, request);
  EXPECT_EQ(peer.Last().kind, Event::kOpened);
  EXPECT_TRUE(world.Get("a").value.resident);
}

TEST(EvictTest, ManySessionsThroughFewRowsStayExact) {
  World world(ShardOptions{.capacity_rows = 3, .save_interval = kInterval});
  const auto expected = world.engine().Forecasts(Values(0, 4));
  for (uint64_t round = 0; round < 4; ++round) {
    for (int i = 0; i < 10; ++i) {
      FakePeer peer;
      world.Open(peer, 0, Named(absl::StrCat("s", i)));
      ASSERT_EQ(peer.Last().opened.next_seq, round);
      world.Send(peer, 0, round, Values(round, 1));
      EXPECT_EQ(peer.Forecasts(0)[0], expected[round]);
      world.shard().Disconnect(peer);
      world.Advance(kInterval);
    }
  }
  EXPECT_LE(world.shard().counters().slots_used.value(), 3);
}

// Shard 1 is about to take "a" from shard 0 and has set a row aside, when shard 0 gives the row of "a" to "b".
TEST(EvictTest, OfASessionThatAnOpenIsAboutToTakeBeginsTheOpenAnew) {
  World world(ShardOptions{.capacity_rows = 1, .save_interval = kInterval}, 2);
  Visit(world, "a");
  FakePeer peer, other;
  world.shard(1).Open(peer, 0, Named("a"));
  while (!world.shard(0).DrainMailbox()) {  // until shard 0 gets the registrar's question about "a"
  }
  world.shard(0).Open(other, 0, Named("b"));
  while (world.shard(0).counters().sessions_evicted.value() == 0) world.shard(0).DrainMailbox();
  world.Settle();
  EXPECT_EQ(other.Last().kind, Event::kOpened);
  EXPECT_EQ(peer.Last().opened.next_seq, 5);
  world.Send(peer, 0, 5, Values(5, 1), std::nullopt, 1);
  EXPECT_EQ(peer.Forecasts(0)[0], world.engine().Forecasts(Values(0, 6))[5]);
}

// The stream is gone and the save comes back while tokens wait: the session rests and may be evicted.
TEST(EvictTest, OfASessionThatWasCutWithTokensWaitingLeavesNothingBehind) {
  World world(ShardOptions{.capacity_rows = 1, .save_interval = kInterval});
  FakePeer peer, other;
  world.Open(peer, 0, Named("a"));
  world.Send(peer, 0, 0, Values(0, 2));
  const std::vector<float> values = Values(2, 1000);
  session::TokensView tokens;
  tokens.first_seq = 2;
  tokens.values = values;
  world.shard().Tokens(peer, tokens);
  world.shard().Disconnect(peer);
  world.Advance(kInterval);
  world.Open(other, 0, Named("b"));
  EXPECT_EQ(other.Last().kind, Event::kOpened);
  EXPECT_EQ(world.shard().Step(), 0);
  EXPECT_EQ(world.shard().counters().queued_tokens.value(), 0);
}

}  // namespace
}  // namespace aaren::shard
