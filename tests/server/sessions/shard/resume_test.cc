// An Open takes a session back where the client does not have all replies.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/server/sessions/shard/world/world.h"

namespace aaren::shard {
namespace {

using Event = FakePeer::Event;
using Range = std::pair<uint64_t, uint64_t>;

// A session with saves at 4 (durable) and 8, and next_seq 10. The stream is lost.
class ResumeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    FakePeer peer;
    world_.Open(peer, 0, Named("a", 0));
    world_.Send(peer, 0, 0, Values(0, 4), 0);
    world_.Advance(kInterval);
    world_.Send(peer, 0, 4, Values(4, 4), 5);
    world_.Advance(kInterval);
    world_.Send(peer, 0, 8, Values(8, 2), 5);
    world_.shard().Disconnect(peer);
  }

  const session::OpenedReply& Reopen(std::optional<uint64_t> delivered_seq) {
    world_.Open(peer_, 0, Named("a", delivered_seq));
    EXPECT_EQ(peer_.Last(Event::kOpened, 0).kind, Event::kOpened);
    return peer_.Last(Event::kOpened, 0).opened;
  }

  // Sends the tokens again from next_seq to 20, and compares the forecasts with an undisturbed session's.
  void ExpectExactFrom(uint64_t next_seq) {
    world_.Send(peer_, 0, next_seq, Values(next_seq, 20 - next_seq));
    auto expected = world_.engine().Forecasts(Values(0, 20));
    expected.erase(expected.begin(), expected.begin() + static_cast<ptrdiff_t>(next_seq));
    EXPECT_EQ(peer_.Forecasts(0), expected);
  }

  World world_{ShardOptions{.save_interval = kInterval}};
  FakePeer peer_;
};

TEST_F(ResumeTest, WithoutDeliveredSeqGoesOnWhereTheSessionIs) {
  const session::OpenedReply opened = Reopen(std::nullopt);
  EXPECT_EQ(opened.next_seq, 10);
  ExpectExactFrom(10);
}

TEST_F(ResumeTest, WithEverythingDeliveredGoesOnWhereTheSessionIs) {
  const session::OpenedReply opened = Reopen(10);
  EXPECT_EQ(opened.next_seq, 10);
  EXPECT_EQ(opened.durable_seq, 8);
  EXPECT_FALSE(opened.lost.has_value());
  ExpectExactFrom(10);
}

TEST_F(ResumeTest, GoesBackToTheNewerSaveIfThatWasDelivered) {
  const session::OpenedReply opened = Reopen(9);
  EXPECT_EQ(opened.next_seq, 8);
  EXPECT_EQ(opened.durable_seq, 8);
  EXPECT_FALSE(opened.lost.has_value());
  ExpectExactFrom(8);
  EXPECT_EQ(world_.shard().counters().sessions_rewound.value(), 1);
}

TEST_F(ResumeTest, GoesBackToTheOlderSaveIfTheNewerWasNotDelivered) {
  const session::OpenedReply opened = Reopen(7);
  EXPECT_EQ(opened.next_seq, 4);
  EXPECT_EQ(opened.durable_seq, 4);
  EXPECT_FALSE(opened.lost.has_value());
  ExpectExactFrom(4);
}

TEST_F(ResumeTest, NamesWhatIsLostIfTheClientForgotWhatItHadDelivered) {
  const session::OpenedReply opened = Reopen(2);
  EXPECT_EQ(opened.next_seq, 4);
  EXPECT_EQ(opened.lost, Range(2, 4));
  ExpectExactFrom(4);
}

TEST_F(ResumeTest, FromTheStoreGoesOnFromTheNewestSave) {
  world_.Advance(absl::ZeroDuration());  // the detached session is saved at 10 instead of 8
  World restarted(ShardOptions{.save_interval = kInterval}, 1, world_.shared_store());
  restarted.Open(peer_, 0, Named("a", 10));
  EXPECT_EQ(peer_.Last().opened.next_seq, 10);
  EXPECT_FALSE(peer_.Last().opened.created);
}

TEST_F(ResumeTest, FromTheStoreGoesBackLikeFromMemory) {
  world_.Advance(absl::ZeroDuration());
  World restarted(ShardOptions{.save_interval = kInterval}, 1, world_.shared_store());
  restarted.Open(peer_, 0, Named("a", 9));
  EXPECT_EQ(peer_.Last().opened.next_seq, 4);
  restarted.Send(peer_, 0, 4, Values(4, 16), 9);
  EXPECT_EQ(peer_.Forecasts(0)[15], restarted.engine().Forecasts(Values(0, 20))[19]);
}

// The store has saves at 4, told to the client as durable, and at 10.
class DamagedSaveTest : public ResumeTest {
 protected:
  void ReopenWithout(uint64_t seq, std::optional<uint64_t> delivered_seq) {
    world_.Advance(absl::ZeroDuration());
    world_.store().DamageSave("/a", seq);
    restarted_.Open(peer_, 0, Named("a", delivered_seq));
  }

