// A stream leaves one server, and another server with the same store opens the session: the first has a stale copy.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/sessions/registrar/shared_store.h"
#include "tests/server/sessions/shard/world/world.h"

namespace aaren::registrar {
namespace {

class StaleCopyTest : public testing::TestWithParam<const char*> {
 protected:
  static constexpr absl::Duration kTtl = absl::Minutes(10);
  static constexpr char kId[] = "stream-0123456789abcdef";

  // The first server has saved three tokens and has the session without a stream; the second server has taken two more.
  void SetUp() override {
    if (shared_.Lacks(GetParam())) GTEST_SKIP() << "redis-server is not installed";
    first_.Open(at_first_, 0, shard::Named(kId));
    first_.Send(at_first_, 0, 0, shard::Values(0, 3));
    first_.Advance(shard::kInterval);
    first_.shard().Disconnect(at_first_);
    first_.Advance(shard::kInterval);
    first_epoch_ = first_.Get(kId).value.epoch;
    ASSERT_TRUE(first_.Get(kId).value.resident);
    second_.Open(at_second_, 0, shard::Named(kId));
    second_.Send(at_second_, 0, 3, shard::Values(3, 2));
    second_.Advance(shard::kInterval);
  }

  uint64_t second_epoch() { return second_.Get(kId).value.epoch; }

  // The second server's session is in the store, and its next token is saved.
  void ExpectToGoOnAtTheSecond() {
    EXPECT_TRUE(shared_.Store()->Load(absl::StrCat("/", kId)).ok());
    second_.Send(at_second_, 0, 5, shard::Values(5, 1));
    second_.Advance(shard::kInterval);
    EXPECT_EQ(at_second_.Last().durable_seq, 6u);
  }

  SharedStore shared_{GetParam()};
  shard::World first_{
      shard::ShardOptions{.save_interval = shard::kInterval, .session_ttl = kTtl, .advertise = "first:1"}, 2,
      shared_.Store()};
  shard::World second_{
      shard::ShardOptions{.save_interval = shard::kInterval, .session_ttl = kTtl, .advertise = "second:1"}, 1,
      shared_.Store()};
  shard::FakePeer at_first_, at_second_;
  uint64_t first_epoch_ = 0;
};

TEST_P(StaleCopyTest, ExpiresWithoutTheSessionOfTheSecond) {
  for (int i = 0; i < 40; ++i) {
    first_.Advance(kTtl / 20);
    second_.Advance(kTtl / 20);
  }
  EXPECT_EQ(first_.shard(0).counters().sessions_resident.value(), 0u);
  ExpectToGoOnAtTheSecond();
}

TEST_P(StaleCopyTest, IsNotListed) {
  const auto sessions = first_.List("", "", 10).value.sessions;
  ASSERT_EQ(sessions.size(), 1u);
  EXPECT_EQ(sessions[0].epoch, second_epoch());
  EXPECT_TRUE(sessions[0].attached);
  EXPECT_EQ(sessions[0].server, "second:1");
}

TEST_P(StaleCopyTest, IsNotDeletedForTheSessionOfTheSecond) {
  const auto refusal = first_.Delete(kId, first_epoch_).refusal;
  ASSERT_TRUE(refusal.has_value());
  EXPECT_EQ(refusal->reason, "FENCED");
  ExpectToGoOnAtTheSecond();
}

TEST_P(StaleCopyTest, LetsTheSecondsEpochDelete) {
  EXPECT_FALSE(first_.Delete(kId, second_epoch()).refusal);
  EXPECT_TRUE(absl::IsNotFound(shared_.Store()->Load(absl::StrCat("/", kId)).status()));
}

TEST_P(StaleCopyTest, IsNotDescribed) {
  const session::SessionInfo info = first_.Get(kId).value;
  EXPECT_EQ(info.next_seq, 5u);
  EXPECT_EQ(info.server, "second:1");
}

TEST_P(StaleCopyTest, IsNeitherExportedNorForkedNorEvicted) {
  for (const auto& refusal : {first_.Export(kId).refusal, first_.Fork(kId, "b").refusal, first_.Evict(kId).refusal}) {
    ASSERT_TRUE(refusal.has_value());
    EXPECT_EQ(refusal->reason, "LIVE_ELSEWHERE");
  }
}

TEST_P(StaleCopyTest, IsNotReplacedForTheSessionOfTheSecond) {
  const std::string snapshot = second_.Export(kId).value.bytes;
  ImportRequest request;
  request.snapshot = snapshot;
  request.over.replace = true;
  request.over.epoch = first_epoch_;
  const auto outcome = first_.Import(kId, request);
  ASSERT_TRUE(outcome.refusal.has_value());
  EXPECT_EQ(outcome.refusal->reason, "FENCED");
  ExpectToGoOnAtTheSecond();
}

INSTANTIATE_TEST_SUITE_P(Stores, StaleCopyTest, testing::Values("memory", "redis"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace aaren::registrar
