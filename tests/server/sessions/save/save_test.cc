// When the shard saves a session, the two saves kept in the store, and when a save is durable.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/server/sessions/shard/world/world.h"
#include "tests/server/store/hanging_store.h"

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

TEST(SaveTest, IsMadeAnIntervalAfterTheFirstUnsavedToken) {
  shard::World world(shard::ShardOptions{.save_interval = kInterval});
  shard::FakePeer peer;
  world.Open(peer, 0, shard::Named("a"));
  world.Send(peer, 0, 0, shard::Values(0, 3));
  world.Advance(kInterval - absl::Milliseconds(1));
  EXPECT_THAT(SavesOf(world, "/a"), ElementsAre());
  world.Advance(absl::Milliseconds(1));
  EXPECT_THAT(SavesOf(world, "/a"), ElementsAre(3));
}

TEST(SaveTest, OfWhatIsUnsavedMayBeMadeEarly) {
  shard::World world(shard::ShardOptions{.save_interval = kInterval});
  shard::FakePeer peer;
  world.Open(peer, 0, shard::Named("a"));
  world.Open(peer, 1, shard::Named("b"));
  world.Send(peer, 0, 0, shard::Values(0, 3));
  world.Advance(absl::Milliseconds(1));
  world.shard().SaveEarly();
  world.Settle();
  EXPECT_THAT(SavesOf(world, "/a"), ElementsAre(3));
  world.Send(peer, 1, 0, shard::Values(0, 2));
  world.Advance(kInterval - absl::Milliseconds(1));
  EXPECT_THAT(SavesOf(world, "/b"), ElementsAre());
}

// The store can write a batch while the shard puts the next batch together.
TEST(SaveTest, MadeEarlyTravelInSeveralBatchesAtOnce) {
  constexpr int kSessions = 8;
  shard::World world(shard::ShardOptions{.save_interval = kInterval}, 1, nullptr, shard::FakeModels(512 << 10));
  shard::FakePeer peer;
  for (int i = 0; i < kSessions; ++i) {
    world.Open(peer, i, shard::Named(absl::StrCat("s", i)));
    world.Send(peer, i, 0, shard::Values(0, 1));
  }
  world.Advance(absl::Milliseconds(1));
  ASSERT_EQ(world.store().save_calls(), 0u);
  world.shard().SaveEarly();
  // The batches do not wait for answers: only the test's thread takes answers, and takes none here.
  const absl::Time end = absl::Now() + absl::Seconds(60);
  while (world.store().save_calls() < 4 && absl::Now() < end) absl::SleepFor(absl::Milliseconds(1));
  EXPECT_EQ(world.store().save_calls(), 4u);
}

TEST(SaveTest, MadeEarlyWaitsForTheOneBeforeToBecomeDurable) {
  shard::World world(shard::ShardOptions{.save_interval = kInterval});
  shard::FakePeer peer;
  world.Open(peer, 0, shard::Named("a", 0));
  world.Send(peer, 0, 0, shard::Values(0, 4), 0);
  world.Advance(kInterval);
  world.Send(peer, 0, 4, shard::Values(4, 4), 2);
  world.Advance(absl::Milliseconds(1));
  world.shard().SaveEarly();
  world.Settle();
  EXPECT_THAT(SavesOf(world, "/a"), ElementsAre(4));
}

TEST(SaveTest, OfAClientThatNeverTellsDeliveredSeqIsDurableAtOnce) {
  shard::World world(shard::ShardOptions{.save_interval = kInterval});
  shard::FakePeer peer;
  world.Open(peer, 0, shard::Named("a"));
  for (uint64_t seq = 0; seq < 6; seq += 2) {
    world.Send(peer, 0, seq, shard::Values(seq, 2));
    world.Advance(kInterval);
    EXPECT_EQ(peer.Last().kind, Event::kAcked);
    EXPECT_EQ(peer.Last().durable_seq, seq + 2);
    EXPECT_THAT(SavesOf(world, "/a"), ElementsAre(seq + 2));
  }
}

TEST(SaveTest, BecomesDurableOnceDeliveredSeqReachesIt) {
  shard::World world(shard::ShardOptions{.save_interval = kInterval});
  shard::FakePeer peer;
  world.Open(peer, 0, shard::Named("a", 0));
  world.Send(peer, 0, 0, shard::Values(0, 4), 2);
  world.Advance(kInterval);
  EXPECT_THAT(SavesOf(world, "/a"), ElementsAre(4));
  world.Send(peer, 0, 4, shard::Values(4, 1), 3);
  EXPECT_EQ(peer.Last().durable_seq, 0);
  world.Send(peer, 0, 5, shard::Values(5, 1), 4);
  EXPECT_EQ(peer.Last().durable_seq, 4);
}

