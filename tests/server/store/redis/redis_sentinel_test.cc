// A Redis behind Sentinels. Skipped without redis-server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "server/store/redis/sentinel_question.h"
#include "tests/server/store/redis/redis_store_fixture.h"

namespace aaren::store {
namespace {

using ::testing::HasSubstr;

class RedisSentinelTest : public RedisStoreTest {
 protected:
  void SetUp() override {
    if (RedisServer::Installed().empty()) GTEST_SKIP() << "redis-server is not installed";
    redis_ = std::make_unique<RedisServer>(std::vector<std::string>{"--repl-diskless-sync-delay", "0"});
    std::ofstream(config_) << absl::StrCat("sentinel monitor fleet 127.0.0.1 ", redis_->port(), " 1\n",
                                           "sentinel down-after-milliseconds fleet 500\n");
    sentinel_ = std::make_unique<RedisServer>(std::vector<std::string>{config_, "--sentinel"});
  }
  void TearDown() override { std::filesystem::remove(config_); }

  RedisOptions Asked(const std::string& master = "fleet") const {
    RedisOptions options = sentinel_->options();
    options.sentinel = master;
    return options;
  }

  const std::string config_ =
      testing::TempDir() + "/" + testing::UnitTest::GetInstance()->current_test_info()->name() + ".conf";
  std::unique_ptr<RedisServer> sentinel_;
};

TEST_F(RedisSentinelTest, TellsWhereTheMasterIs) {
  Add(Open(Asked()), "t/a");
  EXPECT_EQ(redis_->Command({"EXISTS", "aaren:session:t/a"}), "1");
}

TEST_F(RedisSentinelTest, IsAskedAgainAfterAFailOver) {
  BlockingStore store = Open(Asked());
  Add(store, "t/a");
  RedisServer replica({"--replicaof", absl::StrCat("127.0.0.1 ", redis_->port()), "--repl-diskless-load", "swapdb"});
  const absl::Time deadline = absl::Now() + absl::Seconds(60);
  // The Sentinel hears of replicas from the master, every ten seconds.
  while (sentinel_->Command({"SENTINEL", "FAILOVER", "fleet"}) != "OK") {
    ASSERT_LT(absl::Now(), deadline);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  while (replica.Command({"ROLE"}).substr(0, 6) != "master") {
    ASSERT_LT(absl::Now(), deadline);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  while (store_->reconnects() == 0) {
    ASSERT_LT(absl::Now(), deadline);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  AwaitCalls(store);
  Add(store, "t/b");
  EXPECT_EQ(replica.Command({"EXISTS", "aaren:session:t/a", "aaren:session:t/b"}), "2");
}

TEST_F(RedisSentinelTest, AnotherSentinelIsAskedWhereOneIsAway) {
  RedisOptions options = Asked();
  options.addresses.insert(options.addresses.begin(), {"127.0.0.1", 1});
  EXPECT_TRUE(Open(options).ReserveEpochs(1).ok());
}

TEST_F(RedisSentinelTest, AMasterThatItDoesNotKnowIsNamed) {
  EXPECT_THAT(MessageOf(WhyNot(Asked("others"))), HasSubstr("this Sentinel knows no master 'others'"));
}

TEST_F(RedisSentinelTest, ARedisIsNoSentinel) {
  RedisOptions options = Asked();
  options.addresses = redis_->options().addresses;
  const absl::Status status = WhyNot(options);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(MessageOf(status), HasSubstr(absl::StrCat("127.0.0.1:", redis_->port(), ": it is no Sentinel")));
}

TEST_F(RedisSentinelTest, ASentinelIsNoRedis) {
  const absl::Status status = WhyNot(sentinel_->options());
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(MessageOf(status),
              HasSubstr("it is a Sentinel, not a Redis: redis_sentinel names the master it watches"));
}

TEST_F(RedisSentinelTest, APasswordOfTheRedisAloneIsNoErrorOfTheSentinel) {
  ASSERT_EQ(redis_->Command({"CONFIG", "SET", "requirepass", "secret"}), "OK");
  RedisOptions options = Asked();
  options.password_file = config_ + ".password";
  std::ofstream(options.password_file) << "secret\n";
  EXPECT_TRUE(Open(options).ReserveEpochs(1).ok());
  std::filesystem::remove(options.password_file);
}

}  // namespace
}  // namespace aaren::store