  World restarted_{ShardOptions{.save_interval = kInterval}, 1, world_.shared_store()};
};

TEST_F(DamagedSaveTest, ThatIsNotDeliveredIsNotNeeded) {
  ReopenWithout(10, 9);
  ASSERT_EQ(peer_.Last().kind, Event::kOpened);
  EXPECT_EQ(peer_.Last().opened.next_seq, 4);
  restarted_.Send(peer_, 0, 4, Values(4, 16), 9);
  EXPECT_EQ(peer_.Forecasts(0)[15], restarted_.engine().Forecasts(Values(0, 20))[19]);
}

TEST_F(DamagedSaveTest, ThatIsOlderThanWhatWasDeliveredIsNotNeeded) {
  ReopenWithout(4, 10);
  ASSERT_EQ(peer_.Last().kind, Event::kOpened);
  EXPECT_EQ(peer_.Last().opened.next_seq, 10);
  EXPECT_FALSE(peer_.Last().opened.lost.has_value());
}

// The client may have been told of the save at 10, and have forgotten the tokens before 10.
TEST_F(DamagedSaveTest, ThatIsDeliveredRefusesTheOpen) {
  ReopenWithout(10, 10);
  EXPECT_EQ(peer_.Last().refusal.status.code(), absl::StatusCode::kDataLoss);
}

TEST_F(DamagedSaveTest, ThatIsTheOnlyOneDeliveredRefusesTheOpen) {
  ReopenWithout(4, 9);
  EXPECT_EQ(peer_.Last().refusal.status.code(), absl::StatusCode::kDataLoss);
}

TEST_F(DamagedSaveTest, ThatIsOlderIsNotNeededByWhoGoesOnWhereItIs) {
  ReopenWithout(4, std::nullopt);
  ASSERT_EQ(peer_.Last().kind, Event::kOpened);
  EXPECT_EQ(peer_.Last().opened.next_seq, 10);
}

TEST_F(DamagedSaveTest, ThatIsNewerIsNotNeededByWhoForgotWhatItHadDelivered) {
  ReopenWithout(10, 2);
  ASSERT_EQ(peer_.Last().kind, Event::kOpened);
  EXPECT_EQ(peer_.Last().opened.next_seq, 4);
  EXPECT_EQ(peer_.Last().opened.lost, Range(2, 4));
}

TEST_F(DamagedSaveTest, ThatIsNewestRefusesWhoGoesOnWhereItIs) {
  ReopenWithout(10, std::nullopt);
  EXPECT_EQ(peer_.Last().refusal.status.code(), absl::StatusCode::kDataLoss);
}

TEST_F(DamagedSaveTest, ThatIsNewestIsNotExported) {
  world_.Advance(absl::ZeroDuration());
  world_.store().DamageSave("/a", 10);
  EXPECT_EQ(restarted_.Export("a").refusal->status.code(), absl::StatusCode::kDataLoss);
}

TEST_F(ResumeTest, AheadOfTheServerAnswersWhereTheServerIs) {
  world_.Advance(absl::ZeroDuration());
  World restarted(ShardOptions{.save_interval = kInterval}, 1, world_.shared_store());
  restarted.Open(peer_, 0, Named("a", 25));
  EXPECT_EQ(peer_.Last().opened.next_seq, 10);
  EXPECT_FALSE(peer_.Last().opened.lost.has_value());
  restarted.Send(peer_, 0, 10, Values(10, 10), 25);
  EXPECT_EQ(peer_.Forecasts(0)[9], restarted.engine().Forecasts(Values(0, 20))[19]);
}

TEST_F(ResumeTest, WithTheStoreForgottenBeginsAgainAtTheFirstToken) {
  World restarted(ShardOptions{.save_interval = kInterval});
  restarted.Open(peer_, 0, Named("a", 7));
  EXPECT_TRUE(peer_.Last().opened.created);
  EXPECT_EQ(peer_.Last().opened.next_seq, 0);
}

TEST_F(ResumeTest, BringsBackTheClockOfTheSave) {
  FakePeer peer;
  world_.Open(peer, 0, Named("t", 0));
  const auto send = [&](uint64_t seq, std::vector<int64_t> times, uint64_t delivered) {
    const std::vector<float> values = Values(seq, times.size());
    session::TokensView tokens;
    tokens.first_seq = seq;
    tokens.values = values;
    tokens.times_ns = times;
    tokens.delivered_seq = delivered;
    world_.shard().Tokens(peer, tokens);
    world_.Settle();
  };
  send(0, {100, 110}, 0);
  world_.Advance(kInterval);
  send(2, {200, 290}, 2);
  world_.Open(peer, 1, Named("t", 2));
  ASSERT_EQ(peer.Last().opened.next_seq, 2);
  EXPECT_EQ(peer.Last().opened.clock.last_time_ns, 110);
  EXPECT_EQ(peer.Last().opened.clock.step_ns, 10);
  const std::vector<float> values = Values(2, 1);
  const std::vector<int64_t> times = {110};
  session::TokensView tokens;
  tokens.handle = 1;
  tokens.first_seq = 2;
  tokens.values = values;
  tokens.times_ns = times;
  world_.shard().Tokens(peer, tokens);
  world_.Settle();
  EXPECT_EQ(peer.Last().kind, Event::kForecasts);
  EXPECT_EQ(peer.Last().step_ns, 10);
}

