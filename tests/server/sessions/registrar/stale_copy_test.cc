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

// The second server has deleted the session, and has made no other.
class DeletedCopyTest : public StaleCopyTest {
 protected:
  void SetUp() override {
    StaleCopyTest::SetUp();
    if (IsSkipped()) return;
    ASSERT_FALSE(second_.Delete(kId).refusal);
  }
};

TEST_P(DeletedCopyTest, IsNeitherDescribedNorListed) {
  ASSERT_TRUE(first_.Get(kId).refusal.has_value());
  EXPECT_EQ(first_.Get(kId).refusal->reason, "SESSION_NOT_FOUND");
  EXPECT_TRUE(first_.List("", "", 10).value.sessions.empty());
}

TEST_P(DeletedCopyTest, IsNeitherExportedNorForked) {
  for (const auto& refusal : {first_.Export(kId).refusal, first_.Fork(kId, "b").refusal}) {
    ASSERT_TRUE(refusal.has_value());
    EXPECT_EQ(refusal->reason, "SESSION_NOT_FOUND");
  }
}

TEST_P(DeletedCopyTest, RefusesNoOpenThatCreates) {
  session::OpenRequest request = shard::Named(kId);
  request.mode = session::OpenMode::kCreate;
  for (const int shard : {0, 1}) {
    shard::FakePeer again;
    first_.Open(again, 7, request, shard);
    ASSERT_EQ(again.Last().kind, shard::FakePeer::Event::kOpened) << again.Last().refusal.status;
    EXPECT_TRUE(again.Last().opened.created);
    ASSERT_FALSE(first_.Delete(kId).refusal);
  }
}

INSTANTIATE_TEST_SUITE_P(Stores, DeletedCopyTest, testing::Values("memory", "redis"),
                         [](const auto& info) { return std::string(info.param); });

// A server that has drawn its epochs early gives a session made anew a smaller epoch than the stale copy's.
TEST(SmallerEpochTest, ASessionMadeAnewOutlivesTheStaleCopy) {
  constexpr absl::Duration kTimeToLive = absl::Minutes(10);
  SharedStore shared("memory");
  const shard::ShardOptions options{.save_interval = shard::kInterval, .session_ttl = kTimeToLive};
  shard::World first(options, 1, shared.Store()), second(options, 1, shared.Store());
  shard::FakePeer early, at_first, at_second;
  second.Open(early, 0, shard::Named("early"));
  first.Open(at_first, 0, shard::Named("a"));
  first.Send(at_first, 0, 0, shard::Values(0, 3));
  first.Advance(shard::kInterval);
  first.shard().Disconnect(at_first);
  first.Advance(shard::kInterval);
  ASSERT_FALSE(second.Delete("a").refusal);
  second.Open(at_second, 1, shard::Named("a"));
  for (int i = 0; i < 40; ++i) {
    first.Advance(kTimeToLive / 20);
    second.Send(at_second, 1, i, shard::Values(i, 1));
    second.Advance(kTimeToLive / 20);
  }
  EXPECT_EQ(at_second.Last().durable_seq, 40u);
}

INSTANTIATE_TEST_SUITE_P(Stores, StaleCopyTest, testing::Values("memory", "redis"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace aaren::registrar
