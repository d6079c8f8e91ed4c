// Outages of a Redis: the Redis ends, hangs, forgets, is full, or is a different server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <vector>

#include "tests/server/store/redis/redis_store_fixture.h"

namespace aaren::store {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class RedisOutageTest : public RedisStoreTest {
 protected:
  std::string WriteFile(const std::string& text) const {
    std::string file = absl::StrCat(testing::TempDir(), "/redis_password_", getpid());
    std::ofstream(file) << text;
    return file;
  }
};

TEST_F(RedisOutageTest, CallsUnderWayAreAnsweredBeforeItEnds) {
  Open();
  int answered = 0;
  for (int i = 0; i < 1000; ++i) {
    Acquisition acquisition;
    acquisition.record = RecordAt(absl::StrCat("/", i), 1);
    store_->Acquire(std::move(acquisition), [&answered](const WriteResult& result) { answered += result.status.ok(); });
  }
  store_.reset();
  EXPECT_EQ(answered, 1000);
}

// Redis ends, and comes back.

TEST_F(RedisOutageTest, KilledRedisAnswersEveryCallOnceAndServesAgain) {
  BlockingStore store = Open();
  Add(store, "/a");
  redis_->Signal(SIGSTOP);
  std::vector<std::future<WriteResult>> answers;
  for (int i = 0; i < 200; ++i) {
    auto answer = std::make_shared<std::promise<WriteResult>>();
    answers.push_back(answer->get_future());
    Acquisition acquisition;
    acquisition.record = RecordAt(absl::StrCat("/", i), 1);
    // A second answer would throw.
    store_->Acquire(std::move(acquisition), [answer](WriteResult result) { answer->set_value(std::move(result)); });
  }
  redis_->Kill();
  for (auto& answer : answers) EXPECT_EQ(answer.get().status.code(), absl::StatusCode::kUnavailable);
  redis_->Start();
  AwaitCalls(store);
  EXPECT_TRUE(store.Load("/a").ok());
}

TEST_F(RedisOutageTest, CallsAreRefusedAtOnceWhileThereIsNoRedis) {
  BlockingStore store = Open();
  redis_->Kill();
  while (store.Load("/a").status().message().find("Connection refused") == std::string::npos) {
  }
  const absl::Time before = absl::Now();
  const absl::Status status = store.Load("/a").status();
  EXPECT_LT(absl::Now() - before, redis_->options().timeout);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(MessageOf(status), HasSubstr(absl::StrCat("127.0.0.1:", redis_->port())));
}

TEST_F(RedisOutageTest, HangingRedisIsLeftAfterTheTimeout) {
  BlockingStore store = Open();
  redis_->Signal(SIGSTOP);
  const WriteResult result = store.Acquire(RecordAt("/a", 1), 0);
  EXPECT_EQ(result.status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(MessageOf(result.status), HasSubstr("whether it was done is not known"));
  EXPECT_THAT(MessageOf(result.status), HasSubstr("no answer for 300ms"));
  redis_->Signal(SIGCONT);
  AwaitCalls(store);
}

// The save may be on its way while Redis hangs, and must not be done after later saves.
TEST_F(RedisOutageTest, CommandOfAnEarlierConnectionDoesNothing) {
  BlockingStore store = Open();
  Add(store, "/a");
  const std::string fence = redis_->Command({"KEYS", "aaren:fence:*"});
  redis_->Command({"SET", fence.substr(0, fence.size() - 1), "2"});  // the server's next connection
  const WriteResult result = store.Save(WriteAt("/a", 1, 8));
  EXPECT_EQ(result.status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(MessageOf(result.status), HasSubstr("FENCED"));
  AwaitCalls(store);
  EXPECT_EQ(store.Load("/a").value().saves.at(0).point.seq, 7u);
}

TEST_F(RedisOutageTest, RowsOfAnEarlierConnectionMakeNoSession) {
  BlockingStore store = Open();
  const std::string fence = redis_->Command({"KEYS", "aaren:fence:*"});
  redis_->Command({"SET", fence.substr(0, fence.size() - 1), "2"});
  EXPECT_EQ(store.Save(WriteAt("/a", 1, 8)).status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(redis_->Command({"EXISTS", "aaren:session:/a"}), "0");
}

TEST_F(RedisOutageTest, ConnectionsThatAreKilledComeBack) {
  BlockingStore store = Open();
  for (int i = 0; i < 20; ++i) {
    redis_->Command({"CLIENT", "KILL", "TYPE", "normal"});
    AwaitCalls(store);
  }
  EXPECT_GE(store_->reconnects(), 20u);
}

TEST_F(RedisOutageTest, NextAddressIsTakenWhenOneDoesNotAnswer) {
  RedisServer dead;
  dead.Kill();
  RedisOptions options = redis_->options();
  options.addresses.insert(options.addresses.begin(), dead.options().addresses[0]);
  Add(Open(options), "/a");
  EXPECT_NE(redis_->Command({"EXISTS", "aaren:session:/a"}), "0");
}

// Redis forgets.

TEST_F(RedisOutageTest, ForgottenScriptsAreLoadedAgainUnnoticed) {
  BlockingStore store = Open();
  Add(store, "/a");
  redis_->Command({"SCRIPT", "FLUSH"});
  std::vector<SaveWrite> writes;
  for (uint64_t seq = 10; seq < 300; ++seq) writes.push_back(WriteAt("/a", 1, seq));
  for (const WriteResult& result : store.Save(std::move(writes))) EXPECT_TRUE(result.status.ok()) << result.status;
  EXPECT_EQ(store.Load("/a").value().saves.at(0).point.seq, 299u);
}

// Scripts that were on their way to the old connection are answered as the connection ends.
TEST_F(RedisOutageTest, AConnectionThatEndsWhileScriptsAreLoadedEndsNoLaterConnection) {
  BlockingStore store = Open();
  redis_->Command({"SCRIPT", "FLUSH"});
  redis_->Command({"ACL", "SETUSER", "default", "-script"});
  std::promise<absl::Status> refused;
  Acquisition acquisition;
  acquisition.record = RecordAt("/a", 1);
  // The store connects again after the answer.
  store_->Acquire(std::move(acquisition), [this, &refused](const WriteResult& result) {
    refused.set_value(result.status);
    redis_->Command({"ACL", "SETUSER", "default", "+script"});
  });
  EXPECT_FALSE(refused.get_future().get().ok());
  const absl::Status next = store.ReserveEpochs(1).status();
  EXPECT_TRUE(next.ok()) << next;
}

TEST_F(RedisOutageTest, LostDataIsNoticedAndEpochsDoNotBeginAgain) {
  BlockingStore store = Open();
  Add(store, "/a");
  redis_->Command({"SET", "aaren:epochs", "5000000000000000"});
  const uint64_t epoch = store.ReserveEpochs(10).value();
  EXPECT_GT(epoch, 5'000'000'000'000'000u);
  testing::internal::CaptureStderr();
  redis_->Command({"FLUSHALL"});
  EXPECT_EQ(store.Save(WriteAt("/a", 1, 8)).status.code(), absl::StatusCode::kUnavailable);
  AwaitCalls(store);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("redis has lost its data"));
  EXPECT_GE(store.ReserveEpochs(1).value(), epoch + 10);
  EXPECT_EQ(store.Save(WriteAt("/a", 1, 8)).status.code(), absl::StatusCode::kAborted);
}

TEST_F(RedisOutageTest, ServerThatHasNotSeenTheLossGivesOutNoEarlierEpochEither) {
  const uint64_t epoch = Open().ReserveEpochs(1000).value();
  redis_->Kill();
  redis_->DeleteData();
  redis_->Start();
  EXPECT_GE(Open().ReserveEpochs(1).value(), epoch + 1000);
}

TEST_F(RedisOutageTest, EarlierDataIsNoticed) {
  BlockingStore store = Open();
  testing::internal::CaptureStderr();
  const std::string fence = redis_->Command({"KEYS", "aaren:fence:*"});
  redis_->Command({"DEL", fence.substr(0, fence.size() - 1)});  // acts like a loss of the last second
  while (!store.Acquire(RecordAt("/a", 1), 0).status.ok()) {
  }
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("redis has gone back to earlier data"));
}

// Redis refuses.

TEST_F(RedisOutageTest, FullRedisTakesWhatNeedsNoMoreRoomAndRefusesTheRestByName) {
  BlockingStore store = Open();
  Add(store, "/a");
  redis_->Command({"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_TRUE(store.Save(WriteAt("/a", 1, 8)).status.ok());
  EXPECT_TRUE(store.Save(WriteAt("/a", 1, 8)).status.ok());
  EXPECT_TRUE(store.Acquire(RecordAt("/a", 2), 1, 8).status.ok());
  SaveWrite beside = WriteAt("/a", 2, 9);
  beside.keep_seq = 8;
  for (const WriteResult& result : {store.Save(beside), store.Acquire(RecordAt("/b", 1), 0)}) {
    EXPECT_EQ(result.status.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(MessageOf(result.status), HasSubstr("OOM"));
  }
  ASSERT_EQ(store.Load("/a").value().saves.size(), 1u);
  EXPECT_EQ(store.Load("/a").value().saves[0].rows, "rows at 8");
  EXPECT_EQ(store.List("", "", 10).value().size(), 1u);
  EXPECT_TRUE(store.ReserveEpochs(1).ok());
  redis_->Command({"CLIENT", "KILL", "TYPE", "normal"});
  AwaitCalls(store);  // a full Redis can be connected to
  EXPECT_TRUE(store.Delete("/a", 2).status.ok());
  redis_->Command({"CONFIG", "SET", "maxmemory", "0"});
  Add(store, "/b");
}

TEST_F(RedisOutageTest, InAFullRedisOnlyTheSaveThatStaysIsKept) {
  BlockingStore store = Open();
  Add(store, "/a");
  SaveWrite second = WriteAt("/a", 1, 8);
  second.save.rows = std::string(1024, 'y');
  second.keep_seq = 7;
  ASSERT_TRUE(store.Save(second).status.ok());
  redis_->Command({"CONFIG", "SET", "maxmemory", "1"});
  SaveWrite third = WriteAt("/a", 1, 9);
  third.save.rows = std::string(1024, 'z');
  third.keep_seq = 8;
  ASSERT_TRUE(store.Save(third).status.ok());
  const SessionRecord record = store.Load("/a").value();
  ASSERT_EQ(record.saves.size(), 2u);
  EXPECT_EQ(record.saves[0].rows, std::string(1024, 'y'));
  EXPECT_EQ(record.saves[1].rows, std::string(1024, 'z'));
  EXPECT_EQ(redis_->Command({"HLEN", "aaren:session:/a"}), "5");
}

TEST_F(RedisOutageTest, RedisThatBecomesAReplicaIsLeftForTheNextAddress) {
  RedisServer next;
  RedisOptions options = redis_->options();
  options.addresses.push_back(next.options().addresses[0]);
  BlockingStore store = Open(options);
  redis_->Command({"REPLICAOF", "127.0.0.1", absl::StrCat(next.port())});
  const absl::Status status = store.ReserveEpochs(1).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(MessageOf(status), HasSubstr("READONLY"));
  AwaitCalls(store);
  Add(store, "/a");
  EXPECT_EQ(next.Command({"EXISTS", "aaren:session:/a"}), "1");
}

TEST_F(RedisOutageTest, ReplicaAloneIsNoStore) {
  RedisServer master;
  redis_->Command({"REPLICAOF", "127.0.0.1", absl::StrCat(master.port())});
  const absl::Status status = WhyNot(redis_->options());
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(MessageOf(status), HasSubstr(absl::StrCat("it is a replica of 127.0.0.1:", master.port())));
}

TEST_F(RedisOutageTest, PasswordOfTheFileIsUsed) {
  redis_->Command({"CONFIG", "SET", "requirepass", "open sesame"});
  RedisOptions options = redis_->options();
  options.password_file = WriteFile("open sesame\n");
  Add(Open(options), "/a");
}

TEST_F(RedisOutageTest, WrongOrMissingPasswordIsToldAtOnce) {
  redis_->Command({"CONFIG", "SET", "requirepass", "open sesame"});
  RedisOptions options = redis_->options();
  EXPECT_THAT(MessageOf(WhyNot(options)), HasSubstr("NOAUTH"));
  options.password_file = WriteFile("closed\n");
  const absl::Status status = WhyNot(options);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnauthenticated);
  EXPECT_THAT(MessageOf(status), HasSubstr("WRONGPASS"));
  EXPECT_THAT(MessageOf(status), Not(HasSubstr("closed")));
  options.password_file = "/nowhere";
  EXPECT_THAT(MessageOf(WhyNot(options)), HasSubstr("redis_password_file: cannot read a line of /nowhere"));
}

TEST_F(RedisOutageTest, ClusterIsRefusedByName) {
  RedisServer cluster({"--cluster-enabled", "yes"});
  const absl::Status status = WhyNot(cluster.options());
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(MessageOf(status), HasSubstr("Cluster"));
}

}  // namespace
}  // namespace aaren::store
