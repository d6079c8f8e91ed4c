// While the store is away, a session goes on until the client keeps the most unsaved tokens, and afterwards waits.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/sessions/shard/world/world.h"
#include "tests/server/store/hanging_store.h"

namespace aaren::shard {
namespace {

using Event = FakePeer::Event;

// A client's session of at most 8 unsaved tokens; the store is away.
class StoreAwayTest : public testing::Test {
 protected:
  void SetUp() override {
    world_.Open(peer_, 0, Named("a"));
    world_.Send(peer_, 0, 0, Values(0, 2));
    world_.Advance(kInterval);
    world_.store().FailAll(true);
  }

  // Sends tokens. True if the shard takes the tokens.
  bool Offer(uint64_t first_seq, size_t count, std::optional<uint64_t> delivered_seq = std::nullopt) {
    const std::vector<float> values = Values(first_seq, count);
    session::TokensView tokens;
    tokens.first_seq = first_seq;
    tokens.values = values;
    tokens.delivered_seq = delivered_seq;
    const bool taken = world_.shard().Tokens(peer_, tokens);
    world_.Settle();
    return taken;
  }

  World world_{ShardOptions{.max_undurable_tokens = 8, .save_interval = kInterval}};
  FakePeer peer_;
};

TEST_F(StoreAwayTest, SessionGoesOnUntilItsClientKeepsAsMuchAsItMay) {
  EXPECT_TRUE(Offer(2, 4));
  world_.Advance(kInterval);
  EXPECT_TRUE(Offer(6, 4));
  EXPECT_EQ(peer_.Forecasts(0).size(), 10u);
  EXPECT_FALSE(Offer(10, 1));
  EXPECT_EQ(peer_.Count(Event::kFailed, 0), 0u);
  EXPECT_EQ(world_.shard().counters().queued_tokens.value(), 0u);
}

TEST_F(StoreAwayTest, TokensThatWaitToBeSteppedCount) {
  for (uint64_t seq = 2; seq < 10; ++seq) {
    session::TokensView tokens;
    const std::vector<float> values = Values(seq, 1);
    tokens.first_seq = seq;
    tokens.values = values;
    EXPECT_TRUE(world_.shard().Tokens(peer_, tokens)) << seq;
    if (seq < 9) continue;
    EXPECT_FALSE(world_.shard().Tokens(peer_, tokens));
  }
}

TEST_F(StoreAwayTest, ItGoesOnByItselfWhenTheStoreIsBack) {
  ASSERT_TRUE(Offer(2, 8));
  ASSERT_FALSE(Offer(10, 1));
  world_.Advance(kInterval);
  EXPECT_EQ(peer_.rooms, 1);  // for the Open
  world_.store().FailAll(false);
  world_.Advance(kInterval);
  EXPECT_EQ(peer_.rooms, 2);
  EXPECT_EQ(peer_.Last().durable_seq, 10u);
  EXPECT_TRUE(Offer(10, 1));
  EXPECT_EQ(peer_.Forecasts(0)[10], world_.engine().Forecasts(Values(0, 11))[10]);
}

TEST_F(StoreAwayTest, WhatIsSavedAndNotDeliveredIsTheClientsTurn) {
  world_.store().FailAll(false);
  ASSERT_TRUE(Offer(2, 4, 2));
  world_.Advance(kInterval);  // the save at 6 waits for a delivered_seq
  world_.store().FailAll(true);
  EXPECT_TRUE(Offer(6, 8, 2));
  EXPECT_TRUE(Offer(14, 1, 6));  // the delivered_seq
  EXPECT_FALSE(Offer(15, 1, 6));
}

TEST_F(StoreAwayTest, AStreamThatWaitsIsToldWhenItsSessionIsTakenAway) {
  ASSERT_TRUE(Offer(2, 8));
  ASSERT_FALSE(Offer(10, 1));
  world_.store().FailAll(false);
  FakePeer other;
  world_.Open(other, 1, Named("a"));
  EXPECT_EQ(peer_.Last().refusal.status.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(peer_.rooms, 2);
  EXPECT_EQ(world_.shard().counters().sessions_stalled.value(), 0u);
}

TEST_F(StoreAwayTest, AStreamThatLeavesIsNotToldAnyMore) {
  ASSERT_TRUE(Offer(2, 8));
  ASSERT_FALSE(Offer(10, 1));
  world_.Advance(absl::ZeroDuration());
  EXPECT_EQ(world_.shard().counters().sessions_stalled.value(), 1u);
  world_.shard().Disconnect(peer_);
  world_.store().FailAll(false);
  world_.Advance(kInterval);
  EXPECT_EQ(peer_.rooms, 1);
  EXPECT_EQ(world_.store().Load("/a").value().saves.back().point.seq, 10u);
}

TEST_F(StoreAwayTest, HealthSaysSinceWhenAndThatItIsBackWithoutAnyCall) {
  world_.shard().Disconnect(peer_);
  FakePeer other;
  world_.Open(other, 1, Named("b"));
  EXPECT_TRUE(other.Last().refusal.retry_after.has_value());
  EXPECT_FALSE(world_.registrar().store_health().available());
  world_.Advance(absl::Seconds(5));
  EXPECT_EQ(world_.registrar().store_health().AwayFor(world_.clock().Now()), absl::Seconds(5));
  world_.store().FailAll(false);
  world_.Advance(absl::Seconds(5));
  EXPECT_TRUE(world_.registrar().store_health().available());
}

// The store takes calls and stops answering.
class StoreHangsTest : public testing::Test {
 protected:
  void SetUp() override {
    world_.Open(peer_, 0, Named("a"));
    hanging_->Hang();
  }
  ~StoreHangsTest() override { hanging_->GoOn(); }

  // Opens a session, lets `time` pass, and returns the newest event.
  const FakePeer::Event& OpenFor(absl::Duration time, const std::string& id, session::Handle handle) {
    world_.shard().Open(peer_, handle, Named(id));
    for (absl::Duration left = time; left > absl::ZeroDuration(); left -= absl::Seconds(1)) Pass(absl::Seconds(1));
    return peer_.Last();
  }
  void Pass(absl::Duration time) {
    world_.clock().Advance(time);
    world_.shard().Tick();
    for (const absl::Time end = absl::Now() + absl::Milliseconds(50); absl::Now() < end;) world_.shard().DrainMailbox();
  }
  const store::StoreHealth& health() { return world_.registrar().store_health(); }

  store::HangingStore* hanging_ = new store::HangingStore;
  World world_{ShardOptions{.save_interval = kInterval}, 1,
               std::make_shared<ProbedStore>(std::unique_ptr<store::StateStore>(hanging_))};
  FakePeer peer_;
};

TEST_F(StoreHangsTest, AnOpenIsRefusedOnceTheStoreIsAway) {
  EXPECT_EQ(OpenFor(absl::Seconds(8), "b", 1).kind, Event::kOpened);  // for "a"
  EXPECT_TRUE(health().available());
  const FakePeer::Event& refused = OpenFor(absl::Seconds(4), "c", 2);
  EXPECT_EQ(refused.kind, Event::kFailed);
  EXPECT_EQ(refused.refusal.status.code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(refused.refusal.retry_after.has_value());
  EXPECT_EQ(peer_.Count(Event::kFailed, 1), 1u);
  EXPECT_FALSE(health().available());
  EXPECT_GT(health().AwayFor(world_.clock().Now()), absl::Seconds(10));
}

TEST_F(StoreHangsTest, ASaveIsWaitedForAndMakesTheStoreBeAway) {
  const std::vector<float> values = Values(0, 2);
  session::TokensView tokens;
  tokens.values = values;
  ASSERT_TRUE(world_.shard().Tokens(peer_, tokens));
  ASSERT_TRUE(world_.RunUntil([this] { return peer_.Count(Event::kForecasts, 0) > 0; }));
  for (int second = 0; second < 12; ++second) Pass(absl::Seconds(1));
  EXPECT_FALSE(health().available());
  hanging_->GoOn();
  for (int second = 0; second < 3; ++second) Pass(absl::Seconds(1));
  EXPECT_TRUE(health().available());
  EXPECT_EQ(world_.store().Load("/a")->saves.back().point.seq, 2u);
}

TEST(StoreSlowTest, AStreamThatWaitsIsSavedAtOnceHoweverLongTheInterval) {
  World world(ShardOptions{.max_undurable_tokens = 8, .save_interval = absl::Hours(1)});
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  world.Send(peer, 0, 0, Values(0, 8));
  const std::vector<float> values = Values(8, 1);
  session::TokensView tokens;
  tokens.first_seq = 8;
  tokens.values = values;
  EXPECT_FALSE(world.shard().Tokens(peer, tokens));
  world.Advance(absl::Milliseconds(5));
  EXPECT_EQ(peer.Last().durable_seq, 8u);
  EXPECT_TRUE(world.shard().Tokens(peer, tokens));
}

TEST(StoreFullTest, AnOpenThatCannotBeWrittenLeavesTheWriterAlone) {
  World world(ShardOptions{.save_interval = kInterval}, 2);
  FakePeer writer, other;
  world.Open(writer, 0, Named("a"));
  world.store().FailSaves(true);  // reads succeed
  for (const int shard : {0, 1}) world.Open(other, static_cast<session::Handle>(shard), Named("a"), shard);
  EXPECT_EQ(other.Last().refusal.status.code(), absl::StatusCode::kUnavailable);
  world.Send(writer, 0, 0, Values(0, 2));
  EXPECT_EQ(writer.Last().kind, Event::kForecasts);
  EXPECT_EQ(world.shard().counters().sessions_fenced.value(), 0u);
}

}  // namespace
}  // namespace aaren::shard
