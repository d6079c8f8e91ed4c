// Failures: an unreachable store, a failing engine, an unloaded model.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/sessions/shard/world/world.h"

namespace aaren::shard {
namespace {

using ::testing::HasSubstr;
using Event = FakePeer::Event;

TEST(StoreFailureTest, RefusesOpensAndLeavesWritersAlone) {
  World world(ShardOptions{.save_interval = kInterval});
  FakePeer writer, other;
  world.Open(writer, 0, Named("a"));
  world.store().FailAll(true);
  world.Open(other, 0, Named("a"));
  EXPECT_EQ(other.Last().refusal.status.code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(other.Last().refusal.retry_after.has_value());
  world.Open(other, 1, Named("b"));
  EXPECT_EQ(other.Last().refusal.status.code(), absl::StatusCode::kUnavailable);
  world.Send(writer, 0, 0, Values(0, 2));
  EXPECT_EQ(writer.Last().kind, Event::kForecasts);
  EXPECT_EQ(world.shard().counters().slots_used.value(), 1);
}

TEST(StoreFailureTest, InTheMiddleOfAnOpenLosesNothing) {
  World world(ShardOptions{.save_interval = kInterval}, 2);
  FakePeer writer, other;
  world.Open(writer, 0, Named("a"), 0);
  world.Send(writer, 0, 0, Values(0, 3), std::nullopt, 0);
  for (const int shard : {0, 1}) {
    world.store().FailSaves(true);
    world.Open(other, static_cast<session::Handle>(shard), Named("a"), shard);
    EXPECT_EQ(other.Last().refusal.status.code(), absl::StatusCode::kUnavailable);
    world.store().FailSaves(false);
  }
  world.Open(other, 2, Named("a"), 0);
  EXPECT_EQ(other.Last().opened.next_seq, 3);
  world.Send(other, 2, 3, Values(3, 1), std::nullopt, 0);
  EXPECT_EQ(other.Forecasts(2)[0], world.engine().Forecasts(Values(0, 4))[3]);
}

TEST(StoreFailureTest, RefusesUnaryCalls) {
  World world(ShardOptions{.save_interval = kInterval});
  world.store().FailAll(true);
  EXPECT_TRUE(absl::IsUnavailable(world.Get("a").refusal->status));
  EXPECT_TRUE(absl::IsUnavailable(world.Delete("a").refusal->status));
  EXPECT_TRUE(absl::IsUnavailable(world.List("", "", 10).refusal->status));
}

TEST(StoreFailureTest, OfADeletionLeavesTheSessionWhatItWas) {
  World world(ShardOptions{.save_interval = kInterval});
  FakePeer writer;
  world.Open(writer, 0, Named("a"));
  world.Send(writer, 0, 0, Values(0, 3));  // not saved yet
  world.store().FailSaves(true);
  EXPECT_TRUE(absl::IsUnavailable(world.Delete("a").refusal->status));
  world.store().FailSaves(false);
  EXPECT_EQ(world.Get("a").value.next_seq, 3u);
  world.Send(writer, 0, 3, Values(3, 1));
  EXPECT_EQ(writer.Last().kind, Event::kForecasts);
  world.Advance(kInterval);
  EXPECT_EQ(writer.Last().durable_seq, 4u);
}

TEST(StoreFailureTest, DamagedSessionMayBeDeleted) {
  World world(ShardOptions{.save_interval = kInterval});
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  world.shard().Disconnect(peer);
  world.Advance(kInterval);
  World restarted(ShardOptions{.save_interval = kInterval}, 1, world.shared_store());
  world.store().Damage("/a");
  EXPECT_EQ(restarted.Get("a").refusal->status.code(), absl::StatusCode::kDataLoss);
  EXPECT_FALSE(restarted.Delete("a").refusal);
  EXPECT_EQ(restarted.Get("a").refusal->status.code(), absl::StatusCode::kNotFound);
}

TEST(StoreFailureTest, SessionThatAnotherVersionWroteIsRefusedForGoodAndMayBeDeletedOrReplaced) {
  World world(ShardOptions{.save_interval = kInterval});
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  world.Send(peer, 0, 0, Values(0, 3));
  const std::string snapshot = world.Export("a").value.bytes;
  world.shard().Disconnect(peer);
  world.Advance(kInterval);
  World restarted(ShardOptions{.save_interval = kInterval}, 1, world.shared_store());
  world.store().Damage("/a", absl::FailedPreconditionError("format version 9"));
  FakePeer again;
  restarted.Open(again, 0, Named("a"));
  EXPECT_EQ(again.Last().refusal.status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(again.Last().refusal.reason, "STATE_SCHEMA");
  EXPECT_FALSE(again.Last().refusal.retry_after.has_value());
  EXPECT_EQ(restarted.Import("a", snapshot, /*replace=*/true).value.next_seq, 3u);
  EXPECT_FALSE(restarted.Delete("a").refusal);
}

TEST(StoreFailureTest, DamagedSessionMayBeReplaced) {
  World world(ShardOptions{.save_interval = kInterval});
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  world.Send(peer, 0, 0, Values(0, 3));
  const std::string snapshot = world.Export("a").value.bytes;
  world.store().Damage("/b");
  EXPECT_EQ(world.Import("b", snapshot, /*replace=*/false).refusal->status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(world.Import("b", snapshot, /*replace=*/true).value.next_seq, 3u);
}

TEST(StoreFailureTest, OfRowsThatAreDamagedRefusesTheOpenAndLeavesRoomForAnother) {
  World world(ShardOptions{.capacity_rows = 1, .save_interval = kInterval});
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  world.Send(peer, 0, 0, Values(0, 3));
  world.shard().Disconnect(peer);
  world.Advance(kInterval);
  World restarted(ShardOptions{.capacity_rows = 1, .save_interval = kInterval}, 1, world.shared_store());
  world.store().DamageRows("/a");
  FakePeer again;
  restarted.Open(again, 0, Named("a"));
  EXPECT_EQ(again.Last().refusal.status.code(), absl::StatusCode::kDataLoss);
  restarted.Open(again, 1, Named("b"));
  EXPECT_EQ(again.Count(FakePeer::Event::kOpened, 1), 1u);
}

TEST(StoreFailureTest, AnOpenThatFindsNoRoomLoadsNoRows) {
  World world(ShardOptions{.save_interval = kInterval});
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  world.Send(peer, 0, 0, Values(0, 3));
  world.shard().Disconnect(peer);
  world.Advance(kInterval);
  World full(ShardOptions{.capacity_rows = 1, .save_interval = kInterval}, 1, world.shared_store());
  FakePeer other;
  full.Open(other, 0, Named("b"));
  full.Send(other, 0, 0, Values(0, 1));
  const uint64_t before = full.store().loads();
  full.Open(other, 1, Named("a"));
  EXPECT_EQ(other.Last().refusal.status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(full.store().loads(), before);
}

TEST(StoreFailureTest, ASessionWiderThanTheLimitIsRefusedByNameAndKept) {
  World world(ShardOptions{.max_channels = 8, .save_interval = kInterval});
  FakePeer peer;
  session::OpenRequest wide = Named("a");
  wide.channels = 8;
  world.Open(peer, 0, wide);
  world.shard().Disconnect(peer);
  world.Advance(kInterval);
  World narrow(ShardOptions{.max_channels = 4, .save_interval = kInterval}, 1, world.shared_store());
  FakePeer again;
  narrow.Open(again, 0, Named("a"));
  EXPECT_EQ(again.Last().refusal.reason, "STATE_SCHEMA");
  EXPECT_THAT(std::string(again.Last().refusal.status.message()), HasSubstr("channels '8', here it is 'at most 4'"));
  EXPECT_TRUE(world.store().Load("/a").ok());
}

TEST(StoreFailureTest, OfRowsThatAreNoRowsRefusesTheOpen) {
  World world(ShardOptions{.save_interval = kInterval});
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  world.Send(peer, 0, 0, Values(0, 3));
  world.Advance(kInterval);
  World restarted(ShardOptions{.save_interval = kInterval}, 1, world.shared_store());
  store::SessionRecord record = world.store().Load("/a").value();
  record.saves[0].rows[0] ^= 1;
  ASSERT_TRUE(world.store().Put(record).ok());
  FakePeer again;
  restarted.Open(again, 0, Named("a"));
  EXPECT_EQ(again.Last().refusal.status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(restarted.shard().counters().slots_used.value(), 0);
}

// A Redis may come back with earlier data. The client keeps no tokens below durable_seq.
TEST(StoreFailureTest, ASessionWhoseSaveIsLostGoesOnFromWhatIsInMemory) {
  World world(ShardOptions{.save_interval = kInterval});
  FakePeer peer, again;
  world.Open(peer, 0, Named("a", 0));
  world.Send(peer, 0, 0, Values(0, 3), 0);
  world.Advance(kInterval);
  world.Send(peer, 0, 3, Values(3, 2), 3);
  store::SessionRecord record = world.store().Load("/a").value();
  record.saves.clear();
  ASSERT_TRUE(world.store().Put(record).ok());
  world.Open(again, 0, Named("a", 4));
  EXPECT_EQ(again.Last().opened.next_seq, 5u);
  EXPECT_EQ(again.Last().opened.lost, std::make_pair(uint64_t{4}, uint64_t{5}));
  world.Send(again, 0, 5, Values(5, 1), 5);
  EXPECT_EQ(again.Forecasts(0)[0], world.engine().Forecasts(Values(0, 6))[5]);
}

// A later save may be in the store while the answer to the save is under way.
TEST(StoreFailureTest, ASaveAfterTheOneThatItsClientWasToldOfServes) {
  World world(ShardOptions{.save_interval = kInterval}), other(ShardOptions{.save_interval = kInterval});
  FakePeer peer, again, elsewhere;
  world.Open(peer, 0, Named("a", 0));
  world.Send(peer, 0, 0, Values(0, 3), 0);
  world.Advance(kInterval);
  world.Send(peer, 0, 3, Values(3, 2), 3);
  other.Open(elsewhere, 0, Named("a", 0));
  other.Send(elsewhere, 0, 0, Values(0, 4), 0);
  other.Advance(kInterval);
  store::SessionRecord record = world.store().Load("/a").value();
  record.saves = other.store().Load("/a")->saves;
  ASSERT_TRUE(world.store().Put(record).ok());
  world.Open(again, 0, Named("a", 4));
  EXPECT_EQ(again.Last().opened.next_seq, 4u);
  EXPECT_EQ(again.Last().opened.lost, std::nullopt);
  world.Send(again, 0, 4, Values(4, 1), 4);
  EXPECT_EQ(again.Forecasts(0)[0], world.engine().Forecasts(Values(0, 5))[4]);
}

TEST(EngineFailureTest, RefusesTheTokensAndGoesBackToTheLastSave) {
  World world(ShardOptions{.save_interval = kInterval});
  FakePeer peer;
  world.Open(peer, 0, Named("a", 0));
  world.Send(peer, 0, 0, Values(0, 3), 0);
  world.Advance(kInterval);
  world.Send(peer, 0, 3, Values(3, 1), 4);
  world.engine().FailNextStep();
  world.Send(peer, 0, 4, Values(4, 2), 4);
  EXPECT_EQ(peer.Last().refusal.status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(peer.Last().refusal.status.message()), HasSubstr("told to fail"));
  EXPECT_EQ(world.shard().counters().tokens_refused.value(), 2);
  world.Open(peer, 1, Named("a", 4));
  EXPECT_EQ(peer.Last().opened.next_seq, 3);
  world.Send(peer, 1, 3, Values(3, 3), 4);
  EXPECT_EQ(peer.Forecasts(1)[2], world.engine().Forecasts(Values(0, 6))[5]);
}

TEST(EngineFailureTest, SparesSessionsOfOtherCalls) {
  World world(ShardOptions{.max_step_tokens = 2});
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  world.Open(peer, 1, Named("b"));
  world.engine().FailNextStep();
  const std::vector<float> values = Values(0, 2);
  for (session::Handle handle : {0, 1}) {
    session::TokensView tokens;
    tokens.handle = handle;
    tokens.values = values;
    world.shard().Tokens(peer, tokens);
  }
  world.Settle();
  EXPECT_EQ(peer.Last(Event::kFailed, 0).refusal.status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(peer.Forecasts(1), world.engine().Forecasts(values));
}

TEST(EngineFailureTest, ForgetsWhatElseWaitedForTheSession) {
  World world(ShardOptions{.max_step_tokens = 2});
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  world.engine().FailNextStep();
  for (uint64_t seq = 0; seq < 6; seq += 2) {
    const std::vector<float> values = Values(seq, 2);
    session::TokensView tokens;
    tokens.first_seq = seq;
    tokens.values = values;
    world.shard().Tokens(peer, tokens);
  }
  world.Settle();
  EXPECT_EQ(peer.Count(Event::kFailed, 0), 1);
  EXPECT_EQ(peer.Count(Event::kForecasts, 0), 0);
  EXPECT_EQ(world.shard().counters().tokens_refused.value(), 6);
}

TEST(ModelGoneTest, RefusesTheOpenOfAStoredSession) {
  World world(ShardOptions{.save_interval = kInterval});
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  world.Send(peer, 0, 0, Values(0, 3));
  world.Advance(kInterval);
  auto models = std::make_unique<models::ModelTable>();
  package::ModelPackage package;
  package.name = "sum";
  package.version = 1;
  package.digest = "another digest";
  ASSERT_TRUE(models->Add(std::move(package), std::make_unique<FakeEngine>()).ok());
  World changed(ShardOptions{.save_interval = kInterval}, 1, world.shared_store(), std::move(models));
  FakePeer again;
  changed.Open(again, 0, Named("a"));
  EXPECT_EQ(again.Last().refusal.status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(again.Last().refusal.reason, "STATE_SCHEMA");
  EXPECT_EQ(changed.Export("a").refusal->reason, "STATE_SCHEMA");
}

// The Open would go back to the save at 2, but the store refuses the write: the session stays at 5.
TEST(StoreFailureTest, OfAnOpenThatGoesBackLeavesTheSessionWhereItWas) {
  World world(ShardOptions{.save_interval = kInterval}, 2);
  FakePeer peer, again;
  world.Open(peer, 0, Named("a", 0));
  world.Send(peer, 0, 0, Values(0, 2), 2);
  world.Advance(kInterval);
  world.Send(peer, 0, 2, Values(2, 3), 2);
  world.shard().Disconnect(peer);
  world.store().FailSaves(true);
  world.Open(again, 0, Named("a", 3), 1);
  EXPECT_EQ(again.Last().refusal.status.code(), absl::StatusCode::kUnavailable);
  world.store().FailSaves(false);
  EXPECT_EQ(world.Get("a").value.next_seq, 5);
  world.Open(again, 1, Named("a", 3), 1);
  EXPECT_EQ(again.Last().opened.next_seq, 2);
  EXPECT_FALSE(again.Last().opened.lost.has_value());
}

}  // namespace
}  // namespace aaren::shard
