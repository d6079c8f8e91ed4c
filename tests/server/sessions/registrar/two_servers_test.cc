// Two servers with one store: either server continues a session from the newest save.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/sessions/registrar/shared_store.h"
#include "tests/server/sessions/shard/world/world.h"

namespace aaren::registrar {
namespace {

using ::testing::HasSubstr;
using Event = shard::FakePeer::Event;

class TwoServersTest : public testing::TestWithParam<const char*> {
 protected:
  // The first server takes three tokens and saves; then the second server opens the session and takes two tokens.
  void SetUp() override {
    if (shared_.Lacks(GetParam())) GTEST_SKIP() << "redis-server is not installed";
    first_.Open(at_first_, 0, shard::Named("a"));
    first_.Send(at_first_, 0, 0, shard::Values(0, 3));
    first_.Advance(shard::kInterval);
    second_.Open(at_second_, 0, shard::Named("a"));
    second_.Send(at_second_, 0, 3, shard::Values(3, 2));
    second_.Advance(shard::kInterval);
  }

  SharedStore shared_{GetParam()};
  shard::World first_{shard::ShardOptions{.save_interval = shard::kInterval}, 2, shared_.Store()};
  shard::World second_{shard::ShardOptions{.save_interval = shard::kInterval}, 1, shared_.Store()};
  shard::FakePeer at_first_, at_second_, again_;
};

TEST_P(TwoServersTest, SecondGoesOnFromTheSaveOfTheFirst) {
  EXPECT_EQ(at_second_.Last(Event::kOpened, 0).opened.next_seq, 3u);
  EXPECT_EQ(at_second_.Forecasts(0).back(), second_.engine().Forecasts(shard::Values(0, 5))[4]);
}

TEST_P(TwoServersTest, FirstEndsItsSessionAtItsNextSave) {
  first_.Send(at_first_, 0, 3, shard::Values(3, 1));
  first_.Advance(shard::kInterval);
  EXPECT_EQ(at_first_.Last().refusal.status.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(first_.shard().counters().sessions_resident.value(), 0u);
}

TEST_P(TwoServersTest, FirstIsFencedAlsoWhenItsStreamHasLeft) {
  first_.Send(at_first_, 0, 3, shard::Values(3, 1));
  first_.shard().Disconnect(at_first_);
  first_.Advance(shard::kInterval);
  EXPECT_EQ(first_.shard().counters().sessions_fenced.value(), 1u);
  EXPECT_EQ(first_.shard().counters().sessions_taken_over.value(), 0u);
  EXPECT_EQ(first_.shard().counters().sessions_resident.value(), 0u);
}

TEST_P(TwoServersTest, OpenAtTheFirstGoesOnFromTheStateOfTheSecond) {
  first_.Open(again_, 7, shard::Named("a"));
  EXPECT_EQ(again_.Last().opened.next_seq, 5u);
  first_.Send(again_, 7, 5, shard::Values(5, 1));
  EXPECT_EQ(again_.Forecasts(7)[0], first_.engine().Forecasts(shard::Values(0, 6))[5]);
}

TEST_P(TwoServersTest, OpenAtAnotherShardOfTheFirstDoesToo) {
  first_.Open(again_, 7, shard::Named("a"), /*shard=*/1);
  EXPECT_EQ(again_.Last().opened.next_seq, 5u);
  EXPECT_EQ(first_.shard(0).counters().slots_used.value(), 0u);
}

TEST_P(TwoServersTest, SessionThatTheSecondDeletedIsNotBroughtBackByASave) {
  ASSERT_FALSE(second_.Delete("a").refusal);
  first_.Send(at_first_, 0, 3, shard::Values(3, 1));
  first_.Advance(shard::kInterval);
  EXPECT_THAT(std::string(at_first_.Last().refusal.status.message()), HasSubstr("deleted"));
  EXPECT_TRUE(absl::IsNotFound(first_.store().Load("/a").status()));
}

TEST_P(TwoServersTest, SessionThatTheSecondDeletedIsMadeAnewByAnOpen) {
  ASSERT_FALSE(second_.Delete("a").refusal);
  first_.Open(again_, 7, shard::Named("a"));
  EXPECT_TRUE(again_.Last().opened.created);
  EXPECT_EQ(again_.Last().opened.next_seq, 0u);
}

TEST_P(TwoServersTest, SessionGoesBackAndForthWithoutLosingAToken) {
  uint64_t next = 5;
  for (int turn = 0; turn < 10; ++turn, ++next) {
    shard::World& here = turn % 2 == 0 ? first_ : second_;
    shard::FakePeer peer;
    here.Open(peer, 1, shard::Named("a"));
    ASSERT_EQ(peer.Last().opened.next_seq, next);
    here.Send(peer, 1, next, shard::Values(next, 1));
    EXPECT_EQ(peer.Forecasts(1)[0], here.engine().Forecasts(shard::Values(0, next + 1))[next]);
    here.Advance(shard::kInterval);
    here.shard().Disconnect(peer);
  }
}

// The second server has the session open, saved at 4 and now at 5; the first server only reads the store.
class OtherServerTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (shared_.Lacks(GetParam())) GTEST_SKIP() << "redis-server is not installed";
    second_.Open(peer_, 0, shard::Named("a"));
    second_.Send(peer_, 0, 0, shard::Values(0, 4));
    second_.Advance(shard::kInterval);
    second_.Send(peer_, 0, 4, shard::Values(4, 1));
  }