TEST(SaveTest, IsNotMadeWhileTheOneBeforeIsNotDurable) {
  shard::World world(shard::ShardOptions{.save_interval = kInterval});
  shard::FakePeer peer;
  world.Open(peer, 0, shard::Named("a", 0));
  world.Send(peer, 0, 0, shard::Values(0, 4), 0);
  world.Advance(kInterval);
  world.Send(peer, 0, 4, shard::Values(4, 4), 3);
  world.Advance(3 * kInterval);
  EXPECT_THAT(SavesOf(world, "/a"), ElementsAre(4));
  world.Send(peer, 0, 8, shard::Values(8, 1), 4);
  world.Advance(kInterval);
  EXPECT_THAT(SavesOf(world, "/a"), ElementsAre(4, 9));
}

TEST(SaveTest, KeepsTwoAtMost) {
  shard::World world(shard::ShardOptions{.save_interval = kInterval});
  shard::FakePeer peer;
  world.Open(peer, 0, shard::Named("a", 0));
  for (uint64_t seq = 0; seq < 20; seq += 2) {
    world.Send(peer, 0, seq, shard::Values(seq, 2), seq > 1 ? seq - 1 : 0);
    world.Advance(kInterval);
    EXPECT_LE(SavesOf(world, "/a").size(), 2);
  }
}

TEST(SaveTest, OfADetachedSessionIsMadeAtOnce) {
  shard::World world(shard::ShardOptions{.save_interval = kInterval});
  shard::FakePeer peer;
  world.Open(peer, 0, shard::Named("a"));
  world.Send(peer, 0, 0, shard::Values(0, 3));
  world.shard().Disconnect(peer);
  world.Advance(absl::ZeroDuration());
  EXPECT_THAT(SavesOf(world, "/a"), ElementsAre(3));
}

TEST(SaveTest, OfADetachedSessionTakesThePlaceOfOneThatIsNotDurable) {
  shard::World world(shard::ShardOptions{.save_interval = kInterval});
  shard::FakePeer peer;
  world.Open(peer, 0, shard::Named("a", 0));
  world.Send(peer, 0, 0, shard::Values(0, 2), 0);
  world.Advance(kInterval);
  world.Send(peer, 0, 2, shard::Values(2, 2), 2);
  world.Advance(kInterval);
  EXPECT_THAT(SavesOf(world, "/a"), ElementsAre(2, 4));
  world.Send(peer, 0, 4, shard::Values(4, 2), 3);
  world.shard().Disconnect(peer);
  world.Advance(absl::ZeroDuration());
  EXPECT_THAT(SavesOf(world, "/a"), ElementsAre(2, 6));
}

TEST(SaveTest, IsAskedForOnceWhileTheStoreIsSlow) {
  auto* slow = new store::HangingStore;
  shard::World world(shard::ShardOptions{.save_interval = kInterval}, 1,
                     std::make_shared<shard::ProbedStore>(std::unique_ptr<store::StateStore>(slow)));
  shard::FakePeer peer;
  world.Open(peer, 0, shard::Named("a"));
  slow->Hang();
  for (uint64_t seq = 0; seq < 6; seq += 2) {
    const std::vector<float> values = shard::Values(seq, 2);
    session::TokensView tokens;
    tokens.first_seq = seq;
    tokens.values = values;
    EXPECT_TRUE(world.shard().Tokens(peer, tokens));
    EXPECT_TRUE(world.RunUntil([&] { return peer.Last().next_seq == seq + 2; }));
    world.clock().Advance(kInterval);
    world.shard().Tick();
  }
  world.shard().SaveEarly();
  EXPECT_TRUE(world.RunUntil([&] { return slow->held() > 0; }));
  absl::SleepFor(absl::Milliseconds(50));  // a second save would come by the registrar's thread
  EXPECT_EQ(world.store().save_calls(), 1u);
  slow->GoOn();
  world.Settle();
  world.Advance(kInterval);
  EXPECT_EQ(world.store().save_calls(), 2u);
  EXPECT_THAT(SavesOf(world, "/a"), ElementsAre(6));
}

TEST(SaveTest, ThatFailsIsCountedAndMadeLater) {
  shard::World world(shard::ShardOptions{.save_interval = kInterval});
  shard::FakePeer peer;
  world.Open(peer, 0, shard::Named("a"));
  world.Send(peer, 0, 0, shard::Values(0, 2));
  world.store().FailSaves(true);
  world.Advance(kInterval);
  EXPECT_EQ(world.shard().counters().save_failures.value(), 1);
  EXPECT_EQ(peer.Last().kind, Event::kForecasts);
  world.store().FailSaves(false);
  world.Advance(kInterval);
  EXPECT_EQ(peer.Last().durable_seq, 2);
}

