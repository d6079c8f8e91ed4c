// A shard with a slow engine: calls for a session arrive while the session's step is under way.

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "absl/strings/str_cat.h"
#include "tests/server/sessions/shard/world/world.h"

namespace aaren::shard {
namespace {

using Event = FakePeer::Event;

// One stream has session "a", with three tokens under way.
class LateTest : public testing::Test {
 protected:
  LateTest() {
    world_.Open(peer_, 0, Named("a"));
    world_.HoldResults(true);
    Send(peer_, 0, 3);
    EXPECT_EQ(world_.shard().Step(), 0u);
    EXPECT_TRUE(world_.shard().StepUnderWay());
  }

  void Send(FakePeer& peer, uint64_t first_seq, size_t count, int shard = 0) {
    const std::vector<float> values = Values(first_seq, count);
    session::TokensView tokens;
    tokens.first_seq = first_seq;
    tokens.values = values;
    world_.shard(shard).Tokens(peer, tokens);
  }

  // The results come.
  void Finish() {
    world_.HoldResults(false);
    world_.Settle();
  }

  // Opens "a" on another stream and expects the right forecasts from next_seq on.
  void ExpectContinues(uint64_t next_seq, int shard) {
    FakePeer again;
    world_.Open(again, 0, Named("a"), shard);
    ASSERT_EQ(again.Last().kind, Event::kOpened) << again.Last().refusal.status;
    EXPECT_EQ(again.Last().opened.next_seq, next_seq);
    world_.HoldResults(false);
    Send(again, next_seq, 1, shard);
    world_.Settle();
    ASSERT_EQ(again.Forecasts(0).size(), 1u);
    EXPECT_EQ(again.Forecasts(0)[0], world_.engine().Forecasts(Values(0, next_seq + 1)).back());
    world_.shard(shard).Disconnect(again);
  }

