// The turns of sessions and streams, and the size of a step.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/server/sessions/shard/world/world.h"

namespace aaren::shard {
namespace {

using Event = FakePeer::Event;

TEST(StepTest, TakesNoMoreThanItsShareAndKeepsTheRest) {
  World world(ShardOptions{.max_step_tokens = 10});
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  for (uint64_t seq = 0; seq < 24; seq += 4) {
    const std::vector<float> values = Values(seq, 4);
    session::TokensView tokens;
    tokens.first_seq = seq;
    tokens.values = values;
    world.shard().Tokens(peer, tokens);
  }
  EXPECT_EQ(world.shard().Step(), 10);
  EXPECT_EQ(world.shard().Step(), 10);
  EXPECT_EQ(world.shard().Step(), 4);
  EXPECT_EQ(world.shard().Step(), 0);
  EXPECT_EQ(peer.Forecasts(0), world.engine().Forecasts(Values(0, 24)));
}

TEST(StepTest, CutsALongItemOverSeveralCalls) {
  World world;
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  const int calls = world.engine().calls();
  world.Send(peer, 0, 0, Values(0, 4000));
  EXPECT_GT(world.engine().calls(), calls + 1);
  EXPECT_EQ(peer.Last().next_seq, 4000);
  EXPECT_EQ(peer.Forecasts(0), world.engine().Forecasts(Values(0, 4000)));
}

// Sends an item of ten tokens if the shard admits the bytes.
bool Offer(World& world, FakePeer& peer, uint64_t seq) {
  const std::vector<float> values = Values(seq, 10);
  if (!world.shard().AdmitsTokens(peer, values.size() * sizeof(float))) return false;
  session::TokensView tokens;
  tokens.first_seq = seq;
  tokens.values = values;
  world.shard().Tokens(peer, tokens);
  return true;
}

TEST(StepTest, OneStreamFillsNoMoreThanAPartOfTheQueue) {
  World world(ShardOptions{.max_queued_bytes = 20'000});
  FakePeer hot, other;
  world.Open(hot, 0, Named("a"));
  world.Open(other, 0, Named("b"));
  uint64_t seq = 0;
  while (Offer(world, hot, seq)) seq += 10;
  EXPECT_GT(seq, 100);
  EXPECT_TRUE(Offer(world, other, 0));
}

TEST(StepTest, MakesRoomForMore) {
  World world(ShardOptions{.max_queued_bytes = 4'000});
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  uint64_t seq = 0;
  while (Offer(world, peer, seq)) seq += 10;
  while (world.shard().Step() > 0) {
  }
  EXPECT_TRUE(Offer(world, peer, seq));
}

TEST(StepTest, LeavesOutAPeerWithoutRoomUntilItHasSome) {
  World world;
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  peer.has_room = false;
  EXPECT_TRUE(Offer(world, peer, 0));
  EXPECT_EQ(world.shard().Step(), 0);
  peer.has_room = true;
  world.shard().Resume(peer);
  EXPECT_EQ(world.shard().Step(), 10);
}

TEST(StepTest, APingIsAnsweredByTheNextStepBesideAHotStream) {
  World world(ShardOptions{.max_step_tokens = 64, .save_interval = absl::ZeroDuration()});
  FakePeer hot, other;
  world.Open(hot, 0, Named("hot"));
  world.Open(other, 0, Named("ping"));
  for (uint64_t seq = 0; Offer(world, hot, seq); seq += 10) {
  }
  world.shard().Step();
  Offer(world, other, 0);
  world.shard().Step();
  EXPECT_EQ(other.Last().next_seq, 10);
}

TEST(StepTest, SessionsOfOneStreamTakeTurns) {
  World world(ShardOptions{.max_step_tokens = 64});
  FakePeer peer;
  world.Open(peer, 0, Named("hot"));
  world.Open(peer, 1, Named("other"));
  for (uint64_t seq = 0; seq < 1000; seq += 10) Offer(world, peer, seq);
  const std::vector<float> values = Values(0, 1);
  session::TokensView tokens;
  tokens.handle = 1;
  tokens.values = values;
  world.shard().Tokens(peer, tokens);
  world.shard().Step();
  world.shard().Step();
  EXPECT_EQ(peer.Last(Event::kForecasts, 1).next_seq, 1);
  EXPECT_LT(peer.Last(Event::kForecasts, 0).next_seq, 200);
}

TEST(StepTest, TakesAsMuchAsFitsIntoASliceInSeveralCalls) {
  World world;
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  const std::vector<float> values = Values(0, 4000);
  for (uint64_t seq = 0; seq < 20'000; seq += 4000) {
    session::TokensView tokens;
    tokens.first_seq = seq;
    tokens.values = values;
    world.shard().Tokens(peer, tokens);
  }
  size_t most = 0;  // the clock stands still: slices grow
  for (size_t took = 1; took > 0; most = std::max(most, took)) took = world.shard().Step();
  EXPECT_GT(most, 2000);
  EXPECT_EQ(peer.Last().next_seq, 20'000);
}

TEST(StepTest, RunsSessionsOfSeveralModelsInOneCallEach) {
  World world;
  FakePeer peer;
  for (session::Handle handle = 0; handle < 10; ++handle) {
    session::OpenRequest request = Named(absl::StrCat("s", handle));
    request.model = handle % 2 == 0 ? "sum:1" : "other:1";
    world.Open(peer, handle, request);
  }
  const std::vector<float> values = Values(0, 3);
  for (session::Handle handle = 0; handle < 10; ++handle) {
    session::TokensView tokens;
    tokens.handle = handle;
    tokens.values = values;
    world.shard().Tokens(peer, tokens);
  }
  world.shard().Step();
  EXPECT_EQ(world.engine("sum:1").calls(), 1);
  EXPECT_EQ(world.engine("other:1").calls(), 1);
  for (session::Handle handle = 0; handle < 10; ++handle) {
    EXPECT_EQ(peer.Forecasts(handle), world.engine().Forecasts(values)) << handle;
  }
}

}  // namespace
}  // namespace aaren::shard
