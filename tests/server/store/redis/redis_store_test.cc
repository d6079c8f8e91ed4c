// What a Redis does to its store: it ends, hangs, forgets, has no room, or is none.

#include "server/store/redis/redis_store.h"

#define XXH_INLINE_ALL
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>
#include <xxhash.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/store/fields.h"
#include "server/store/redis/redis_session.h"
#include "tests/server/store/blocking.h"
#include "tests/server/store/redis_server.h"

namespace aaren::store {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

SessionRecord RecordAt(const std::string& key, uint64_t epoch) {
  SessionRecord record;
  record.key = key;
  record.epoch = record.incarnation = epoch;
  return record;
}

SaveWrite WriteAt(const std::string& key, uint64_t epoch, uint64_t seq) {
  return {RecordAt(key, epoch), {{seq, {}}, absl::StrCat("rows at ", seq)}, std::nullopt};
}

std::string MessageOf(const absl::Status& status) { return std::string(status.message()); }

class RedisStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    if (RedisServer::Installed().empty()) GTEST_SKIP() << "redis-server is not installed";
    redis_ = std::make_unique<RedisServer>();
  }

  // Of redis_, unless there is one with other options.
  BlockingStore Open() { return Open(redis_->options()); }
  BlockingStore Open(const RedisOptions& options) {
    store_.reset();
    absl::StatusOr<std::unique_ptr<RedisStore>> opened = RedisStore::Open(options);
    EXPECT_TRUE(opened.ok()) << opened.status();
    store_ = *std::move(opened);
    return BlockingStore(*store_);
  }

  absl::Status WhyNot(RedisOptions options) const {
    options.start = absl::Milliseconds(500);
    return RedisStore::Open(options).status();
  }

  // A session with one save.
  static void Add(BlockingStore store, const std::string& key) {
    SessionRecord record = RecordAt(key, 1);
    record.saves.push_back({{7, {}}, std::string(1024, 'x')});
    ASSERT_TRUE(store.Acquire(record, 0).status.ok());
  }

  // Until the store does calls again.
  static void AwaitCalls(BlockingStore store) {
    const absl::Time deadline = absl::Now() + absl::Seconds(30);
    while (!store.ReserveEpochs(1).ok()) {
      ASSERT_LT(absl::Now(), deadline);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  // Changes a field of a session.
  void Alter(const std::string& key, const std::string& field, size_t byte) const {
    const std::string name = "aaren:session:" + key;
    std::string value = redis_->Command({"HGET", name, field});
    ASSERT_GT(value.size(), byte);
    value[byte] ^= 4;
    redis_->Command({"HSET", name, field, value});
  }

  void AlterVersion(const std::string& key) const {
    const std::string name = "aaren:session:" + key;
    std::string header = redis_->Command({"HGET", name, "h"});
    header.resize(header.size() - sizeof(uint64_t));
    header[0] ^= 4;
    Put(header, uint64_t{XXH3_64bits(header.data(), header.size())});
    redis_->Command({"HSET", name, "h", header});
  }

  // What Add has put there.
  static std::string RowsOfTheSave() { return RowsField(1, 7); }

  std::string WriteFile(const std::string& text) const {
    std::string file = absl::StrCat(testing::TempDir(), "/redis_password_", getpid());
    std::ofstream(file) << text;
    return file;
  }

  std::unique_ptr<RedisServer> redis_;
  std::unique_ptr<RedisStore> store_;
};

TEST_F(RedisStoreTest, SessionsOutliveIt) {
  Add(Open(), "/a");
  const SessionRecord record = Open().Load("/a").value();
  EXPECT_EQ(record.epoch, 1u);
  ASSERT_EQ(record.saves.size(), 1u);
  EXPECT_EQ(record.saves[0].rows, std::string(1024, 'x'));
}

TEST_F(RedisStoreTest, OfTwoServersOnlyTheLaterWriterIsHeard) {
  Add(Open(), "/a");
  const std::unique_ptr<RedisStore> other = RedisStore::Open(redis_->options()).value();
  ASSERT_TRUE(BlockingStore(*other).Acquire(RecordAt("/a", 2), 1).status.ok());
  const WriteResult late = BlockingStore(*store_).Save(WriteAt("/a", 1, 9));
  EXPECT_EQ(late.status.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(late.current_epoch, 2u);
}

TEST_F(RedisStoreTest, PrefixesAreApart) {
  Add(Open(), "/a");
  RedisOptions options = redis_->options();
  options.prefix = "other:";
  BlockingStore store = Open(options);
  EXPECT_TRUE(absl::IsNotFound(store.Load("/a").status()));
  EXPECT_TRUE(store.List("", "", 10).value().empty());
}

TEST_F(RedisStoreTest, AfterAnEndNothingButSessionsIsLeft) {
  BlockingStore store = Open();
  Add(store, "/a");
  ASSERT_TRUE(store.Delete("/a", 1).status.ok());
  store_.reset();
  const absl::Time deadline = absl::Now() + absl::Seconds(10);
  while (redis_->Command({"DBSIZE"}) != "1" && absl::Now() < deadline) std::this_thread::yield();
  EXPECT_EQ(redis_->Command({"KEYS", "*"}), "aaren:identity\n");
}

TEST_F(RedisStoreTest, RefusedSavesLeaveNothingBehind) {
  BlockingStore store = Open();
  EXPECT_EQ(store.Save(WriteAt("/a", 1, 8)).status.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(redis_->Command({"EXISTS", "aaren:session:/a"}), "0");
  Add(store, "/b");
  ASSERT_TRUE(store.Acquire(RecordAt("/b", 2), 1, 7).status.ok());
  EXPECT_EQ(store.Save(WriteAt("/b", 1, 8)).status.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(redis_->Command({"HLEN", "aaren:session:/b"}), "3");  // the header, a slot and its rows
}

// They may be those that the writer of now has kept.
TEST_F(RedisStoreTest, ARefusedSaveOfWhatIsKeptLeavesItsRows) {
  BlockingStore store = Open();
  Add(store, "/a");
  ASSERT_TRUE(store.Acquire(RecordAt("/a", 2), 1, 7).status.ok());
  SaveWrite again = WriteAt("/a", 1, 7);
  again.save.rows = std::string(1024, 'x');
  EXPECT_EQ(store.Save(again).status.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(store.Load("/a").value().saves.at(0).rows, std::string(1024, 'x'));
}

TEST_F(RedisStoreTest, RowsThatNeverGotTheirScriptGoWithTheNextOpen) {
  BlockingStore store = Open();
  Add(store, "/a");
  redis_->Command({"HSET", "aaren:session:/a", RowsField(1, 9), "a server ended here"});
  EXPECT_EQ(store.Load("/a").value().saves.size(), 1u);
  ASSERT_TRUE(store.Acquire(RecordAt("/a", 2), 1, 7).status.ok());
  EXPECT_EQ(redis_->Command({"HLEN", "aaren:session:/a"}), "3");
  redis_->Command({"HSET", "aaren:session:/b", RowsField(1, 9), "and here, after it was deleted"});
  EXPECT_TRUE(absl::IsNotFound(store.Load("/b").status()));
  Add(store, "/b");
  EXPECT_EQ(redis_->Command({"HLEN", "aaren:session:/b"}), "3");
}

// As when a replica takes over that had not seen it yet.
TEST_F(RedisStoreTest, SaveWhoseOlderOneIsLostKeepsTheNewestBeforeThat) {
  BlockingStore store = Open();
  Add(store, "/a");
  ASSERT_TRUE(store.Save(WriteAt("/a", 1, 20)).status.ok());
  SaveWrite write = WriteAt("/a", 1, 40);
  write.header.delivered_seq = write.keep_seq.emplace(30);
  ASSERT_TRUE(store.Save(write).status.ok());
  const SessionRecord record = store.Load("/a").value();
  ASSERT_EQ(record.saves.size(), 2u);
  EXPECT_EQ(record.saves[0].point.seq, 20u);
}

TEST_F(RedisStoreTest, CallsUnderWayAreAnsweredBeforeItEnds) {
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

TEST_F(RedisStoreTest, KilledRedisAnswersEveryCallOnceAndServesAgain) {
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

TEST_F(RedisStoreTest, CallsAreRefusedAtOnceWhileThereIsNoRedis) {
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

TEST_F(RedisStoreTest, HangingRedisIsLeftAfterTheTimeout) {
  BlockingStore store = Open();
  redis_->Signal(SIGSTOP);
  const WriteResult result = store.Acquire(RecordAt("/a", 1), 0);
  EXPECT_EQ(result.status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(MessageOf(result.status), HasSubstr("whether it was done is not known"));
  EXPECT_THAT(MessageOf(result.status), HasSubstr("no answer for 300ms"));
  redis_->Signal(SIGCONT);
  AwaitCalls(store);
}

// Its save may be on its way while Redis hangs, and must not be done after later ones.
TEST_F(RedisStoreTest, CommandOfAnEarlierConnectionDoesNothing) {
  BlockingStore store = Open();
  Add(store, "/a");
  const std::string fence = redis_->Command({"KEYS", "aaren:fence:*"});
  redis_->Command({"SET", fence.substr(0, fence.size() - 1), "2"});  // the next connection of this server
  const WriteResult result = store.Save(WriteAt("/a", 1, 8));
  EXPECT_EQ(result.status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(MessageOf(result.status), HasSubstr("FENCED"));
  AwaitCalls(store);
  EXPECT_EQ(store.Load("/a").value().saves.at(0).point.seq, 7u);
}

TEST_F(RedisStoreTest, RowsOfAnEarlierConnectionMakeNoSession) {
  BlockingStore store = Open();
  const std::string fence = redis_->Command({"KEYS", "aaren:fence:*"});
  redis_->Command({"SET", fence.substr(0, fence.size() - 1), "2"});
  EXPECT_EQ(store.Save(WriteAt("/a", 1, 8)).status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(redis_->Command({"EXISTS", "aaren:session:/a"}), "0");
}

TEST_F(RedisStoreTest, ConnectionsThatAreKilledComeBack) {
  BlockingStore store = Open();
  for (int i = 0; i < 20; ++i) {
    redis_->Command({"CLIENT", "KILL", "TYPE", "normal"});
    AwaitCalls(store);
  }
  EXPECT_GE(store_->reconnects(), 20u);
}

TEST_F(RedisStoreTest, NextAddressIsTakenWhenOneDoesNotAnswer) {
  RedisServer dead;
  dead.Kill();
  RedisOptions options = redis_->options();
  options.addresses.insert(options.addresses.begin(), dead.options().addresses[0]);
  Add(Open(options), "/a");
  EXPECT_NE(redis_->Command({"EXISTS", "aaren:session:/a"}), "0");
}

// Redis forgets.

TEST_F(RedisStoreTest, ForgottenScriptsAreLoadedAgainUnnoticed) {
  BlockingStore store = Open();
  Add(store, "/a");
  redis_->Command({"SCRIPT", "FLUSH"});
  std::vector<SaveWrite> writes;
  for (uint64_t seq = 10; seq < 300; ++seq) writes.push_back(WriteAt("/a", 1, seq));
  for (const WriteResult& result : store.Save(std::move(writes))) EXPECT_TRUE(result.status.ok()) << result.status;
  EXPECT_EQ(store.Load("/a").value().saves.at(0).point.seq, 299u);
}

TEST_F(RedisStoreTest, LostDataIsNoticedAndEpochsDoNotBeginAgain) {
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

TEST_F(RedisStoreTest, ServerThatHasNotSeenTheLossGivesOutNoEarlierEpochEither) {
  const uint64_t epoch = Open().ReserveEpochs(1000).value();
  redis_->Kill();
  redis_->DeleteData();
  redis_->Start();
  EXPECT_GE(Open().ReserveEpochs(1).value(), epoch + 1000);
}

TEST_F(RedisStoreTest, EarlierDataIsNoticed) {
  BlockingStore store = Open();
  testing::internal::CaptureStderr();
  const std::string fence = redis_->Command({"KEYS", "aaren:fence:*"});
  redis_->Command({"DEL", fence.substr(0, fence.size() - 1)});  // as if its last second was lost
  while (!store.Acquire(RecordAt("/a", 1), 0).status.ok()) {
  }
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("redis has gone back to earlier data"));
}

// Redis refuses.

TEST_F(RedisStoreTest, FullRedisTakesWhatNeedsNoMoreRoomAndRefusesTheRestByName) {
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

TEST_F(RedisStoreTest, InAFullRedisOnlyTheSaveThatStaysIsKept) {
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

TEST_F(RedisStoreTest, RedisThatBecomesAReplicaIsLeftForTheNextAddress) {
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

TEST_F(RedisStoreTest, ReplicaAloneIsNoStore) {
  RedisServer master;
  redis_->Command({"REPLICAOF", "127.0.0.1", absl::StrCat(master.port())});
  const absl::Status status = WhyNot(redis_->options());
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(MessageOf(status), HasSubstr(absl::StrCat("it is a replica of 127.0.0.1:", master.port())));
}

TEST_F(RedisStoreTest, PasswordOfTheFileIsUsed) {
  redis_->Command({"CONFIG", "SET", "requirepass", "open sesame"});
  RedisOptions options = redis_->options();
  options.password_file = WriteFile("open sesame\n");
  Add(Open(options), "/a");
}

TEST_F(RedisStoreTest, WrongOrMissingPasswordIsToldAtOnce) {
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

TEST_F(RedisStoreTest, ClusterIsRefusedByName) {
  RedisServer cluster({"--cluster-enabled", "yes"});
  const absl::Status status = WhyNot(cluster.options());
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(MessageOf(status), HasSubstr("Cluster"));
}

TEST_F(RedisStoreTest, DataOfALaterFormatIsRefusedByName) {
  redis_->Command({"SET", "aaren:identity", "aaren-store 3 0123"});
  const absl::Status status = WhyNot(redis_->options());
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(MessageOf(status), HasSubstr("'aaren-store 3 0123', this server knows 'aaren-store 2'"));
}

TEST_F(RedisStoreTest, DataOfAnEarlierFormatIsRefusedByName) {
  redis_->Command({"SET", "aaren:identity", "aaren-store 1 0123"});
  EXPECT_THAT(MessageOf(WhyNot(redis_->options())), HasSubstr("'aaren-store 1 0123', this server knows"));
}

// Sessions that are damaged.

TEST_F(RedisStoreTest, FlippedBitInRowsIsDataLossOfThatSessionOnly) {
  BlockingStore store = Open();
  Add(store, "/a");
  Add(store, "/b");
  Alter("/a", RowsOfTheSave(), 500);
  const absl::Status status = store.Load("/a").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(MessageOf(status), HasSubstr("'/a'"));
  EXPECT_TRUE(store.Load("/b").ok());
}

TEST_F(RedisStoreTest, FlippedBitInFactsRefusesWritesOfThatSessionOnly) {
  BlockingStore store = Open();
  Add(store, "/a");
  Add(store, "/b");
  Alter("/a", "h", 3);
  EXPECT_EQ(store.Load("/a").status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(store.Delete("/a", 1).status.code(), absl::StatusCode::kDataLoss);
  std::vector<SaveWrite> writes;
  writes.push_back(WriteAt("/a", 1, 8));
  writes.push_back(WriteAt("/b", 1, 8));
  const std::vector<WriteResult> results = store.Save(std::move(writes));
  EXPECT_EQ(results[0].status.code(), absl::StatusCode::kDataLoss);
  EXPECT_TRUE(results[1].status.ok());
  EXPECT_EQ(store.List("", "", 10).value().size(), 2u);  // still named
}

TEST_F(RedisStoreTest, FlippedBitInASlotIsDataLoss) {
  BlockingStore store = Open();
  Add(store, "/a");
  Alter("/a", "s0", 10);
  EXPECT_EQ(store.Load("/a").status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(RedisStoreTest, MissingRowsAreDataLoss) {
  BlockingStore store = Open();
  Add(store, "/a");
  redis_->Command({"HDEL", "aaren:session:/a", RowsOfTheSave()});
  EXPECT_EQ(store.Load("/a").status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(RedisStoreTest, SomethingElseUnderTheKeyIsDataLossAndCanBeDeleted) {
  BlockingStore store = Open();
  redis_->Command({"SET", "aaren:session:/a", "holiday pictures"});
  EXPECT_EQ(store.Load("/a").status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(store.Save(WriteAt("/a", 1, 8)).status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(store.Acquire(RecordAt("/a", 1), 0).status.code(), absl::StatusCode::kDataLoss);
  EXPECT_TRUE(store.Delete("/a", std::nullopt).status.ok());
  Add(store, "/a");
}

TEST_F(RedisStoreTest, DamagedSessionIsDeletedWithoutItsEpochAndMadeAnew) {
  BlockingStore store = Open();
  Add(store, "/a");
  Alter("/a", "h", 3);
  EXPECT_TRUE(store.Delete("/a", std::nullopt).status.ok());
  EXPECT_TRUE(absl::IsNotFound(store.Load("/a").status()));
  Add(store, "/a");
}

TEST_F(RedisStoreTest, FactsOfALaterVersionAreRefusedByName) {
  BlockingStore store = Open();
  Add(store, "/a");
  AlterVersion("/a");
  const absl::Status status = store.Delete("/a", 1).status;
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(MessageOf(status), HasSubstr("version 6"));
}

}  // namespace
}  // namespace aaren::store