  SharedStore shared_{GetParam()};
  shard::World first_{shard::ShardOptions{.save_interval = shard::kInterval, .advertise = "first:1"}, 1,
                      shared_.Store()};
  shard::World second_{shard::ShardOptions{.save_interval = shard::kInterval, .advertise = "second:1"}, 1,
                       shared_.Store()};
  shard::FakePeer peer_;
};

TEST_P(OtherServerTest, GetTellsTheNewestSaveAndWhereTheSessionIsOpen) {
  const session::SessionInfo info = first_.Get("a").value;
  EXPECT_EQ(info.next_seq, 4u);
  EXPECT_TRUE(info.attached);
  EXPECT_EQ(info.server, "second:1");
  EXPECT_EQ(second_.Get("a").value.next_seq, 5u);
  EXPECT_EQ(second_.Get("a").value.server, "second:1");
}

TEST_P(OtherServerTest, ListTellsIt) {
  const auto sessions = first_.List("", "", 10).value.sessions;
  ASSERT_EQ(sessions.size(), 1u);
  EXPECT_EQ(sessions[0].server, "second:1");
}

TEST_P(OtherServerTest, ExportForkAndEvictAreRefusedAndTellWhereTheNewestStateIs) {
  for (const auto& refusal : {first_.Export("a").refusal, first_.Fork("a", "b").refusal, first_.Evict("a").refusal}) {
    ASSERT_TRUE(refusal.has_value());
    EXPECT_EQ(refusal->status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_EQ(refusal->reason, "LIVE_ELSEWHERE");
    EXPECT_EQ(refusal->metadata.at(0).second, "second:1");
  }
  EXPECT_EQ(second_.Export("a").value.next_seq, 5u);
}

TEST_P(OtherServerTest, WhatIsQuietForLongIsExportedFromItsSave) {
  second_.Advance(shard::kInterval);
  first_.Advance(absl::Minutes(1));
  EXPECT_EQ(first_.Export("a").value.next_seq, 5u);
  EXPECT_FALSE(first_.Get("a").value.attached);
}

TEST_P(OtherServerTest, ItsOwnSessionsAreNobodyElses) {
  second_.shard().Disconnect(peer_);
  second_.Advance(shard::kInterval);
  EXPECT_EQ(second_.Export("a").value.next_seq, 5u);
  EXPECT_EQ(first_.Export("a").value.next_seq, 5u);  // the last save tells of no open stream
}

TEST_P(OtherServerTest, DeleteEndsTheWriterAtItsNextSave) {
  ASSERT_FALSE(first_.Delete("a").refusal);
  second_.Advance(shard::kInterval);
  EXPECT_EQ(peer_.Last().refusal.status.code(), absl::StatusCode::kAborted);
}

INSTANTIATE_TEST_SUITE_P(Stores, OtherServerTest, testing::Values("memory", "redis"),
                         [](const auto& info) { return std::string(info.param); });

// Two servers where sessions expire, and by how much the second's clock is ahead of the first's.
constexpr absl::Duration kTtl = absl::Minutes(10);

class SweepOfTwoServersTest : public testing::TestWithParam<int> {
 protected:
  SweepOfTwoServersTest() {
    second_.clock().Advance(absl::Minutes(GetParam()));
    first_->Open(peer_, 0, shard::Named("a"));
    first_->Send(peer_, 0, 0, shard::Values(0, 3));
    first_->Advance(shard::kInterval);
  }

  bool IsThere() { return shared_.Store()->Load("/a").ok(); }

  SharedStore shared_{"memory"};
  const shard::ShardOptions options_{.save_interval = shard::kInterval, .session_ttl = kTtl};
  std::unique_ptr<shard::World> first_ = std::make_unique<shard::World>(options_, 1, shared_.Store());
  shard::World second_{options_, 1, shared_.Store()};
  shard::FakePeer peer_;
};

TEST_P(SweepOfTwoServersTest, SparesWhatTheOtherHasAttached) {
  for (int i = 0; i < 100; ++i) {
    first_->Advance(kTtl / 20);
    second_.Advance(kTtl / 20);
    ASSERT_TRUE(IsThere()) << i;
  }
  first_->Send(peer_, 0, 3, shard::Values(3, 1));
  first_->Advance(shard::kInterval);
  EXPECT_EQ(peer_.Last().durable_seq, 4u);
}

TEST_P(SweepOfTwoServersTest, AnOpenThatComesToTheOtherFindsTheSession) {
  shard::FakePeer other;
  second_.Open(other, 0, shard::Named("a"));
  EXPECT_FALSE(other.Last().opened.created);
  EXPECT_EQ(other.Last().opened.next_seq, 3u);
}

TEST_P(SweepOfTwoServersTest, DeletesWhatAServerLeftThatEnded) {
  first_.reset();
  for (int i = 0; i < 40; ++i) second_.Advance(kTtl / 20);
  EXPECT_FALSE(IsThere());
}

TEST(LeaseTest, HoldsAlsoOfAServerThatBeganBeforeItsClockWasSetRight) {
  SharedStore shared{"memory"};
  const shard::ShardOptions options{.save_interval = shard::kInterval};
  shard::World behind(options, 1, shared.Store()), other(options, 1, shared.Store());
  behind.clock().StepWall(absl::Hours(2));
  other.clock().Advance(absl::Hours(2));
  shard::FakePeer peer;
  behind.Open(peer, 0, shard::Named("a"));
  EXPECT_TRUE(other.Get("a").value.attached);
  behind.Send(peer, 0, 0, shard::Values(0, 3));
  behind.Advance(shard::kInterval);
  EXPECT_TRUE(other.Get("a").value.attached);
}

INSTANTIATE_TEST_SUITE_P(MinutesAhead, SweepOfTwoServersTest, testing::Values(0, 10, 60));

INSTANTIATE_TEST_SUITE_P(Stores, TwoServersTest, testing::Values("memory", "redis"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace aaren::registrar