TEST_F(ResumeTest, ForgetsTheFutureThatItWentBackFrom) {
  Reopen(7);
  world_.Send(peer_, 0, 4, {100, 200, 300, 400, 500, 600}, 7);
  world_.shard().Disconnect(peer_);
  world_.Advance(absl::ZeroDuration());
  FakePeer again;
  world_.Open(again, 0, Named("a", 8));
  EXPECT_EQ(again.Last().opened.next_seq, 4);
}

TEST(ResumeEarlyTest, BeforeTheFirstSaveGoesBackToTheFirstToken) {
  World world(ShardOptions{.save_interval = kInterval});
  FakePeer peer;
  world.Open(peer, 0, Named("a", 0));
  world.Send(peer, 0, 0, Values(0, 6), 2);
  world.Open(peer, 1, Named("a", 2));
  EXPECT_EQ(peer.Last().opened.next_seq, 0);
  EXPECT_FALSE(peer.Last().opened.lost.has_value());
  world.Send(peer, 1, 0, Values(0, 6), 2);
  EXPECT_EQ(peer.Forecasts(1), peer.Forecasts(0));
}

TEST(ResumeEarlyTest, WithTheFirstSaveNotDeliveredGoesBackToTheFirstToken) {
  World world(ShardOptions{.save_interval = kInterval});
  FakePeer peer;
  world.Open(peer, 0, Named("a", 0));
  world.Send(peer, 0, 0, Values(0, 6), 2);
  world.Advance(kInterval);
  world.Open(peer, 1, Named("a", 4));
  EXPECT_EQ(peer.Last().opened.next_seq, 0);
  EXPECT_FALSE(peer.Last().opened.lost.has_value());
}

TEST(ResumeWithoutSavingTest, NamesWhatCannotBeHadAgain) {
  World world(ShardOptions{.save_interval = absl::ZeroDuration()});
  FakePeer peer;
  world.Open(peer, 0, Named("a", 0));
  world.Send(peer, 0, 0, Values(0, 6), 2);
  world.Open(peer, 1, Named("a", 2));
  EXPECT_EQ(peer.Last().opened.next_seq, 6);
  EXPECT_EQ(peer.Last().opened.lost, Range(2, 6));
  world.Send(peer, 1, 6, Values(6, 1), 6);
  EXPECT_EQ(peer.Forecasts(1)[0], world.engine().Forecasts(Values(0, 7))[6]);
}

// Whenever the stream breaks, a client by the rules ends with every forecast of an undisturbed session.
TEST(ResumeAnywhereTest, DeliversEveryForecastExactly) {
  constexpr uint64_t kTokens = 60;
  World world(ShardOptions{.save_interval = kInterval});
  const auto expected = world.engine().Forecasts(Values(0, kTokens));
  for (uint64_t broken_after = 1; broken_after < kTokens; broken_after += 3) {
    const std::string id = absl::StrCat("s", broken_after);
    std::vector<std::vector<float>> delivered;
    for (int attempt = 0; delivered.size() < kTokens && attempt < 4; ++attempt) {
      FakePeer peer;
      world.Open(peer, 0, Named(id, delivered.size()));
      uint64_t seq = peer.Last().opened.next_seq;
      ASSERT_LE(seq, delivered.size());
      uint64_t drop = delivered.size() - seq;
      const uint64_t end = attempt == 0 ? broken_after : kTokens;
      for (; seq < end; seq += 5) {
        const size_t known = peer.Forecasts(0).size();
        world.Send(peer, 0, seq, Values(seq, std::min<uint64_t>(5, end - seq)), delivered.size());
        if (seq % 3 == 0) world.Advance(kInterval);
        if (attempt == 0 && seq % 2 == 1) continue;  // the replies are never read
        const auto all = peer.Forecasts(0);
        for (size_t i = known; i < all.size() && attempt > 0; ++i) {
          if (drop > 0) {
            --drop;
          } else {
            delivered.push_back(all[i]);
          }
        }
        if (attempt == 0 && delivered.size() == known)
          delivered.insert(delivered.end(), all.begin() + known, all.end());
      }
      world.shard().Disconnect(peer);
    }
    EXPECT_EQ(delivered, expected) << "broken after " << broken_after;
  }
}

}  // namespace
}  // namespace aaren::shard
