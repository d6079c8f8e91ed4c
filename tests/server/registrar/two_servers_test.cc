// Two servers that share a store: whichever a client comes to goes on from where the session is.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/store/redis/redis_store.h"
#include "tests/server/shard/world.h"
#include "tests/server/store/redis_server.h"

namespace aaren {
namespace {

using ::testing::HasSubstr;
using Event = FakePeer::Event;

constexpr absl::Duration kInterval = absl::Milliseconds(500);

// The store of both, and what it needs.
class Shared {
 public:
  explicit Shared(const std::string& kind) {
    if (kind == "redis" && !RedisServer::Installed().empty()) redis_ = std::make_unique<RedisServer>();
  }

  bool Lacks(const std::string& kind) const { return kind == "redis" && redis_ == nullptr; }

  // As one server has it: a connection of its own to the Redis, or the memory of both.
  std::shared_ptr<ProbedStore> Store() {
    if (redis_ == nullptr) return memory_;
    RedisOptions options = redis_->options();
    options.timeout = absl::Seconds(10);
    return std::make_shared<ProbedStore>(RedisStore::Open(options).value());
  }

 private:
  std::unique_ptr<RedisServer> redis_;
  const std::shared_ptr<ProbedStore> memory_ = std::make_shared<ProbedStore>();
};

class TwoServersTest : public testing::TestWithParam<const char*> {
 protected:
  // The first has taken three tokens of the session and saved it, then the second has opened it and taken two more.
  void SetUp() override {
    if (shared_.Lacks(GetParam())) GTEST_SKIP() << "redis-server is not installed";
    first_.Open(at_first_, 0, Named("a"));
    first_.Send(at_first_, 0, 0, Values(0, 3));
    first_.Advance(kInterval);
    second_.Open(at_second_, 0, Named("a"));
    second_.Send(at_second_, 0, 3, Values(3, 2));
    second_.Advance(kInterval);
  }

  Shared shared_{GetParam()};
  World first_{ShardOptions{.save_interval = kInterval}, 2, shared_.Store()};
  World second_{ShardOptions{.save_interval = kInterval}, 1, shared_.Store()};
  FakePeer at_first_, at_second_, again_;
};

TEST_P(TwoServersTest, SecondGoesOnFromTheSaveOfTheFirst) {
  EXPECT_EQ(at_second_.Last(Event::kOpened, 0).opened.next_seq, 3u);
  EXPECT_EQ(at_second_.Forecasts(0).back(), second_.engine().Forecasts(Values(0, 5))[4]);
}

TEST_P(TwoServersTest, FirstEndsItsSessionAtItsNextSave) {
  first_.Send(at_first_, 0, 3, Values(3, 1));
  first_.Advance(kInterval);
  EXPECT_EQ(at_first_.Last().refusal.status.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(first_.shard().counters().sessions_resident.value(), 0u);
}

TEST_P(TwoServersTest, OpenAtTheFirstGoesOnFromTheStateOfTheSecond) {
  first_.Open(again_, 7, Named("a"));
  EXPECT_EQ(again_.Last().opened.next_seq, 5u);
  first_.Send(again_, 7, 5, Values(5, 1));
  EXPECT_EQ(again_.Forecasts(7)[0], first_.engine().Forecasts(Values(0, 6))[5]);
}

TEST_P(TwoServersTest, OpenAtAnotherShardOfTheFirstDoesToo) {
  first_.Open(again_, 7, Named("a"), /*shard=*/1);
  EXPECT_EQ(again_.Last().opened.next_seq, 5u);
  EXPECT_EQ(first_.shard(0).counters().slots_used.value(), 0u);
}

TEST_P(TwoServersTest, SessionThatTheSecondDeletedIsNotBroughtBackByASave) {
  ASSERT_FALSE(second_.Delete("a").refusal);
  first_.Send(at_first_, 0, 3, Values(3, 1));
  first_.Advance(kInterval);
  EXPECT_THAT(std::string(at_first_.Last().refusal.status.message()), HasSubstr("deleted"));
  EXPECT_TRUE(absl::IsNotFound(first_.store().Load("/a").status()));
}

TEST_P(TwoServersTest, SessionThatTheSecondDeletedIsMadeAnewByAnOpen) {
  ASSERT_FALSE(second_.Delete("a").refusal);
  first_.Open(again_, 7, Named("a"));
  EXPECT_TRUE(again_.Last().opened.created);
  EXPECT_EQ(again_.Last().opened.next_seq, 0u);
}

TEST_P(TwoServersTest, SessionGoesBackAndForthWithoutLosingAToken) {
  uint64_t next = 5;
  for (int turn = 0; turn < 10; ++turn, ++next) {
    World& here = turn % 2 == 0 ? first_ : second_;
    FakePeer peer;
    here.Open(peer, 1, Named("a"));
    ASSERT_EQ(peer.Last().opened.next_seq, next);
    here.Send(peer, 1, next, Values(next, 1));
    EXPECT_EQ(peer.Forecasts(1)[0], here.engine().Forecasts(Values(0, next + 1))[next]);
    here.Advance(kInterval);
    here.shard().Disconnect(peer);
  }
}

INSTANTIATE_TEST_SUITE_P(Stores, TwoServersTest, testing::Values("memory", "redis"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace aaren
