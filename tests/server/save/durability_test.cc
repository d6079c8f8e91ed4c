// Durability as each Open asks for it: what is saved, what waits for it, and where a session goes on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/shard/world.h"

namespace aaren::save {
namespace {

using ::testing::ElementsAre;
using Event = shard::FakePeer::Event;

constexpr absl::Duration kInterval = absl::Milliseconds(500);

std::vector<uint64_t> SavesOf(shard::World& world, const std::string& key) {
  std::vector<uint64_t> seqs;
  const absl::StatusOr<store::SessionRecord> record = world.store().Load(key);
  if (!record.ok()) return {999};
  for (const store::SavedRows& save : record->saves) seqs.push_back(save.point.seq);
  return seqs;
}

session::OpenRequest With(session::SessionDurability durability, const std::string& id,
                          std::optional<uint64_t> delivered = {}) {
  session::OpenRequest request = shard::Named(id, delivered);
  request.durability = durability;
  return request;
}

session::OpenRequest EveryToken(const std::string& id, std::optional<uint64_t> delivered = {}) {
  return With(session::SessionDurability::kEveryToken, id, delivered);
}

session::OpenRequest None(const std::string& id, std::optional<uint64_t> delivered = {}) {
  return With(session::SessionDurability::kNone, id, delivered);
}

// One shard and its store; `Give` hands over tokens that nobody steps yet.
class DurabilityTest : public testing::Test {
 protected:
  void Give(session::Handle handle, uint64_t first_seq, size_t count, std::optional<uint64_t> delivered = {},
            bool silent = false) {
    const std::vector<float> values = shard::Values(first_seq, count);
    session::TokensView tokens;
    tokens.handle = handle;
    tokens.first_seq = first_seq;
    tokens.values = values;
    tokens.delivered_seq = delivered;
    tokens.silent = silent;
    ASSERT_TRUE(world_.shard().Tokens(peer_, tokens));
  }

  // Everything is stepped, and no save has come back.
  void StepAll() {
    while (world_.shard().Step() > 0 || world_.shard().StepUnderWay()) world_.FinishResults();
  }

  // As after a kill: another server with the same store.
  session::OpenedReply OpenElsewhere(session::OpenRequest request) {
    shard::World other({.save_interval = kInterval}, 1, world_.shared_store());
    shard::FakePeer peer;
    other.Open(peer, 0, std::move(request));
    EXPECT_EQ(peer.events.at(0).kind, Event::kOpened) << peer.Last().refusal.status;
    return peer.events.at(0).opened;
  }

  std::vector<std::vector<float>> Expected(size_t count) { return world_.engine().Forecasts(shard::Values(0, count)); }

