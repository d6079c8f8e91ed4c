// Replies and sessions waiting for a save: a client without delivered_seq delays only the client's own sessions.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/sessions/save/durability.h"

namespace aaren::save {
namespace {

using ::testing::ElementsAre;
using Event = shard::FakePeer::Event;

// Reads a Tokens item from the stream, once the shard admits the item.
void Read(shard::World& world, shard::FakePeer& peer, session::Handle handle, uint64_t first_seq, size_t count,
          uint64_t delivered) {
  const std::vector<float> values = shard::Values(first_seq, count);
  session::TokensView tokens;
  tokens.handle = handle;
  tokens.first_seq = first_seq;
  tokens.values = values;
  tokens.delivered_seq = delivered;
  ASSERT_TRUE(world.shard().AdmitsTokens(peer, values.size() * sizeof(float)));
  ASSERT_TRUE(world.shard().Tokens(peer, tokens));
  while (world.shard().Step() > 0 || world.shard().StepUnderWay()) world.FinishResults();
}

TEST(EveryTokenTest, RepliesThatWaitForAWordDoNotKeepItFromBeingRead) {
  constexpr session::Handle kSessions = 6;  // the most with held replies on a stream
  shard::World world({.max_queued_bytes = 4500, .save_interval = kInterval});
  shard::FakePeer peer;
  for (session::Handle handle = 0; handle < kSessions; ++handle) {
    world.Open(peer, handle, EveryToken(absl::StrCat("s", handle), 0));
    world.Send(peer, handle, 0, shard::Values(0, 2), 0);
  }
  for (session::Handle handle = 0; handle < kSessions; ++handle) {
    Read(world, peer, handle, 2, 2, 0);
    Read(world, peer, handle, 4, 2, 0);
  }
  EXPECT_TRUE(world.shard().Owes(peer));
  for (session::Handle handle = 0; handle < kSessions; ++handle) Read(world, peer, handle, 4, 0, 2);
  world.Settle();
  for (session::Handle handle = 0; handle < kSessions; ++handle) {
    EXPECT_EQ(peer.Last(Event::kForecasts, handle).next_seq, 4u) << handle;
    if (peer.Count(Event::kFailed, handle) > 0) {
      EXPECT_EQ(peer.Last(Event::kFailed, handle).expected_seq, 4u);
    }
    world.Send(peer, handle, 4, shard::Values(4, 2), 4);
    EXPECT_EQ(peer.Forecasts(handle).size(), 6u) << handle;
  }
  EXPECT_EQ(world.shard().counters().queued_bytes.value(), 0);
}

// Opens a session. The client gets the first reply and sends no delivered_seq: the second reply is held.
void HoldAReply(shard::World& world, shard::FakePeer& peer, session::Handle handle, const std::string& id) {
  world.Open(peer, handle, EveryToken(id, 0));
  world.Send(peer, handle, 0, shard::Values(0, 2), 0);
  world.Send(peer, handle, 2, shard::Values(2, 2), 0);
}

TEST(EveryTokenTest, AStreamThatTellsNothingKeepsNoOtherWaiting) {
  shard::World world({.max_queued_bytes = 4000, .save_interval = kInterval});
  shard::FakePeer silent, other;
  for (session::Handle handle = 0; handle < 40; ++handle) {
    HoldAReply(world, silent, handle, absl::StrCat("s", handle));
  }
  world.Open(other, 0, EveryToken("other", 0));
  for (uint64_t seq = 0; seq < 20; seq += 2) world.Send(other, 0, seq, shard::Values(seq, 2), seq);
  EXPECT_EQ(other.Forecasts(0), world.engine().Forecasts(shard::Values(0, 20)));
}

TEST(EveryTokenTest, WhereManyStreamsTellNothingThoseThatWaitedLongestGiveWay) {
  shard::World world({.max_queued_bytes = 4000, .save_interval = kInterval});
  std::vector<shard::FakePeer> silent(40);
  for (size_t i = 0; i < silent.size(); ++i) HoldAReply(world, silent[i], 0, absl::StrCat("s", i));
  shard::FakePeer other;
  world.Open(other, 0, EveryToken("other", 0));
  world.Send(other, 0, 0, shard::Values(0, 2), 0);
  EXPECT_EQ(other.Count(Event::kForecasts, 0), 0);
  world.Advance(absl::Seconds(2));
  EXPECT_EQ(silent[0].Last().refusal.reason, "DELIVERY");
  EXPECT_TRUE(absl::IsUnavailable(silent[0].Last().refusal.status));
  for (int i = 0; i < 20; ++i) world.Advance(absl::Seconds(2));
  EXPECT_EQ(other.Forecasts(0), world.engine().Forecasts(shard::Values(0, 2)));
}

TEST(EveryTokenTest, TokensThatWaitForARowDoNotKeepTheWordOfItsHolderFromBeingRead) {
  shard::World world({.capacity_rows = 1, .max_queued_bytes = 4000, .save_interval = kInterval});
  shard::FakePeer peer;
  world.Open(peer, 0, shard::Named("quiet"));
  world.Send(peer, 0, 0, shard::Values(0, 5));
  for (int i = 0; i < 4; ++i) world.Advance(kInterval);
  world.Open(peer, 1, EveryToken("holder", 0));
  ASSERT_EQ(peer.Last().kind, Event::kOpened);
  world.Send(peer, 1, 0, shard::Values(0, 2), 0);
  Read(world, peer, 1, 2, 2, 0);
  for (int i = 0; i < 20; ++i) Read(world, peer, 0, 5 + 100 * i, 100, 0);
  Read(world, peer, 1, 4, 0, 2);
  for (int i = 0; i < 4; ++i) world.Advance(kInterval);
  EXPECT_EQ(peer.Last(Event::kForecasts, 1).next_seq, 4u);
  ASSERT_EQ(peer.Count(Event::kFailed, 0), 1u);
  EXPECT_EQ(peer.Last(Event::kFailed, 0).expected_seq, 5u);
  world.Send(peer, 0, 5, shard::Values(5, 3));
  EXPECT_EQ(peer.Last(Event::kForecasts, 0).next_seq, 8u);
}

TEST(NoneTest, WaitsForNoStoreHoweverManyTokensAreNotSaved) {
  shard::World world({.max_undurable_tokens = 8, .save_interval = kInterval});
  shard::FakePeer peer;
  world.Open(peer, 0, None("a"));
  for (uint64_t seq = 0; seq < 20; seq += 4) Read(world, peer, 0, seq, 4, seq);
  world.Settle();
  EXPECT_EQ(peer.Forecasts(0).size(), 20u);
}

TEST(EveryTokenTest, IsRefusedWhereSavesEndWithTheServer) {
  shard::World world(shard::ShardOptions{.save_interval = kInterval, .saves_outlast_server = false});
  shard::FakePeer peer;
  world.Open(peer, 0, EveryToken("a"));
  EXPECT_EQ(peer.Last().refusal.status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(peer.Last().refusal.reason, "DURABILITY");
}

TEST(EveryTokenTest, IsRefusedWhereNothingIsSaved) {
  shard::World world(shard::ShardOptions{.save_interval = absl::ZeroDuration()});
  shard::FakePeer peer;
  world.Open(peer, 0, EveryToken("a"));
  EXPECT_EQ(peer.Last().refusal.reason, "DURABILITY");
  world.Open(peer, 1, shard::Named("b"));
  EXPECT_EQ(peer.Last().opened.durability, session::SessionDurability::kNone);
}

TEST(LeavingTest, AFailingStoreIsAskedAgainAfterAPause) {
  shard::World world(shard::ShardOptions{.save_interval = kInterval});
  shard::FakePeer peer;
  world.Open(peer, 0, shard::Named("a"));
  world.Send(peer, 0, 0, shard::Values(0, 3));
  world.store().FailSaves(true);
  const uint64_t before = world.store().save_calls();
  world.shard().SaveAll();
  ASSERT_TRUE(world.DrainUntil([&] { return world.shard().counters().save_failures.value() == 1; }));
  world.shard().Tick();
  (void)world.Get("another");  // the registrar has answered all earlier calls
  EXPECT_EQ(world.store().save_calls() - before, 1u);
  world.store().FailSaves(false);
  world.Advance(absl::Milliseconds(200));
  EXPECT_THAT(SavesOf(world, "/a"), ElementsAre(3));
}

}  // namespace
}  // namespace aaren::save
