// Rows of open sessions go to the store, and come back with the next token.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "absl/strings/str_cat.h"
#include "tests/server/sessions/shard/world/tiers.h"

namespace aaren::shard {
namespace {

using ::testing::HasSubstr;
using Event = FakePeer::Event;

TEST(TierTest, ASavedSessionCostsNoRowThoughItsStreamHoldsItsHandle) {
  World world(NoRowsStay());
  FakePeer peer;
  OpenAndRest(world, peer, 0, "a");
  EXPECT_EQ(Rows(world), 0);
  EXPECT_EQ(Demoted(world), 1);
  EXPECT_TRUE(world.shard().HasHandles(peer));
}

TEST(TierTest, ItGoesOnBitForBitWithItsNextToken) {
  World world(NoRowsStay());
  FakePeer peer;
  OpenAndRest(world, peer, 0, "a");
  world.Send(peer, 0, 5, Values(5, 3));
  EXPECT_EQ(peer.Forecasts(0), world.engine().Forecasts(Values(0, 8)));
  EXPECT_EQ(peer.Count(Event::kOpened, 0), 1);
  EXPECT_EQ(Demoted(world), 0);
}

TEST(TierTest, ItMayLeaveAndComeBackAgainAndAgain) {
  World world(NoRowsStay());
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  for (uint64_t seq = 0; seq < 20; ++seq) {
    world.Send(peer, 0, seq, Values(seq, 1));
    Rest(world);
    EXPECT_EQ(Rows(world), 0);
  }
  EXPECT_EQ(peer.Forecasts(0), world.engine().Forecasts(Values(0, 20)));
  EXPECT_EQ(world.shard().counters().promotions.value(), 19);
}

TEST(TierTest, OneThatWasNeverFedLeavesAndComesBackToo) {
  World world(NoRowsStay());
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  Rest(world);
  EXPECT_EQ(Demoted(world), 1);
  world.Send(peer, 0, 0, Values(0, 3));
  EXPECT_EQ(peer.Forecasts(0), world.engine().Forecasts(Values(0, 3)));
}

TEST(TierTest, TokensWaitForTheRowInTheirOrder) {
  World world(NoRowsStay());
  FakePeer peer;
  OpenAndRest(world, peer, 0, "a");
  for (uint64_t seq = 5; seq < 12; ++seq) Push(world, peer, 0, seq, Values(seq, 1));
  world.Settle();
  EXPECT_EQ(peer.Forecasts(0), world.engine().Forecasts(Values(0, 12)));
}

TEST(TierTest, SilenceEndsNoSession) {
  World world(NoRowsStay());
  FakePeer peer;
  OpenAndRest(world, peer, 0, "a");
  world.Advance(absl::Hours(24 * 365));
  world.Send(peer, 0, 5, Values(5, 1));
  EXPECT_EQ(peer.Forecasts(0), world.engine().Forecasts(Values(0, 6)));
}

TEST(TierTest, WhatIsDurableSurvives) {
  World world(NoRowsStay());
  FakePeer peer;
  world.Open(peer, 0, Named("a", 0));
  world.Send(peer, 0, 0, Values(0, 5), 0);
  Rest(world);
  ASSERT_EQ(Demoted(world), 1);
  world.Send(peer, 0, 5, Values(5, 1), 2);
  EXPECT_EQ(peer.Last(Event::kForecasts, 0).durable_seq, 0);
  world.Send(peer, 0, 6, Values(6, 1), 5);
  EXPECT_EQ(peer.Last(Event::kForecasts, 0).durable_seq, 5);
}

TEST(TierTest, GoesBackToWhatTheClientHasReceived) {
  World world(NoRowsStay());
  FakePeer peer, next;
  world.Open(peer, 0, Named("a", 0));
  world.Send(peer, 0, 0, Values(0, 5), 0);
  Rest(world);
  world.shard().Disconnect(peer);
  world.Open(next, 0, Named("a", 2));
  EXPECT_EQ(next.Last().opened.next_seq, 0);
}

TEST(TierTest, RegularTimesSurvive) {
  World world(NoRowsStay());
  FakePeer peer;
  session::OpenRequest request = Named("a");
  request.regular_times = session::RegularTimes{1000, 10};
  world.Open(peer, 0, request);
  world.Send(peer, 0, 0, Values(0, 3));
  Rest(world);
  world.Send(peer, 0, 3, Values(3, 1));
  EXPECT_EQ(peer.Last(Event::kForecasts, 0).times_ns, std::vector<int64_t>{1030});
}

TEST(TierTest, OutputOptionsSurvive) {
  World world(NoRowsStay());
  FakePeer peer;
  session::OpenRequest request = Named("a");
  request.output.every = 2;
  world.Open(peer, 0, request);
  world.Send(peer, 0, 0, Values(0, 4));
  Rest(world);
  world.Send(peer, 0, 4, Values(4, 4));
  EXPECT_EQ(peer.Last(Event::kForecasts, 0).results, 2);
}

TEST(TierTest, ARefusalBeforeStillDropsWhatComesBehindIt) {
  World world(NoRowsStay());
  FakePeer peer;
  OpenAndRest(world, peer, 0, "a");
  world.Send(peer, 0, 9, Values(9, 1));
  EXPECT_EQ(peer.Last().refusal.status.code(), absl::StatusCode::kOutOfRange);
  Rest(world);
  ASSERT_EQ(Demoted(world), 1);
  const size_t events = peer.events.size();
  world.Send(peer, 0, 10, Values(10, 1));
  EXPECT_EQ(peer.events.size(), events);
  world.Send(peer, 0, 5, Values(5, 1));
  EXPECT_EQ(peer.Forecasts(0), world.engine().Forecasts(Values(0, 6)));
}

// Tokens sent before the client heard of the refusal are dropped without a row and without room in the queue.
TEST(TierTest, WhatComesBehindARefusalWaitsForNothing) {
  World world({.capacity_rows = 1, .max_resident_bytes = 0, .max_queued_bytes = 4096, .save_interval = kInterval});
  FakePeer peer;
  OpenAndRest(world, peer, 0, "a");
  world.Send(peer, 0, 9, Values(9, 1));
  Rest(world);
  world.Open(peer, 1, Named("b"));
  world.store().FailSaves(true);  // "b" keeps the only row
  world.Send(peer, 1, 0, Values(0, 1));
  Push(world, peer, 0, 10, Values(10, 100));
  EXPECT_TRUE(world.shard().AdmitsTokens(peer, 3000));
  world.store().FailSaves(false);
  for (int i = 0; i < 8; ++i) world.Advance(kInterval);
  EXPECT_EQ(peer.Count(Event::kFailed, 0), 1);
  world.Send(peer, 0, 5, Values(5, 1));
  for (int i = 0; i < 4; ++i) world.Advance(kInterval);
  EXPECT_EQ(peer.Forecasts(0), world.engine().Forecasts(Values(0, 6)));
}

TEST(TierTest, ManyChannelsComeBackTogether) {
  World world(NoRowsStay());
  FakePeer peer;
  session::OpenRequest request = Named("a");
  request.channels = 3;
  world.Open(peer, 0, request);
  world.Send(peer, 0, 0, Values(0, 6));
  Rest(world);
  EXPECT_EQ(Rows(world), 0);
  world.Send(peer, 0, 2, Values(6, 3));
  EXPECT_EQ(peer.Last(Event::kForecasts, 0).next_seq, 3);
  EXPECT_EQ(Rows(world), 3);
}

TEST(TierTest, CloseIsAnsweredWithoutTheRow) {
  World world(NoRowsStay());
  FakePeer peer;
  OpenAndRest(world, peer, 0, "a");
  const uint64_t loads = world.store().loads();
  world.shard().Close(peer, 0, false, std::nullopt);
  EXPECT_EQ(peer.Last().kind, Event::kClosed);
  EXPECT_EQ(peer.Last().next_seq, 5);
  EXPECT_EQ(peer.Last().durable_seq, 5);
  EXPECT_EQ(world.store().loads(), loads);
  EXPECT_EQ(Demoted(world), 0);
}

TEST(TierTest, CloseBehindTokensWaitsForThem) {
  World world(NoRowsStay());
  FakePeer peer;
  OpenAndRest(world, peer, 0, "a");
  Push(world, peer, 0, 5, Values(5, 2));
  world.shard().Close(peer, 0, false, std::nullopt);
  EXPECT_TRUE(world.shard().IsClosing(peer, 0));
  world.Settle();
  EXPECT_EQ(peer.Last().kind, Event::kClosed);
  EXPECT_EQ(peer.Last().next_seq, 7);
}

TEST(TierTest, CloseMayDelete) {
  World world(NoRowsStay());
  FakePeer peer;
  OpenAndRest(world, peer, 0, "a");
  world.shard().Close(peer, 0, true, std::nullopt);
  world.Settle();
  EXPECT_EQ(peer.Last().kind, Event::kClosed);
  EXPECT_FALSE(world.store().Load("/a").ok());
  EXPECT_EQ(Demoted(world), 0);
}

TEST(TierTest, NothingIsLeftWhenItsStreamGoes) {
  World world(NoRowsStay());
  FakePeer peer;
  OpenAndRest(world, peer, 0, "a");
  world.shard().Disconnect(peer);
  EXPECT_EQ(Demoted(world), 0);
  FakePeer next;
  world.Open(next, 0, Named("a"));
  EXPECT_EQ(next.Last().opened.next_seq, 5);
}

TEST(TierTest, AStreamThatGoesWhileTheRowComesLeavesNoRow) {
  World world(NoRowsStay());
  FakePeer peer;
  OpenAndRest(world, peer, 0, "a");
  Push(world, peer, 0, 5, Values(5, 1));
  world.shard().Disconnect(peer);
  world.Advance(kInterval);
  EXPECT_EQ(Rows(world), 0);
  EXPECT_EQ(world.shard().counters().queued_bytes.value(), 0);
  FakePeer next;
  world.Open(next, 0, Named("a"));
  EXPECT_EQ(next.Last().opened.next_seq, 5);
}

TEST(TierTest, WhoTakesItOnAnotherShardEndsItAtOnce) {
  World world(NoRowsStay(), 2);
  FakePeer peer, taker;
  OpenAndRest(world, peer, 0, "a");
  world.Open(taker, 0, Named("a"), 1);
  EXPECT_EQ(taker.Last().opened.next_seq, 5);
  EXPECT_TRUE(absl::IsAborted(peer.Last(Event::kFailed, 0).refusal.status));
  EXPECT_EQ(Demoted(world, 0), 0);
}

TEST(TierTest, WhoTakesItOnTheSameShardEndsItAtOnce) {
  World world(NoRowsStay());
  FakePeer peer, taker;
  OpenAndRest(world, peer, 0, "a");
  world.Open(taker, 7, Named("a"));
  EXPECT_EQ(taker.Last().opened.next_seq, 5);
  EXPECT_TRUE(absl::IsAborted(peer.Last(Event::kFailed, 0).refusal.status));
}

TEST(TierTest, TokensBehindATakeoverGetOneRefusal) {
  World world(NoRowsStay(), 2);
  FakePeer peer, taker;
  OpenAndRest(world, peer, 0, "a");
  world.shard(1).Open(taker, 0, Named("a"));
  Push(world, peer, 0, 5, Values(5, 1));
  world.Settle();
  EXPECT_EQ(taker.Count(Event::kOpened, 0), 1);
  EXPECT_EQ(peer.Count(Event::kFailed, 0), 1);
  EXPECT_EQ(Rows(world, 0), 0);
}

TEST(TierTest, DeleteAndImportEndItAtOnce) {
  World world(NoRowsStay());
  FakePeer peer;
  OpenAndRest(world, peer, 0, "a");
  OpenAndRest(world, peer, 1, "b");
  const session::Outcome<registrar::Snapshot> snapshot = world.Export("a");
  ASSERT_FALSE(snapshot.refusal);
  world.Delete("a");
  world.Import("b", snapshot.value.bytes, true);
  world.Settle();
  EXPECT_TRUE(absl::IsAborted(peer.Last(Event::kFailed, 0).refusal.status));
  EXPECT_TRUE(absl::IsAborted(peer.Last(Event::kFailed, 1).refusal.status));
}

TEST(TierTest, IsDescribedAndCopiedLikeAnyOther) {
  World world(NoRowsStay());
  FakePeer peer, other;
  OpenAndRest(world, peer, 0, "a");
  const session::SessionInfo info = world.Get("a").value;
  EXPECT_TRUE(info.attached);
  EXPECT_FALSE(info.resident);
  EXPECT_EQ(info.next_seq, 5);
  EXPECT_TRUE(world.List("", "", 10).value.sessions[0].attached);
  EXPECT_EQ(world.Export("a").value.next_seq, 5);
  world.Fork("a", "b");
  world.Open(other, 0, Named("b"));
  world.Send(other, 0, 5, Values(5, 1));
  EXPECT_EQ(other.Forecasts(0)[0], world.engine().Forecasts(Values(0, 6))[5]);
  EXPECT_EQ(Demoted(world), 1);
}

TEST(TierTest, TokensWaitWhileTheStoreIsAway) {
  World world(NoRowsStay());
  FakePeer peer;
  OpenAndRest(world, peer, 0, "a");
  const size_t events = peer.events.size();
  world.store().FailAll(true);
  world.Send(peer, 0, 5, Values(5, 1));
  for (int i = 0; i < 100; ++i) world.Advance(absl::Seconds(1));
  EXPECT_EQ(peer.events.size(), events);
  EXPECT_TRUE(world.shard().Owes(peer));
  world.store().FailAll(false);
  world.Advance(absl::Seconds(10));
  EXPECT_EQ(peer.Forecasts(0), world.engine().Forecasts(Values(0, 6)));
}

TEST(TierTest, AServerThatLeavesDoesNotWaitForAStoreThatIsAway) {
  World world(NoRowsStay());
  FakePeer peer;
  OpenAndRest(world, peer, 0, "a");
  world.store().FailAll(true);
  world.Send(peer, 0, 5, Values(5, 1));
  world.shard().SaveAll();
  world.Advance(absl::Milliseconds(5));
  EXPECT_FALSE(world.shard().TokensWait());
  EXPECT_FALSE(world.shard().Busy());
  EXPECT_TRUE(absl::IsUnavailable(peer.Last(Event::kFailed, 0).refusal.status));
}

TEST(TierTest, ADamagedRecordEndsOnlyItsSession) {
  World world(NoRowsStay());
  FakePeer peer;
  OpenAndRest(world, peer, 0, "a");
  OpenAndRest(world, peer, 1, "b");
  world.store().DamageRows("/a");
  world.Send(peer, 0, 5, Values(5, 1));
  world.Send(peer, 1, 5, Values(5, 1));
  EXPECT_EQ(peer.Last(Event::kFailed, 0).refusal.status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(peer.Last(Event::kFailed, 0).refusal.status.message(), HasSubstr("/a"));
  EXPECT_EQ(peer.Forecasts(1), world.engine().Forecasts(Values(0, 6)));
}

TEST(TierTest, OneThatAnotherServerHasTakenIsFenced) {
  World world(NoRowsStay());
  FakePeer peer;
  OpenAndRest(world, peer, 0, "a");
  TakeElsewhere(world, "/a");
  world.Send(peer, 0, 5, Values(5, 1));
  EXPECT_TRUE(absl::IsAborted(peer.Last(Event::kFailed, 0).refusal.status));
  EXPECT_EQ(Rows(world), 0);
}

TEST(TierTest, OneThatIsTakenWithinTheServerIsCountedApart) {
  World world(NoRowsStay());
  FakePeer peer, taker;
  for (const session::Handle handle : {0, 1}) OpenAndRest(world, peer, handle, absl::StrCat("s", handle));
  world.Open(taker, 0, Named("s0"));
  EXPECT_EQ(world.shard().counters().sessions_taken_over.value(), 1u);
  EXPECT_EQ(world.shard().counters().sessions_fenced.value(), 0u);
  TakeElsewhere(world, "/s1");
  world.Send(peer, 1, 5, Values(5, 1));
  EXPECT_EQ(world.shard().counters().sessions_taken_over.value(), 1u);
  EXPECT_EQ(world.shard().counters().sessions_fenced.value(), 1u);
}

}  // namespace
}  // namespace aaren::shard