  shard::World world_{shard::ShardOptions{.save_interval = kInterval}};
  shard::FakePeer peer_;
};

TEST_F(DurabilityTest, IsIntervalUnlessAskedFor) {
  world_.Open(peer_, 0, shard::Named("a"));
  EXPECT_EQ(peer_.Last().opened.durability, session::SessionDurability::kInterval);
}

TEST_F(DurabilityTest, AReplyToEveryTokenWaitsForTheSaveThatCoversIt) {
  world_.Open(peer_, 0, EveryToken("a"));
  EXPECT_EQ(peer_.Last().opened.durability, session::SessionDurability::kEveryToken);
  Give(0, 0, 3);
  StepAll();
  EXPECT_EQ(peer_.Count(Event::kForecasts, 0), 0u);
  EXPECT_TRUE(world_.shard().Owes(peer_));
  world_.Settle();
  EXPECT_EQ(peer_.Forecasts(0), Expected(3));
  EXPECT_EQ(peer_.Last(Event::kForecasts, 0).durable_seq, 3u);
  EXPECT_THAT(SavesOf(world_, "/a"), ElementsAre(3));
  EXPECT_FALSE(world_.shard().Owes(peer_));
}

TEST_F(DurabilityTest, SilentTokensAreAcknowledgedByTheirSave) {
  world_.Open(peer_, 0, EveryToken("a"));
  Give(0, 0, 3, std::nullopt, true);
  StepAll();
  EXPECT_EQ(peer_.Count(Event::kAcked, 0), 0u);
  world_.Settle();
  ASSERT_EQ(peer_.Count(Event::kAcked, 0), 1u);
  EXPECT_EQ(peer_.Last(Event::kAcked, 0).next_seq, 3u);
  EXPECT_EQ(peer_.Last(Event::kAcked, 0).durable_seq, 3u);
}

TEST_F(DurabilityTest, ItemsOfOneStepAreOneReply) {
  world_.Open(peer_, 0, EveryToken("a"));
  Give(0, 0, 2);
  Give(0, 2, 3);
  Give(0, 5, 1, std::nullopt, true);
  Give(0, 6, 1);
  world_.RunUntil([&] { return peer_.Count(Event::kForecasts, 0) == 2; });
  const Event& first = peer_.events.at(1);
  EXPECT_EQ(first.next_seq, 5u);
  EXPECT_EQ(first.results, 5u);
  EXPECT_EQ(peer_.events.at(2).kind, Event::kAcked);
  EXPECT_EQ(peer_.events.at(2).next_seq, 6u);
  EXPECT_EQ(peer_.Last(Event::kForecasts, 0).durable_seq, 7u);
}

TEST_F(DurabilityTest, AFailingStoreKeepsOnlyThoseRepliesBack) {
  world_.Open(peer_, 0, EveryToken("a"));
  world_.Open(peer_, 1, shard::Named("b"));
  world_.store().FailSaves(true);
  world_.Send(peer_, 0, 0, shard::Values(0, 3));
  world_.Send(peer_, 1, 0, shard::Values(0, 3));
  EXPECT_EQ(peer_.Forecasts(1), Expected(3));
  EXPECT_EQ(peer_.Count(Event::kForecasts, 0), 0u);
  EXPECT_EQ(peer_.Count(Event::kFailed, 0), 0u);
  world_.store().FailSaves(false);
  world_.Advance(kInterval);
  EXPECT_EQ(peer_.Forecasts(0), Expected(3));
}

TEST_F(DurabilityTest, WhatComesBehindAHeldReplyKeepsItsOrder) {
  world_.Open(peer_, 0, EveryToken("a"));
  Give(0, 0, 3);
  StepAll();
  Give(0, 0, 3);  // again
  Give(0, 9, 1);  // a gap
  world_.shard().Close(peer_, 0, false, std::nullopt);
  StepAll();
  EXPECT_EQ(peer_.events.size(), 1u);
  world_.Settle();
  ASSERT_EQ(peer_.events.size(), 5u);
  EXPECT_EQ(peer_.events[1].kind, Event::kForecasts);
  EXPECT_EQ(peer_.events[2].kind, Event::kAcked);
  EXPECT_EQ(peer_.events[3].kind, Event::kFailed);
  EXPECT_EQ(peer_.events[4].kind, Event::kClosed);
  EXPECT_EQ(peer_.events[4].durable_seq, 3u);
}

TEST_F(DurabilityTest, ManySessionsShareASave) {
  constexpr session::Handle kSessions = 50;
  for (session::Handle handle = 0; handle < kSessions; ++handle) {
    world_.Open(peer_, handle, EveryToken(std::to_string(handle)));
  }
  const uint64_t before = world_.store().save_calls();
  for (session::Handle handle = 0; handle < kSessions; ++handle) Give(handle, 0, 1);
  world_.Settle();
  for (session::Handle handle = 0; handle < kSessions; ++handle) EXPECT_EQ(peer_.Count(Event::kForecasts, handle), 1u);
  EXPECT_LE(world_.store().save_calls() - before, 3u);
}

TEST_F(DurabilityTest, TheNextSaveWaitsUntilTheReplyBeforeIsDelivered) {
  world_.Open(peer_, 0, EveryToken("a", 0));
  world_.Send(peer_, 0, 0, shard::Values(0, 3), 0);
  EXPECT_EQ(peer_.Last(Event::kForecasts, 0).durable_seq, 3u);
  world_.Send(peer_, 0, 3, shard::Values(3, 2), 0);
  world_.Advance(kInterval);
  EXPECT_EQ(peer_.Count(Event::kForecasts, 0), 1u);
  EXPECT_THAT(SavesOf(world_, "/a"), ElementsAre(3));
  world_.Send(peer_, 0, 5, {}, 3);  // no tokens: it tells what was delivered
  EXPECT_EQ(peer_.Last(Event::kForecasts, 0).durable_seq, 5u);
  EXPECT_THAT(SavesOf(world_, "/a"), ElementsAre(3, 5));
}

TEST_F(DurabilityTest, AClientThatNeverTellsWhatIsDeliveredLosesTheSession) {
  world_.Open(peer_, 0, EveryToken("a", 0));
  world_.Send(peer_, 0, 0, shard::Values(0, 3), 0);
  world_.Send(peer_, 0, 3, shard::Values(3, 2), 0);
  world_.Advance(absl::Minutes(1));
  EXPECT_EQ(peer_.Last().refusal.status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(peer_.Last().refusal.reason, "DELIVERY");
  EXPECT_EQ(OpenElsewhere(EveryToken("a", 3)).next_seq, 3u);
}

TEST_F(DurabilityTest, ATokenWhoseReplyCameIsNeverWantedAgain) {
  world_.Open(peer_, 0, EveryToken("a", 0));
  world_.Send(peer_, 0, 0, shard::Values(0, 3), 0);
  world_.Send(peer_, 0, 3, shard::Values(3, 3), 3);
  Give(0, 6, 2, 3);
  StepAll();  // stepped, and neither saved nor answered
  EXPECT_EQ(OpenElsewhere(EveryToken("a", 6)).next_seq, 6u);
}

TEST_F(DurabilityTest, AReplyThatWasLostIsMadeAgain) {
  world_.Open(peer_, 0, EveryToken("a", 0));
  world_.Send(peer_, 0, 0, shard::Values(0, 3), 0);
  world_.Send(peer_, 0, 3, shard::Values(3, 3), 3);
  EXPECT_EQ(OpenElsewhere(EveryToken("a", 3)).next_seq, 3u);
}

TEST_F(DurabilityTest, AHeldReplyWhoseStreamBreaksIsMadeAgain) {
  world_.Open(peer_, 0, EveryToken("a", 0));
  world_.Send(peer_, 0, 0, shard::Values(0, 3), 0);
  Give(0, 3, 2, 0);
  StepAll();
  world_.shard().Disconnect(peer_);
  world_.Advance(kInterval);
  shard::FakePeer again;
  world_.Open(again, 0, EveryToken("a", 3));
  EXPECT_EQ(again.events.at(0).opened.next_seq, 3u);
  world_.Send(again, 0, 3, shard::Values(3, 2), 3);
  EXPECT_EQ(again.Last(Event::kForecasts, 0).next_seq, 5u);
}

class RefusedOpenTest : public testing::TestWithParam<int> {};  // at the session's shard, or at another

INSTANTIATE_TEST_SUITE_P(Shards, RefusedOpenTest, testing::Values(0, 1));

TEST_P(RefusedOpenTest, LeavesTheSaveThatAReplyTold) {
  shard::World world({.save_interval = kInterval}, 2);
  shard::FakePeer peer, refused, again;
  world.Open(peer, 0, EveryToken("a", 0));
  world.Send(peer, 0, 0, shard::Values(0, 3), 0);
  world.Send(peer, 0, 3, shard::Values(3, 2), 0);  // stepped; not answered before the client says that it has 3
  world.shard().Disconnect(peer);
  world.store().FailNextAcquire();
  world.Open(refused, 0, EveryToken("a", 3), GetParam());
  EXPECT_EQ(refused.Last().refusal.status.code(), absl::StatusCode::kUnavailable);
  for (int i = 0; i < 4; ++i) world.Advance(kInterval);
  world.Open(again, 0, EveryToken("a", 3), GetParam());
  EXPECT_EQ(again.Last(Event::kOpened, 0).opened.next_seq, 3u);
}

TEST_F(DurabilityTest, LeavingDoesNotReplaceASaveThatAReplyTold) {
  world_.Open(peer_, 0, EveryToken("a", 0));
  world_.Send(peer_, 0, 0, shard::Values(0, 3), 0);
  Give(0, 3, 2, 0);
  StepAll();
  world_.shard().SaveAll();
  world_.Settle();
  EXPECT_FALSE(world_.shard().Busy());
  EXPECT_EQ(OpenElsewhere(EveryToken("a", 3)).next_seq, 3u);
}

TEST_F(DurabilityTest, LeavingSendsWhatWasHeld) {
  world_.Open(peer_, 0, EveryToken("a"));
  Give(0, 0, 3);
  StepAll();
  EXPECT_TRUE(world_.shard().TokensWait());
  world_.shard().SaveAll();
  world_.Settle();
  EXPECT_EQ(peer_.Forecasts(0), Expected(3));
  EXPECT_FALSE(world_.shard().TokensWait());
}

TEST_F(DurabilityTest, TheNewestOpenDecides) {
  world_.Open(peer_, 0, shard::Named("a"));
  world_.Send(peer_, 0, 0, shard::Values(0, 3));
  shard::FakePeer other;
  world_.Open(other, 0, EveryToken("a"));
  EXPECT_EQ(other.events.at(0).opened.next_seq, 3u);
  EXPECT_EQ(other.Last(Event::kAcked, 0).durable_seq, 3u);  // what was not saved is now
  EXPECT_THAT(SavesOf(world_, "/a"), ElementsAre(3));
}

TEST_F(DurabilityTest, NoneIsNeverSaved) {
  world_.Open(peer_, 0, None("a"));
  EXPECT_EQ(peer_.Last().opened.durability, session::SessionDurability::kNone);
  world_.Send(peer_, 0, 0, shard::Values(0, 3));
  EXPECT_EQ(peer_.Last(Event::kForecasts, 0).durable_seq, 0u);
  world_.Advance(10 * kInterval);
  world_.shard().Disconnect(peer_);
  world_.shard().SaveAll();
  world_.Settle();
  EXPECT_FALSE(world_.shard().Busy());
  EXPECT_THAT(SavesOf(world_, "/a"), ElementsAre());
  EXPECT_EQ(OpenElsewhere(None("a", 3)).next_seq, 0u);
}

TEST_F(DurabilityTest, NoneKeepsWhatWasSavedBefore) {
  world_.Open(peer_, 0, shard::Named("a"));
  world_.Send(peer_, 0, 0, shard::Values(0, 3));
  world_.Advance(kInterval);
  world_.shard().Close(peer_, 0, false, std::nullopt);
  world_.Open(peer_, 0, None("a"));
  EXPECT_EQ(peer_.Last().opened.durable_seq, 3u);
  world_.Send(peer_, 0, 3, shard::Values(3, 3));
  EXPECT_EQ(peer_.Last(Event::kForecasts, 0).durable_seq, 3u);
  EXPECT_EQ(OpenElsewhere(shard::Named("a")).next_seq, 3u);
}

TEST_F(DurabilityTest, NoneIsNotTakenBackWhileItLives) {
  world_.Open(peer_, 0, None("a", 0));
  world_.Send(peer_, 0, 0, shard::Values(0, 6), 0);
  shard::FakePeer again;
  world_.Open(again, 0, None("a", 4));
  EXPECT_EQ(again.Last().opened.next_seq, 6u);
  EXPECT_EQ(again.Last().opened.lost, std::make_pair(uint64_t{4}, uint64_t{6}));
  EXPECT_EQ(again.Last().opened.durable_seq, 0u);
}

TEST_F(DurabilityTest, ASaveThatIsBeingReplacedDoesNotBecomeDurable) {
  world_.Open(peer_, 0, shard::Named("a", 0));
  world_.Send(peer_, 0, 0, shard::Values(0, 3), 0);
  world_.Advance(kInterval);
  world_.Send(peer_, 0, 3, shard::Values(3, 3), 0);
  world_.shard().SaveAll();  // a save at 6 is on its way to the place of the one at 3
  Give(0, 6, 1, 3);
  StepAll();
  world_.Settle();
  for (const Event& event : peer_.events) EXPECT_EQ(event.durable_seq, 0u);
  shard::FakePeer again;
  world_.Open(again, 0, shard::Named("a", 3));
  EXPECT_FALSE(again.Last().opened.lost.has_value());
  EXPECT_EQ(again.Last().opened.next_seq, 0u);
}

// As a stream does: it is read only while the shard admits what comes.
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
  constexpr session::Handle kSessions = 6;  // as many as one stream may hold replies of
  shard::World world({.max_queued_bytes = 4000, .save_interval = kInterval});
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

// A session of a client that takes its first reply, and is never heard of again: the next one is held.
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
  (void)world.Get("another");  // what was asked of the registrar before is done
  EXPECT_EQ(world.store().save_calls() - before, 1u);
  world.store().FailSaves(false);
  world.Advance(absl::Milliseconds(200));
  EXPECT_THAT(SavesOf(world, "/a"), ElementsAre(3));
}

}  // namespace
}  // namespace aaren::save