TEST(SaveTest, RefusedByTheStoreForANewerEpochFencesTheWriter) {
  shard::World world(shard::ShardOptions{.save_interval = kInterval});
  shard::FakePeer peer;
  world.Open(peer, 0, shard::Named("a"));
  world.Send(peer, 0, 0, shard::Values(0, 2));
  store::SessionRecord record = world.store().Load("/a").value();
  record.epoch = 1000;
  ASSERT_TRUE(world.store().Put(record).ok());
  world.Advance(kInterval);
  EXPECT_EQ(peer.Last().refusal.status.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(peer.Last().refusal.metadata, ElementsAre(std::pair<std::string, std::string>("current_epoch", "1000")));
  EXPECT_EQ(world.shard().counters().slots_used.value(), 0);
}

TEST(SaveTest, OfAllMakesBusyUntilTheStoreHasThem) {
  shard::World world(shard::ShardOptions{.save_interval = absl::Hours(1)});
  shard::FakePeer peer;
  world.Open(peer, 0, shard::Named("a"));
  world.Open(peer, 1, shard::Named("b", 0));
  world.Send(peer, 0, 0, shard::Values(0, 2));
  world.Send(peer, 1, 0, shard::Values(0, 3), 1);
  world.shard().SaveAll();
  EXPECT_TRUE(world.shard().Busy());
  world.Settle();
  EXPECT_FALSE(world.shard().Busy());
  EXPECT_THAT(SavesOf(world, "/a"), ElementsAre(2));
  EXPECT_THAT(SavesOf(world, "/b"), ElementsAre(3));
}

TEST(SaveTest, SwitchedOffKeepsTheStoreEmptyAndEverythingDurable) {
  shard::World world(shard::ShardOptions{.save_interval = absl::ZeroDuration()});
  shard::FakePeer peer;
  world.Open(peer, 0, shard::Named("a", 0));
  world.Send(peer, 0, 0, shard::Values(0, 2), 1);
  EXPECT_EQ(peer.Last().durable_seq, 2);
  world.Advance(absl::Hours(1));
  world.shard().SaveAll();
  EXPECT_FALSE(world.shard().Busy());
  EXPECT_TRUE(absl::IsNotFound(world.store().Load("/a").status()));
}

TEST(SaveTest, IsMadeAtIntervalsBelowAMillisecondToo) {
  shard::World world(shard::ShardOptions{.save_interval = absl::Microseconds(500)});
  shard::FakePeer peer;
  world.Open(peer, 0, shard::Named("a"));
  world.Send(peer, 0, 0, shard::Values(0, 3));
  world.Advance(absl::Milliseconds(1));
  EXPECT_THAT(SavesOf(world, "/a"), ElementsAre(3));
}

// Waiting tokens are not in the rows, and the save has no times of waiting tokens: after going back to the save, a
// client sends the tokens and times again.
TEST(SaveTest, WhileTokensWaitHasTheTimesOfThoseBefore) {
  shard::World world(shard::ShardOptions{.save_interval = kInterval});
  const auto send = [&world](shard::FakePeer& peer, uint64_t seq, const std::vector<int64_t>& times) {
    const std::vector<float> values = shard::Values(seq, times.size());
    session::TokensView tokens;
    tokens.first_seq = seq;
    tokens.values = values;
    tokens.times_ns = times;
    tokens.delivered_seq = 0;
    world.shard().Tokens(peer, tokens);
    world.Settle();
  };
  shard::FakePeer peer, again;
  world.Open(peer, 0, shard::Named("a", 0));
  send(peer, 0, {10, 20});
  peer.has_room = false;
  send(peer, 2, {30, 40});
  world.Advance(kInterval);
  world.shard().Disconnect(peer);
  world.Open(again, 0, shard::Named("a", 2));
  ASSERT_EQ(again.Last().opened.next_seq, 2);
  send(again, 2, {30, 40});
  EXPECT_EQ(again.Last().kind, Event::kForecasts);
  EXPECT_THAT(again.Last().steps_ns, ElementsAre(10, 10));
}

TEST(SaveTest, GoesOnWhenTheWallClockStepsBack) {
  shard::World world(shard::ShardOptions{.save_interval = kInterval});
  shard::FakePeer peer;
  world.Open(peer, 0, shard::Named("a"));
  world.Send(peer, 0, 0, shard::Values(0, 3));
  world.clock().StepWall(-absl::Hours(1));
  world.Advance(kInterval);
  EXPECT_THAT(SavesOf(world, "/a"), ElementsAre(3));
  EXPECT_EQ(world.Get("a").value.last_active, world.clock().Wall() - kInterval);
}

}  // namespace
}  // namespace aaren::save
