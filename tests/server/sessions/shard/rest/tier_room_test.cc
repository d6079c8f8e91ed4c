// Sessions leave memory to make room for promoted and opened sessions.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "absl/strings/str_cat.h"
#include "tests/server/sessions/shard/world/tiers.h"

namespace aaren::shard {
namespace {

using ::testing::HasSubstr;
using Event = FakePeer::Event;

TEST(TierRoomTest, NoRowIsReleasedBeforeItsSaveIsInTheStore) {
  World world(NoRowsStay());
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  world.store().FailSaves(true);
  world.Send(peer, 0, 0, Values(0, 5));
  Rest(world);
  EXPECT_EQ(Rows(world), 1);
  world.store().FailSaves(false);
  Rest(world);
  EXPECT_EQ(Rows(world), 0);
}

TEST(TierRoomTest, WhoClaimsMoreThanItWasSentKeepsNoRow) {
  World world(NoRowsStay());
  FakePeer peer;
  world.Open(peer, 0, Named("a", 0));
  world.Send(peer, 0, 0, Values(0, 5), uint64_t{1} << 40);
  Rest(world);
  EXPECT_EQ(Rows(world), 0);
  world.Send(peer, 0, 5, Values(5, 1), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(peer.Forecasts(0), world.engine().Forecasts(Values(0, 6)));
  Rest(world);
  EXPECT_EQ(Rows(world), 0);
}

TEST(TierRoomTest, RowsStayAsLongAsTheyFit) {
  World world({.max_resident_bytes = 2 * kRowBytes, .save_interval = kInterval});
  FakePeer peer;
  for (session::Handle handle = 0; handle < 5; ++handle) OpenAndRest(world, peer, handle, absl::StrCat("s", handle));
  EXPECT_EQ(Rows(world), 2);
  EXPECT_EQ(Demoted(world), 3);
}

TEST(TierRoomTest, TheLeastRecentlyUsedLeaveFirst) {
  World world({.max_resident_bytes = 2 * kRowBytes, .save_interval = kInterval});
  FakePeer peer;
  OpenAndRest(world, peer, 0, "a");
  OpenAndRest(world, peer, 1, "b");
  world.Send(peer, 0, 5, Values(5, 1));
  Rest(world);
  OpenAndRest(world, peer, 2, "c");
  EXPECT_TRUE(world.Get("a").value.resident);
  EXPECT_FALSE(world.Get("b").value.resident);
}

TEST(TierRoomTest, AWaitingSaveDoesNotKeepAQuietSessionInMemory) {
  World world(NoRowsStay());
  FakePeer peer;
  world.Open(peer, 0, Named("a", 0));
  world.Send(peer, 0, 0, Values(0, 5), 0);
  world.Advance(kInterval);
  world.Send(peer, 0, 5, Values(5, 2), 3);  // the next save waits for delivered_seq 5
  Rest(world);
  EXPECT_EQ(Rows(world), 0);
  world.Send(peer, 0, 7, Values(7, 1), 7);
  EXPECT_EQ(peer.Forecasts(0), world.engine().Forecasts(Values(0, 8)));
}

TEST(TierRoomTest, ASaveThatIsBeingReplacedDoesNotBecomeDurable) {
  World world(NoRowsStay());
  FakePeer peer, next;
  world.Open(peer, 0, Named("a", 0));
  world.Send(peer, 0, 0, Values(0, 5), 0);
  world.Advance(kInterval);  // saved at 5
  world.Send(peer, 0, 5, Values(5, 5), 3);
  world.clock().Advance(3 * kInterval);
  world.shard().Tick();  // the save at 10 replaces the save at 5
  world.Send(peer, 0, 10, Values(10, 1), 7);
  const uint64_t durable_seq = peer.Last(Event::kForecasts, 0).durable_seq;
  world.shard().Disconnect(peer);
  Rest(world);
  world.Open(next, 0, Named("a", 7));
  EXPECT_GE(next.Last().opened.next_seq, durable_seq);
}

TEST(TierRoomTest, SessionThatIsNeverSavedMakesRoomForOneThatComesBack) {
  World world(ShardOptions{.capacity_rows = 1, .save_interval = kInterval});
  FakePeer peer, other;
  world.Open(peer, 0, Named("a", 0));
  world.Send(peer, 0, 0, Values(0, 3), 3);
  Rest(world);
  session::OpenRequest none = Named("b", 0);
  none.durability = session::SessionDurability::kNone;
  world.Open(other, 0, none);
  world.Send(other, 0, 0, Values(0, 2), 2);
  ASSERT_EQ(Demoted(world), 1);
  world.Send(peer, 0, 3, Values(3, 1), 4);
  EXPECT_EQ(other.Count(Event::kFailed, 0), 0);  // further sessions may still leave
  Rest(world);
  EXPECT_EQ(peer.Forecasts(0), world.engine().Forecasts(Values(0, 4)));
  EXPECT_EQ(other.Last().refusal.reason, "EVICTED");
}

TEST(TierRoomTest, WhereSessionsExpireASilentOneDoes) {
  ShardOptions options = NoRowsStay();
  options.session_ttl = absl::Minutes(10);
  World world(options);
  FakePeer peer;
  OpenAndRest(world, peer, 0, "a");
  ASSERT_EQ(Demoted(world), 1);
  world.Advance(absl::Minutes(9));
  EXPECT_EQ(Demoted(world), 1);
  world.Advance(absl::Minutes(2));
  world.Advance(absl::Minutes(2));
  EXPECT_TRUE(absl::IsNotFound(peer.Last(Event::kFailed, 0).refusal.status));
  EXPECT_EQ(Demoted(world), 0);
}

TEST(TierRoomTest, WhereSessionsExpireACloseCountsAsUse) {
  ShardOptions options = NoRowsStay();
  options.session_ttl = absl::Minutes(10);
  World world(options);
  FakePeer peer;
  OpenAndRest(world, peer, 0, "a");
  world.Advance(absl::Minutes(9));
  world.shard().Close(peer, 0, false, std::nullopt);
  world.Settle();
  EXPECT_EQ(peer.Last().kind, Event::kClosed);
  world.Advance(absl::Minutes(9));
  EXPECT_FALSE(world.Get("a").refusal);
}

TEST(TierRoomTest, AnOpenFindsRoomWhereAllRowsAreOfSilentStreams) {
  World world({.capacity_rows = 2, .save_interval = kInterval});
  FakePeer peer;
  OpenAndRest(world, peer, 0, "a");
  OpenAndRest(world, peer, 1, "b");
  world.Open(peer, 2, Named("c"));
  EXPECT_EQ(peer.Last().kind, Event::kOpened);
  EXPECT_EQ(Demoted(world), 1);
}

TEST(TierRoomTest, ThoseThatComeBackTakeTurnsInAFullSlab) {
  World world({.capacity_rows = 1, .save_interval = kInterval});
  FakePeer peer;
  for (session::Handle handle = 0; handle < 4; ++handle) OpenAndRest(world, peer, handle, absl::StrCat("s", handle));
  for (session::Handle handle = 0; handle < 4; ++handle) Push(world, peer, handle, 5, Values(5, 3));
  for (int i = 0; i < 20; ++i) world.Advance(kInterval);
  for (session::Handle handle = 0; handle < 4; ++handle) {
    EXPECT_EQ(peer.Forecasts(handle), world.engine().Forecasts(Values(0, 8))) << handle;
  }
}

TEST(TierRoomTest, AModelWhoseRowsAreAllInUseKeepsNoOtherWaiting) {
  World world({.capacity_rows = 1, .max_resident_bytes = 0, .save_interval = kInterval});
  FakePeer peer;
  for (session::Handle handle : {0, 1, 2}) {
    session::OpenRequest request = Named(absl::StrCat("s", handle));
    request.model = handle == 1 ? "sum:2" : "sum:1";
    world.Open(peer, handle, request);
    if (handle == 2) world.store().FailSaves(true);
    world.Send(peer, handle, 0, Values(0, 5));
    Rest(world);
  }
  EXPECT_EQ(Demoted(world), 2);  // the third session keeps a row
  Push(world, peer, 0, 5, Values(5, 1));
  Push(world, peer, 1, 5, Values(5, 1));
  world.Settle();
  EXPECT_EQ(peer.Forecasts(0).size(), 5u);
  EXPECT_EQ(peer.Forecasts(1), world.engine("sum:2").Forecasts(Values(0, 6)));
  world.store().FailSaves(false);
  for (int i = 0; i < 20; ++i) world.Advance(kInterval);
  EXPECT_EQ(peer.Forecasts(0), world.engine("sum:1").Forecasts(Values(0, 6)));
}

TEST(TierRoomTest, RowsThatAreWantedAreSavedBeforeTheirTime) {
  World world({.capacity_rows = 1, .save_interval = absl::Hours(1)});
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  world.Open(peer, 1, Named("b"));
  world.Send(peer, 1, 0, Values(0, 1));
  world.Send(peer, 0, 0, Values(0, 1));  // "b" has the only row
  for (int i = 0; i < 4; ++i) world.Advance(absl::Milliseconds(5));
  EXPECT_EQ(peer.Forecasts(0), world.engine().Forecasts(Values(0, 1)));
}

TEST(TierRoomTest, WhereNothingIsSavedNobodyLeaves) {
  World world({.max_resident_bytes = 0, .save_interval = absl::ZeroDuration()});
  FakePeer peer;
  OpenAndRest(world, peer, 0, "a");
  EXPECT_EQ(Rows(world), 1);
}

TEST(TierRoomTest, TheBudgetIsGivenBack) {
  memory::MemoryBudget budget(1 << 20);
  ShardOptions options = NoRowsStay();
  options.ties.budget = &budget;
  World world(options);
  FakePeer peer;
  OpenAndRest(world, peer, 0, "a");
  EXPECT_GT(budget.used(memory::MemoryBudget::Use::kSessions), 0);
  EXPECT_LE(budget.used(memory::MemoryBudget::Use::kSessions), 96 + task::PlanTable::BytesOf({}));
  world.Send(peer, 0, 5, Values(5, 1));
  Rest(world);
  world.shard().Disconnect(peer);
  EXPECT_EQ(budget.used(memory::MemoryBudget::Use::kSessions), 0);
}

TEST(TierRoomTest, WhatEachAsksForCountsWhileItsRowIsAway) {
  memory::MemoryBudget budget(1 << 20);
  ShardOptions options = NoRowsStay();
  options.ties.budget = &budget;
  World world(options);
  FakePeer peer;
  for (session::Handle handle = 0; handle < 10; ++handle) {
    session::OpenRequest request = Named(absl::StrCat("s", handle));
    request.output.every = handle + 1;
    world.Open(peer, handle, request);
  }
  Rest(world);
  ASSERT_EQ(Demoted(world), 10);
  EXPECT_GE(budget.used(memory::MemoryBudget::Use::kSessions), 10 * (64 + task::PlanTable::BytesOf({})));
  world.shard().Disconnect(peer);
  Rest(world);
  EXPECT_EQ(budget.used(memory::MemoryBudget::Use::kSessions), 0);
}

TEST(TierRoomTest, TellsWhatItDid) {
  World world(NoRowsStay());
  FakePeer peer;
  OpenAndRest(world, peer, 0, "a");
  world.Advance(absl::Seconds(30));
  world.Send(peer, 0, 5, Values(5, 1));
  const ShardCounters& counters = world.shard().counters();
  EXPECT_EQ(counters.demotions.value(), 1);
  EXPECT_EQ(counters.promotions.value(), 1);
  EXPECT_GE(counters.reuse_seconds.sum(), 30);
  uint64_t promotions = 0;
  for (size_t bucket = 0; bucket <= counters::kLatencyBounds.size(); ++bucket) {
    promotions += counters.promotion_seconds.count(bucket);
  }
  EXPECT_EQ(promotions, 1);
}

}  // namespace
}  // namespace aaren::shard
