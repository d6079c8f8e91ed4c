// The durability of each Open decides which tokens are saved, which replies wait for a save, and where a session
// goes on.

#include "tests/server/sessions/save/durability.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace aaren::save {
namespace {

using ::testing::ElementsAre;
using Event = shard::FakePeer::Event;

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

TEST_F(DurabilityTest, ASaveThatWasDoneWithoutAnAnswerStaysToGoBackTo) {
  world_.Open(peer_, 0, shard::Named("a", 0));
  Give(0, 0, 50);
  StepAll();
  Give(0, 50, 50, 50);
  StepAll();
  world_.store().LoseAnswers(true);
  Give(0, 100, 5, 100);
  world_.Advance(kInterval);
  ASSERT_THAT(SavesOf(world_, "/a"), ElementsAre(100));
  world_.store().LoseAnswers(false);
  Give(0, 105, 5, 105);
  StepAll();
  world_.Advance(kInterval);
  EXPECT_THAT(SavesOf(world_, "/a"), ElementsAre(100, 110));
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
  world_.Send(peer_, 0, 5, {}, 3);  // no tokens: the item tells delivered_seq
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
  world.Send(peer, 0, 3, shard::Values(3, 2), 0);  // stepped; the reply waits for delivered_seq 3
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
  EXPECT_EQ(other.Last(Event::kAcked, 0).durable_seq, 3u);  // the new Open saves the unsaved tokens
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
  world_.shard().SaveAll();  // a save at 6 is on its way to replace the save at 3
  Give(0, 6, 1, 3);
  StepAll();
  world_.Settle();
  for (const Event& event : peer_.events) EXPECT_EQ(event.durable_seq, 0u);
  shard::FakePeer again;
  world_.Open(again, 0, shard::Named("a", 3));
  EXPECT_FALSE(again.Last().opened.lost.has_value());
  EXPECT_EQ(again.Last().opened.next_seq, 0u);
}

}  // namespace
}  // namespace aaren::save