  World world_{ShardOptions{.capacity_rows = 2, .save_interval = kInterval}, 2, nullptr, LateModels()};
  FakePeer peer_;
};

TEST_F(LateTest, TokensAreAnsweredWhenTheirResultsAreThere) {
  EXPECT_EQ(peer_.Count(Event::kForecasts, 0), 0u);
  EXPECT_TRUE(world_.shard().Busy());
  Finish();
  EXPECT_EQ(peer_.Forecasts(0), world_.engine().Forecasts(Values(0, 3)));
  EXPECT_FALSE(world_.shard().Busy());
}

TEST_F(LateTest, TokensThatComeMeanwhileAreSteppedNext) {
  Send(peer_, 3, 2);
  EXPECT_TRUE(world_.shard().Owes(peer_));
  Finish();
  EXPECT_EQ(peer_.Forecasts(0), world_.engine().Forecasts(Values(0, 5)));
  EXPECT_FALSE(world_.shard().Owes(peer_));
}

TEST_F(LateTest, ACloseThatComesMeanwhileIsAnsweredBehindTheTokens) {
  world_.shard().Close(peer_, 0, false, std::nullopt);
  EXPECT_EQ(peer_.Count(Event::kClosed, 0), 0u);
  Finish();
  EXPECT_EQ(peer_.Forecasts(0).size(), 3u);
  EXPECT_EQ(peer_.Last(Event::kClosed, 0).next_seq, 3u);
}

TEST_F(LateTest, TokensOfAStreamThatLeavesMeanwhileAreFoldedAndNobodyIsTold) {
  Send(peer_, 3, 2);  // not in the step under way: dropped
  world_.shard().Disconnect(peer_);
  const size_t events = peer_.events.size();
  Finish();
  EXPECT_EQ(peer_.events.size(), events);
  const ShardCounters& counters = world_.shard().counters();
  EXPECT_EQ(counters.tokens_folded.value(), 3u);
  EXPECT_EQ(counters.tokens_dropped.value(), 2u);
  ExpectContinues(3, 0);
}

TEST_F(LateTest, AnOpenElsewhereTakesTheSessionAsOfTheStep) {
  ExpectContinues(3, 1);
  EXPECT_EQ(peer_.Forecasts(0).size(), 3u) << "answered before the session left";
  EXPECT_EQ(peer_.Last().refusal.status.code(), absl::StatusCode::kAborted);
}

TEST_F(LateTest, AnOpenElsewhereTakesASessionWhoseStreamHasLeft) {
  world_.shard().Disconnect(peer_);
  ExpectContinues(3, 1);
}

TEST_F(LateTest, AnExportWaitsForTheStep) {
  const session::Outcome<registrar::Snapshot> snapshot = world_.Export("a");
  ASSERT_FALSE(snapshot.refusal.has_value());
  EXPECT_EQ(snapshot.value.next_seq, 3u);
  EXPECT_EQ(peer_.Forecasts(0).size(), 3u);
}

TEST_F(LateTest, ADeletedSessionIsAnsweredFirst) {
  EXPECT_FALSE(world_.Delete("a").refusal.has_value());
  EXPECT_EQ(peer_.Forecasts(0).size(), 3u);
  EXPECT_EQ(peer_.Last().refusal.status.code(), absl::StatusCode::kAborted);
  world_.HoldResults(false);
  world_.Settle();
  EXPECT_EQ(world_.shard().counters().slots_used.value(), 0u);
}

TEST_F(LateTest, ASessionUnderWayIsNotEvicted) {
  world_.shard().Disconnect(peer_);
  FakePeer others;
  for (session::Handle handle = 0; handle < 2; ++handle) {
    world_.shard().Open(others, handle, Named(absl::StrCat("other-", handle)));
    world_.RunUntil([&] { return others.events.size() > handle; });
    const float value = 1;  // with an unsaved token the session cannot leave
    session::TokensView tokens;
    tokens.handle = handle;
    tokens.values = absl::MakeConstSpan(&value, 1);
    world_.shard().Tokens(others, tokens);
  }
  EXPECT_EQ(others.Last().refusal.status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(world_.shard().counters().sessions_evicted.value(), 0u);
  Finish();
  world_.Advance(kInterval);
  world_.Open(others, 2, Named("other-2"));
  EXPECT_EQ(others.Last().kind, Event::kOpened);
  EXPECT_EQ(world_.shard().counters().sessions_evicted.value(), 1u);
}

TEST_F(LateTest, SavesWaitForTheEndOfTheStep) {
  world_.clock().Advance(2 * kInterval);
  world_.shard().Tick();
  world_.shard().DrainMailbox();
  EXPECT_EQ(world_.shard().counters().saves.value(), 0u);
  Finish();
  world_.Advance(kInterval);
  EXPECT_EQ(world_.store().Load("/a")->saves.back().point.seq, 3u);
}

TEST_F(LateTest, AShutdownSavesWhatTheStepMakes) {
  world_.shard().SaveAll();
  EXPECT_TRUE(world_.shard().Busy());
  world_.HoldResults(false);
  world_.RunUntil([this] {
    world_.shard().Tick();
    return !world_.shard().Busy();
  });
  EXPECT_EQ(world_.store().Load("/a")->saves.back().point.seq, 3u);
}

TEST_F(LateTest, AStepThatFailsLateEndsItsSessions) {
  world_.engine().FailNextStep();
  Finish();
  EXPECT_EQ(peer_.Last().refusal.status.code(), absl::StatusCode::kInternal);
  world_.shard().Tick();
  EXPECT_EQ(world_.shard().counters().slots_used.value(), 0u);
}

TEST_F(LateTest, AStepThatFailsAfterItsStreamHasLeftEndsItsSessions) {
  world_.engine().FailNextStep();
  world_.shard().Disconnect(peer_);
  Finish();
  world_.shard().Tick();
  EXPECT_EQ(world_.shard().counters().slots_used.value(), 0u);
  EXPECT_EQ(world_.shard().counters().sessions_resident.value(), 0u);
}

TEST_F(LateTest, SessionsOfSeveralModelsAreUnderWayTogether) {
  Finish();
  session::OpenRequest request = Named("b");
  request.model = "other";
  world_.Open(peer_, 1, request);
  Send(peer_, 3, 2);
  session::TokensView tokens;
  const std::vector<float> values = Values(0, 2);
  tokens.handle = 1;
  tokens.values = values;
  world_.shard().Tokens(peer_, tokens);
  world_.Settle();
  EXPECT_EQ(peer_.Forecasts(0), world_.engine().Forecasts(Values(0, 5)));
  EXPECT_EQ(peer_.Forecasts(1), world_.engine().Forecasts(Values(0, 2)));
}

TEST(LateThreadTest, ForecastsHaveTheSameBitsFromAThreadOfTheEngines) {
  World world({}, 2, nullptr, LateModels());
  std::atomic<bool> stop{false};
  std::thread device([&] {
    while (!stop) {
      for (LateEngine* engine : LateEnginesOf(world.models())) engine->FinishOne();
      std::this_thread::yield();
    }
  });
  constexpr session::Handle kSessions = 20;
  FakePeer peers[2];
  for (session::Handle handle = 0; handle < kSessions; ++handle) {
    world.Open(peers[handle % 2], handle, Named(absl::StrCat("s", handle)), handle % 2);
  }
  for (uint64_t seq = 0; seq < 40; seq += 4) {
    for (session::Handle handle = 0; handle < kSessions; ++handle) {
      const std::vector<float> values = Values(seq, 4);
      session::TokensView tokens;
      tokens.handle = handle;
      tokens.first_seq = seq;
      tokens.values = values;
      world.shard(handle % 2).Tokens(peers[handle % 2], tokens);
      world.shard(handle % 2).Step();
    }
  }
  world.Settle();
  stop = true;
  device.join();
  const auto expected = world.engine().Forecasts(Values(0, 40));
  for (session::Handle handle = 0; handle < kSessions; ++handle)
    EXPECT_EQ(peers[handle % 2].Forecasts(handle), expected);
}

TEST(LateEndTest, AShardEndsWithAStepUnderWay) {
  World world({}, 1, nullptr, LateModels());
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  world.HoldResults(true);
  const std::vector<float> values = Values(0, 3);
  session::TokensView tokens;
  tokens.values = values;
  world.shard().Tokens(peer, tokens);
  world.shard().Step();
  EXPECT_TRUE(world.shard().StepUnderWay());
}

TEST(CopyFailureTest, ASessionWhoseRowsCannotBeReadStaysAndIsNotExported) {
  World world(ShardOptions{.save_interval = kInterval});
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  world.engine().FailNextCopy();
  EXPECT_EQ(world.Export("a").refusal->status.code(), absl::StatusCode::kInternal);
  world.Send(peer, 0, 0, Values(0, 3));
  EXPECT_EQ(peer.Forecasts(0).size(), 3u);
}

TEST(CopyFailureTest, ASaveThatCannotBeReadIsTriedAgain) {
  World world(ShardOptions{.save_interval = kInterval});
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  world.Send(peer, 0, 0, Values(0, 3));
  world.engine().FailNextCopy();
  world.Advance(kInterval);
  EXPECT_EQ(world.shard().counters().save_failures.value(), 1u);
  EXPECT_TRUE(world.store().Load("/a")->saves.empty());
  world.Advance(kInterval);
  EXPECT_EQ(world.store().Load("/a")->saves.back().point.seq, 3u);
}

TEST(CopyFailureTest, AnOpenWhoseRowsCannotBeWrittenIsRefusedAndCanBeTriedAgain) {
  World world(ShardOptions{.capacity_rows = 1, .save_interval = kInterval});
  FakePeer peer, again;
  world.Open(peer, 0, Named("a"));
  world.Send(peer, 0, 0, Values(0, 3));
  world.shard().Disconnect(peer);
  world.Advance(kInterval);
  world.Open(again, 0, Named("b"));  // "a" is evicted
  world.shard().Disconnect(again);
  world.Advance(kInterval);
  FakePeer last;
  world.engine().FailNextCopy();
  world.Open(last, 0, Named("a"));
  EXPECT_EQ(last.Last().refusal.status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(world.shard().counters().slots_used.value(), 0u);
  world.Open(last, 1, Named("a"));
  ASSERT_EQ(last.Last().kind, Event::kOpened);
  EXPECT_EQ(last.Last().opened.next_seq, 3u);
}

}  // namespace
}  // namespace aaren::shard
