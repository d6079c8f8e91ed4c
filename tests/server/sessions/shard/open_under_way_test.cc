// Unanswered Opens, and the messages sent behind the Opens.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/server/sessions/shard/world/world.h"

namespace aaren::shard {
namespace {

using Event = FakePeer::Event;

TEST(OpenTest, KeepsTokensThatArriveBeforeItIsAnsweredInOrder) {
  World world;
  FakePeer peer;
  world.shard().Open(peer, 0, Named("a"));
  for (uint64_t seq = 0; seq < 4; ++seq) {
    const std::vector<float> values = Values(seq, 1);
    session::TokensView tokens;
    tokens.first_seq = seq;
    tokens.values = values;
    world.shard().Tokens(peer, tokens);
  }
  EXPECT_TRUE(peer.events.empty());
  world.Settle();
  EXPECT_EQ(peer.events[0].kind, Event::kOpened);
  EXPECT_EQ(peer.Forecasts(0), world.engine().Forecasts(Values(0, 4)));
}

TEST(OpenTest, HoldsTokensSentBeforeItIsAnsweredToTheLimitInFlight) {
  World world(ShardOptions{.max_in_flight_tokens = 5});
  FakePeer peer;
  world.shard().Open(peer, 0, Named("a", 0));
  for (uint64_t seq = 0; seq < 9; seq += 3) {
    const std::vector<float> values = Values(seq, 3);
    session::TokensView tokens;
    tokens.first_seq = seq;
    tokens.values = values;
    world.shard().Tokens(peer, tokens);
  }
  world.Settle();
  EXPECT_EQ(peer.Forecasts(0).size(), 3);
  EXPECT_EQ(peer.Last().refusal.status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(peer.Last().expected_seq, 3);
  world.Send(peer, 0, 3, Values(3, 3), 3);
  EXPECT_EQ(peer.Forecasts(0), world.engine().Forecasts(Values(0, 6)));
}

// Empty items too are something to hold.
TEST(OpenTest, HoldsAPartOfTheQueueOfWhatIsSentBehindIt) {
  World world(ShardOptions{.max_queued_bytes = 100'000});
  FakePeer peer;
  world.shard().Open(peer, 0, Named("a"));
  int items = 0;
  for (; items < 10'000 && world.shard().AdmitsTokens(peer, 0); ++items)
    world.shard().Tokens(peer, session::TokensView());
  EXPECT_LT(items, 1'000);
  world.Settle();
  EXPECT_TRUE(world.shard().AdmitsTokens(peer, 0));
}

TEST(OpenTest, ThatIsRefusedDropsTheTokensSentWithIt) {
  World world;
  FakePeer peer;
  world.shard().Open(peer, 0, InMode(session::OpenMode::kResume));
  const std::vector<float> values = Values(0, 3);
  session::TokensView tokens;
  tokens.values = values;
  world.shard().Tokens(peer, tokens);
  world.Settle();
  world.Send(peer, 0, 3, Values(3, 1));
  EXPECT_EQ(peer.events.size(), 1);
  EXPECT_EQ(world.shard().counters().tokens_dropped.value(), 4);
}

TEST(OpenTest, MayBeClosedBeforeItIsAnswered) {
  World world;
  FakePeer peer;
  world.shard().Open(peer, 0, Named("a"));
  const std::vector<float> values = Values(0, 3);
  session::TokensView tokens;
  tokens.values = values;
  world.shard().Tokens(peer, tokens);
  world.shard().Close(peer, 0, false, std::nullopt);
  world.Settle();
  ASSERT_EQ(peer.events.size(), 3);
  EXPECT_EQ(peer.events[1].kind, Event::kForecasts);
  EXPECT_EQ(peer.Last().kind, Event::kClosed);
  EXPECT_EQ(peer.Last().next_seq, 3);
}

TEST(OpenTest, OfAStreamThatHasGoneMakesNoSession) {
  World world;
  {
    FakePeer peer;
    world.shard().Open(peer, 0, Named("a"));
    world.shard().Disconnect(peer);
  }
  world.Settle();
  EXPECT_TRUE(absl::IsNotFound(world.Get("a").refusal->status));
  EXPECT_EQ(world.shard().counters().slots_used.value(), 0);
}

TEST(OpenTest, OfOneStreamAreAPartOfThoseUnderWay) {
  World world(ShardOptions{.max_pending_opens = 12});
  FakePeer peer, other;
  session::Handle handle = 0;
  for (; world.shard().AdmitsOpen(peer); ++handle) world.shard().Open(peer, handle, Named(absl::StrCat("s", handle)));
  EXPECT_GT(handle, 2);
  EXPECT_LT(handle, 12);
  EXPECT_TRUE(world.shard().AdmitsOpen(other));
  world.Settle();
  EXPECT_TRUE(world.shard().AdmitsOpen(peer));
}

// A late Open of a gone stream must not take the session from the client's new stream.
TEST(OpenTest, WhoseStreamHasGoneTakesNothing) {
  World world({}, 2);
  FakePeer writer, gone;
  world.Open(writer, 0, Named("a"), 0);
  world.shard(1).Open(gone, 0, Named("a"));
  world.shard(1).Disconnect(gone);
  world.Settle();
  EXPECT_EQ(writer.Count(Event::kFailed, 0), 0);
  world.Send(writer, 0, 0, Values(0, 1));
  EXPECT_EQ(writer.Last().kind, Event::kForecasts);
}

}  // namespace
}  // namespace aaren::shard
