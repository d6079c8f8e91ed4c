// Sessions end by Close, or with the end of a stream.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/sessions/shard/world/world.h"

namespace aaren::shard {
namespace {

using Event = FakePeer::Event;

TEST(CloseTest, DetachesTheSessionAndFreesTheHandle) {
  World world;
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  world.Send(peer, 0, 0, Values(0, 2));
  world.shard().Close(peer, 0, false, std::nullopt);
  EXPECT_EQ(peer.Last().kind, Event::kClosed);
  EXPECT_EQ(peer.Last().next_seq, 2);
  EXPECT_FALSE(world.Get("a").value.attached);
  world.Open(peer, 0, Named("b"));
  EXPECT_TRUE(peer.Last().opened.created);
}

TEST(CloseTest, AnswersWhatWaitsFirst) {
  World world;
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  const std::vector<float> values = Values(0, 3);
  session::TokensView tokens;
  tokens.values = values;
  world.shard().Tokens(peer, tokens);
  world.shard().Close(peer, 0, false, std::nullopt);
  EXPECT_TRUE(world.shard().IsClosing(peer, 0));
  world.Settle();
  EXPECT_EQ(peer.Forecasts(0).size(), 3);
  EXPECT_EQ(peer.Last().kind, Event::kClosed);
  EXPECT_EQ(peer.Last().next_seq, 3);
  EXPECT_EQ(peer.rooms, 2);  // after the Open and after the Close
}

TEST(CloseTest, ThatDeletesForgetsTheSession) {
  World world;
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  const uint64_t incarnation = peer.Last().opened.incarnation;
  world.Send(peer, 0, 0, Values(0, 2));
  world.shard().Close(peer, 0, true, std::nullopt);
  world.Settle();
  EXPECT_EQ(peer.Last().kind, Event::kClosed);
  EXPECT_EQ(peer.Last().next_seq, 2);
  EXPECT_TRUE(absl::IsNotFound(world.Get("a").refusal->status));
  EXPECT_TRUE(absl::IsNotFound(world.store().Load("/a").status()));
  world.Open(peer, 0, Named("a"));
  EXPECT_TRUE(peer.Last().opened.created);
  EXPECT_GT(peer.Last().opened.incarnation, incarnation);
}

TEST(CloseTest, OfAHandleThatIsNotOpenIsRefused) {
  World world;
  FakePeer peer;
  world.shard().Close(peer, 5, false, std::nullopt);
  EXPECT_EQ(peer.Last().refusal.status.code(), absl::StatusCode::kNotFound);
}

TEST(CloseTest, OfARefusedHandleFreesIt) {
  World world;
  FakePeer peer;
  world.Open(peer, 0, InMode(session::OpenMode::kResume));
  world.shard().Close(peer, 0, false, std::nullopt);
  EXPECT_EQ(peer.Last().kind, Event::kClosed);
  world.Send(peer, 0, 0, Values(0, 1));
  EXPECT_EQ(peer.Last().refusal.status.code(), absl::StatusCode::kNotFound);
}

TEST(DisconnectTest, LeavesTheSessionAsOfItsLastStep) {
  World world;
  {
    FakePeer peer;
    world.Open(peer, 0, Named("a"));
    world.Send(peer, 0, 0, Values(0, 3));
    const std::vector<float> values = Values(3, 2);
    session::TokensView tokens;
    tokens.first_seq = 3;
    tokens.values = values;
    world.shard().Tokens(peer, tokens);
    world.shard().Disconnect(peer);
  }
  world.Settle();
  EXPECT_EQ(world.Get("a").value.next_seq, 3);
  EXPECT_EQ(world.shard().counters().tokens_dropped.value(), 2);
  EXPECT_EQ(world.shard().counters().queued_tokens.value(), 0);
  EXPECT_EQ(world.shard().counters().sessions_attached.value(), 0);
  EXPECT_EQ(world.shard().counters().streams.value(), 0);
}

}  // namespace
}  // namespace aaren::shard
