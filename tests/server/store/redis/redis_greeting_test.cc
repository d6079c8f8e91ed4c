// The answers of a Redis to a new connection, and the connection's reactions.

#include "server/store/redis/redis_greeting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace aaren::store {
namespace {

using ::testing::HasSubstr;

class RedisGreetingTest : public testing::Test {
 protected:
  absl::Status Hear(int type, std::string text) {
    redisReply reply{};
    reply.type = type;
    reply.str = text.data();
    reply.len = text.size();
    return greeting_.OnReply(reply);
  }

  RedisGreeting greeting_ = RedisGreeting::Begin({}, {"aaren:", "server"}, {}).value();
};

TEST_F(RedisGreetingTest, VersionThatIsTooOldIsNamed) {
  const absl::Status status = Hear(REDIS_REPLY_STRING, "redis_version:6.2.14\r\nrole:master\r\n");
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("Redis 6.2.14 is too old: it needs 7.0"));
}

TEST_F(RedisGreetingTest, SentinelIsNamedAndNotTakenForAReplica) {
  const absl::Status status = Hear(REDIS_REPLY_STRING, "redis_version:7.0.15\r\nredis_mode:sentinel\r\n");
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("it is a Sentinel, not a Redis"));
}

TEST_F(RedisGreetingTest, RedisThatLoadsItsDataIsTriedAgain) {
  ASSERT_TRUE(Hear(REDIS_REPLY_STRING, "redis_version:7.0.15\r\nrole:master\r\nmaxmemory_policy:noeviction").ok());
  const absl::Status status = Hear(REDIS_REPLY_ERROR, "LOADING Redis is loading the dataset in memory");
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("LOADING"));
}

}  // namespace
}  // namespace aaren::store
