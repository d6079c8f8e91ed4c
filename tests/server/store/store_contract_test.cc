// The promises of every store (server/store/store.h), tried on each.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/store/measured_store.h"
#include "server/store/memory_store.h"
#include "server/store/redis/redis_store.h"
#include "server/store/rocksdb/rocksdb_store.h"
#include "tests/server/store/blocking.h"
#include "tests/server/store/redis_server.h"

namespace aaren::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

SessionRecord RecordAt(const std::string& key, uint64_t epoch) {
  SessionRecord record;
  record.key = key;
  record.epoch = record.incarnation = epoch;
  record.origin = {"model:1", "digest", "exact", 7, 3};
  record.attempt = {4, 5};
  record.last_active = absl::FromUnixMillis(1'700'000'000'123);
  record.server = "host:7860";
  record.leased_until = absl::FromUnixMillis(1'700'000'009'123);
  return record;
}

SavedRows RowsAt(uint64_t seq) {
  return {{seq, {static_cast<int64_t>(seq) * 10, 10}}, "rows at " + std::to_string(seq)};
}

// A write by the writer who acquired the session at `epoch`.
SaveWrite WriteAt(const std::string& key, uint64_t epoch, uint64_t seq,
                  std::optional<uint64_t> keep_seq = std::nullopt) {
  SaveWrite write{RecordAt(key, epoch), RowsAt(seq), keep_seq};
  write.header.delivered_seq = seq;
  return write;
}

std::vector<uint64_t> Seqs(const SessionRecord& record) {
  std::vector<uint64_t> seqs;
  for (const SavedRows& save : record.saves) seqs.push_back(save.point.seq);
  return seqs;
}

std::vector<std::string> Keys(const std::vector<SessionRecord>& records) {
  std::vector<std::string> keys;
  for (const SessionRecord& record : records) keys.push_back(record.key);
  return keys;
}

// Makes an empty store; null if a needed program is not installed.
struct Maker {
  const char* name;
  std::unique_ptr<StateStore> (*make)();

  friend void PrintTo(const Maker& maker, std::ostream* out) { *out << maker.name; }
};

std::unique_ptr<StateStore> MakeMemoryStore() { return std::make_unique<MemoryStore>(); }

std::unique_ptr<StateStore> MakeRocksDbStore() {
  static int stores = 0;
  const std::string folder = absl::StrCat(testing::TempDir(), "/store_contract_", getpid(), "_", ++stores);
  std::filesystem::remove_all(folder);
  absl::StatusOr<std::unique_ptr<RocksDbStore>> store = RocksDbStore::Open({.folder = folder});
  EXPECT_TRUE(store.ok()) << store.status();
  return *std::move(store);
}

// A single redis-server for all tests, each with a prefix of its own.
std::unique_ptr<StateStore> MakeRedisStore() {
  if (RedisServer::Installed().empty()) return nullptr;
  static RedisServer& redis = *new RedisServer();
  static const int ended = std::atexit([] { redis.Kill(); });
  EXPECT_EQ(ended, 0);
  static int stores = 0;
  RedisOptions options = redis.options();
  options.prefix = absl::StrCat("store-", ++stores, ":");
  options.timeout = absl::Seconds(10);
  absl::StatusOr<std::unique_ptr<RedisStore>> store = RedisStore::Open(options);
  EXPECT_TRUE(store.ok()) << store.status();
  return *std::move(store);
}

std::unique_ptr<StateStore> MakeMeasuredStore() { return std::make_unique<MeasuredStore>(MakeMemoryStore()); }

class StoreTest : public testing::TestWithParam<Maker> {
 protected:
  void SetUp() override {
    if (made_ == nullptr) GTEST_SKIP() << "redis-server is not installed";
  }
  absl::Status Begin(const std::string& key, uint64_t epoch) { return store_.Acquire(RecordAt(key, epoch), 0).status; }

  const std::unique_ptr<StateStore> made_ = GetParam().make();
  BlockingStore store_{*made_};
};

TEST_P(StoreTest, GivesOutGrowingEpochs) {
  const uint64_t first = store_.ReserveEpochs(10).value();
  EXPECT_GT(first, 0u);
  EXPECT_GE(store_.ReserveEpochs(1).value(), first + 10);
}

TEST_P(StoreTest, DeletionDoesNotResetEpochs) {
  const uint64_t epoch = store_.ReserveEpochs(1).value();
  ASSERT_TRUE(Begin("/a", epoch).ok());
  ASSERT_TRUE(store_.Delete("/a", epoch).status.ok());
  EXPECT_GT(store_.ReserveEpochs(1).value(), epoch);
}

TEST_P(StoreTest, NamesTheSessionItDoesNotHave) {
  const absl::Status status = store_.Load("/nobody").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("/nobody"));
}

TEST_P(StoreTest, TheNewestSaveNotAboveKeepSeqStays) {
  ASSERT_TRUE(Begin("/a", 3).ok());
  ASSERT_TRUE(store_.Save(WriteAt("/a", 3, 50)).status.ok());
  ASSERT_TRUE(store_.Save(WriteAt("/a", 3, 110, 105)).status.ok());
  EXPECT_THAT(Seqs(store_.Load("/a").value()), ElementsAre(50, 110));
  ASSERT_TRUE(store_.Save(WriteAt("/a", 3, 130, 120)).status.ok());
  EXPECT_THAT(Seqs(store_.Load("/a").value()), ElementsAre(110, 130));
}

TEST_P(StoreTest, ASaveOverTheSaveThatStaysLeavesNoThird) {
  ASSERT_TRUE(Begin("/a", 3).ok());
  ASSERT_TRUE(store_.Save(WriteAt("/a", 3, 30)).status.ok());
  ASSERT_TRUE(store_.Save(WriteAt("/a", 3, 30, 30)).status.ok());
  ASSERT_TRUE(store_.Save(WriteAt("/a", 3, 40, 30)).status.ok());
  EXPECT_THAT(Seqs(store_.Load("/a").value()), ElementsAre(30, 40));
}

TEST_P(StoreTest, LoadsEveryFieldOfWhatWasSaved) {
  ASSERT_TRUE(Begin("/a", 3).ok());
  ASSERT_TRUE(store_.Save(WriteAt("/a", 3, 7)).status.ok());
  const SessionRecord record = store_.Load("/a").value();
  EXPECT_EQ(record.key, "/a");
  EXPECT_EQ(record.epoch, 3u);
  EXPECT_EQ(record.incarnation, 3u);
  EXPECT_EQ(record.origin.model, "model:1");
  EXPECT_EQ(record.origin.package_digest, "digest");
  EXPECT_EQ(record.origin.tier, "exact");
  EXPECT_EQ(record.origin.numerics_version, 7u);
  EXPECT_EQ(record.origin.channels, 3u);
  EXPECT_EQ(record.attempt.writer, 4u);
  EXPECT_EQ(record.attempt.number, 5u);
  EXPECT_EQ(record.delivered_seq, 7u);
  EXPECT_EQ(record.last_active, absl::FromUnixMillis(1'700'000'000'123));
  EXPECT_EQ(record.server, "host:7860");
  EXPECT_EQ(record.leased_until, absl::FromUnixMillis(1'700'000'009'123));
  ASSERT_THAT(Seqs(record), ElementsAre(7));
  EXPECT_EQ(record.saves[0].point.clock.last_time_ns, 70);
  EXPECT_EQ(record.saves[0].point.clock.step_ns, 10);
  EXPECT_EQ(record.saves[0].rows, "rows at 7");
}

TEST_P(StoreTest, FindsWhatItLoadsButForTheRows) {
  ASSERT_TRUE(Begin("/a", 3).ok());
  ASSERT_TRUE(store_.Save(WriteAt("/a", 3, 7)).status.ok());
  SessionRecord loaded = store_.Load("/a").value();
  const SessionRecord found = store_.Find("/a").value();
  EXPECT_EQ(found.key, loaded.key);
  EXPECT_EQ(found.epoch, loaded.epoch);
  EXPECT_EQ(found.origin.channels, loaded.origin.channels);
  EXPECT_EQ(found.delivered_seq, loaded.delivered_seq);
  EXPECT_EQ(found.attempt.number, loaded.attempt.number);
  EXPECT_EQ(found.last_active, loaded.last_active);
  ASSERT_THAT(Seqs(found), ElementsAre(7));
  EXPECT_EQ(found.saves[0].point.clock.last_time_ns, 70);
  EXPECT_TRUE(found.saves[0].rows.empty());
}

TEST_P(StoreTest, FindNamesTheSessionItDoesNotHave) {
  const absl::Status status = store_.Find("/nobody").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("/nobody"));
}

TEST_P(StoreTest, AcquisitionMayBringRows) {
  SessionRecord record = RecordAt("/a", 3);
  record.saves.push_back(RowsAt(5));
  ASSERT_TRUE(store_.Acquire(record, 0).status.ok());
  EXPECT_EQ(store_.Load("/a").value().saves.at(0).rows, "rows at 5");
}

TEST_P(StoreTest, AcquisitionOfASessionThatIsThereNeedsItsEpoch) {
  ASSERT_TRUE(Begin("/a", 5).ok());
  for (const uint64_t held : {0u, 4u, 6u}) {
    const WriteResult result = store_.Acquire(RecordAt("/a", 9), held);
    EXPECT_EQ(result.status.code(), absl::StatusCode::kAborted);
    EXPECT_EQ(result.current_epoch, 5u);
  }
  EXPECT_TRUE(store_.Acquire(RecordAt("/a", 9), 5).status.ok());
  EXPECT_EQ(store_.Load("/a").value().epoch, 9u);
}

TEST_P(StoreTest, AcquisitionOfADeletedSessionIsRefused) {
  const WriteResult result = store_.Acquire(RecordAt("/a", 9), 5);
  EXPECT_EQ(result.status.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(result.current_epoch, 0u);
}

TEST_P(StoreTest, AcquisitionKeepsTheSaveThatItNames) {
  ASSERT_TRUE(Begin("/a", 1).ok());
  ASSERT_TRUE(store_.Save(WriteAt("/a", 1, 4)).status.ok());
  ASSERT_TRUE(store_.Save(WriteAt("/a", 1, 9, 4)).status.ok());
  ASSERT_TRUE(store_.Acquire(RecordAt("/a", 2), 1, 4).status.ok());
  const SessionRecord record = store_.Load("/a").value();
  ASSERT_THAT(Seqs(record), ElementsAre(4));
  EXPECT_EQ(record.saves[0].rows, "rows at 4");
}

// The earlier writer may have saved since the record was loaded, and told the client.
TEST_P(StoreTest, AcquisitionIsRefusedIfTheSaveThatItKeepsIsNotThereAnyMore) {
  ASSERT_TRUE(Begin("/a", 1).ok());
  ASSERT_TRUE(store_.Save(WriteAt("/a", 1, 9)).status.ok());
  for (const uint64_t loaded : {0u, 4u}) {
    const WriteResult result = store_.Acquire(RecordAt("/a", 2), 1, loaded);
    EXPECT_EQ(result.status.code(), absl::StatusCode::kAborted);
    EXPECT_EQ(result.current_epoch, 1u);
  }
  EXPECT_THAT(Seqs(store_.Load("/a").value()), ElementsAre(9));
}

TEST_P(StoreTest, AcquisitionIsRefusedIfThereIsANewerSaveThanWasLoaded) {
  ASSERT_TRUE(Begin("/a", 1).ok());
  ASSERT_TRUE(store_.Save(WriteAt("/a", 1, 10)).status.ok());
  ASSERT_TRUE(store_.Save(WriteAt("/a", 1, 20, 10)).status.ok());
  EXPECT_EQ(store_.Acquire(RecordAt("/a", 2), 1, 10, 10).status.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(store_.Acquire(RecordAt("/a", 2), 1, 0, 0).status.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(Seqs(store_.Load("/a").value()), ElementsAre(10, 20));
  EXPECT_TRUE(store_.Acquire(RecordAt("/a", 2), 1, 10, 20).status.ok());
}

TEST_P(StoreTest, AcquisitionMayGoBackToTheEmptyRowWhileNoSaveWasDelivered) {
  ASSERT_TRUE(Begin("/a", 1).ok());
  SaveWrite ahead = WriteAt("/a", 1, 9);
  ahead.header.delivered_seq = 3;
  ASSERT_TRUE(store_.Save(ahead).status.ok());
  EXPECT_TRUE(store_.Acquire(RecordAt("/a", 2), 1, 0).status.ok());
  EXPECT_THAT(Seqs(store_.Load("/a").value()), ElementsAre());
}

TEST_P(StoreTest, AcquisitionThatNamesNoneDropsAllSaves) {
  ASSERT_TRUE(Begin("/a", 1).ok());
  ASSERT_TRUE(store_.Save(WriteAt("/a", 1, 4)).status.ok());
  ASSERT_TRUE(store_.Acquire(RecordAt("/a", 2), 1).status.ok());
  EXPECT_THAT(Seqs(store_.Load("/a").value()), ElementsAre());
}

TEST_P(StoreTest, SaveOfAnOlderWriterIsRefused) {
  ASSERT_TRUE(Begin("/a", 4).ok());
  ASSERT_TRUE(store_.Acquire(RecordAt("/a", 5), 4).status.ok());
  SaveWrite late = WriteAt("/a", 4, 9);
  const WriteResult result = store_.Save(late);
  EXPECT_EQ(result.status.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(result.current_epoch, 5u);
  EXPECT_THAT(Seqs(store_.Load("/a").value()), ElementsAre());
}

TEST_P(StoreTest, SaveDoesNotBringBackADeletedSession) {
  ASSERT_TRUE(Begin("/a", 4).ok());
  ASSERT_TRUE(store_.Delete("/a", 4).status.ok());
  const WriteResult result = store_.Save(WriteAt("/a", 4, 9));
  EXPECT_EQ(result.status.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(result.current_epoch, 0u);
  EXPECT_TRUE(absl::IsNotFound(store_.Load("/a").status()));
}

TEST_P(StoreTest, SaveOfAnotherIncarnationIsRefused) {
  ASSERT_TRUE(Begin("/a", 4).ok());
  SaveWrite write = WriteAt("/a", 4, 9);
  write.header.incarnation = 3;
  EXPECT_EQ(store_.Save(write).status.code(), absl::StatusCode::kAborted);
}

TEST_P(StoreTest, SaveTakesThePlaceOfAllButTheOneThatIsToStay) {
  ASSERT_TRUE(Begin("/a", 1).ok());
  for (uint64_t seq = 10; seq < 16; ++seq) {
    ASSERT_TRUE(store_.Save(WriteAt("/a", 1, seq)).status.ok());
    ASSERT_THAT(Seqs(store_.Load("/a").value()), ElementsAre(seq));
  }
  for (uint64_t seq = 16; seq < 20; ++seq) {
    ASSERT_TRUE(store_.Save(WriteAt("/a", 1, seq, 15)).status.ok());
    const SessionRecord record = store_.Load("/a").value();
    ASSERT_THAT(Seqs(record), ElementsAre(15, seq));
    EXPECT_EQ(record.saves[0].rows, "rows at 15");
    EXPECT_EQ(record.saves[1].rows, "rows at " + std::to_string(seq));
  }
  ASSERT_TRUE(store_.Save(WriteAt("/a", 1, 30, 19)).status.ok());
  EXPECT_THAT(Seqs(store_.Load("/a").value()), ElementsAre(19, 30));
  ASSERT_TRUE(store_.Save(WriteAt("/a", 1, 31, 0)).status.ok());
  EXPECT_THAT(Seqs(store_.Load("/a").value()), ElementsAre(31));
}

TEST_P(StoreTest, EachSaveOfABatchHasItsResult) {
  ASSERT_TRUE(Begin("/a", 1).ok());
  ASSERT_TRUE(Begin("/c", 1).ok());
  std::vector<SaveWrite> writes;
  for (const char* key : {"/a", "/b", "/c"}) writes.push_back(WriteAt(key, 1, 7));
  const std::vector<WriteResult> results = store_.Save(std::move(writes));
  ASSERT_EQ(results.size(), 3u);
  EXPECT_TRUE(results[0].status.ok());
  EXPECT_EQ(results[1].status.code(), absl::StatusCode::kAborted);
  EXPECT_TRUE(results[2].status.ok());
  EXPECT_THAT(Seqs(store_.Load("/c").value()), ElementsAre(7));
}

TEST_P(StoreTest, TwoSavesOfOneSessionInABatchAreDoneInTheirOrder) {
  ASSERT_TRUE(Begin("/a", 1).ok());
  std::vector<SaveWrite> writes;
  writes.push_back(WriteAt("/a", 1, 7));
  writes.push_back(WriteAt("/a", 1, 8, 7));
  for (const WriteResult& result : store_.Save(std::move(writes))) EXPECT_TRUE(result.status.ok());
  EXPECT_THAT(Seqs(store_.Load("/a").value()), ElementsAre(7, 8));
}

TEST_P(StoreTest, RowsMayBeLong) {
  ASSERT_TRUE(Begin("/a", 1).ok());
  SaveWrite write = WriteAt("/a", 1, 7);
  write.save.rows = std::string(5 << 20, 'x') + '\0' + "end";
  const std::string rows = write.save.rows;
  ASSERT_TRUE(store_.Save(std::move(write)).status.ok());
  EXPECT_EQ(store_.Load("/a").value().saves.at(0).rows, rows);
}

TEST_P(StoreTest, DeleteNeedsTheEpoch) {
  ASSERT_TRUE(Begin("/a", 5).ok());
  EXPECT_EQ(store_.Delete("/a", 4).status.code(), absl::StatusCode::kAborted);
  EXPECT_TRUE(store_.Load("/a").ok());
  EXPECT_TRUE(store_.Delete("/a", 5).status.ok());
  EXPECT_FALSE(store_.Load("/a").ok());
}

TEST_P(StoreTest, DeleteWithoutAnEpochTakesWhateverIsThere) {
  ASSERT_TRUE(Begin("/a", 5).ok());
  EXPECT_TRUE(store_.Delete("/a", std::nullopt).status.ok());
  EXPECT_TRUE(absl::IsNotFound(store_.Load("/a").status()));
  EXPECT_TRUE(store_.Delete("/a", std::nullopt).status.ok());
}

TEST_P(StoreTest, ADeletedSessionMayBeMadeAgainWithoutItsRows) {
  ASSERT_TRUE(Begin("/a", 1).ok());
  ASSERT_TRUE(store_.Save(WriteAt("/a", 1, 4)).status.ok());
  ASSERT_TRUE(store_.Delete("/a", 1).status.ok());
  ASSERT_TRUE(Begin("/a", 2).ok());
  EXPECT_THAT(Seqs(store_.Load("/a").value()), ElementsAre());
}

TEST_P(StoreTest, TriesToWriteAndLeavesNothing) {
  EXPECT_TRUE(store_.TryWrite().ok());
  EXPECT_TRUE(store_.List("", "", 10).value().empty());
}

TEST_P(StoreTest, ListsAPrefixInOrderBehindAKey) {
  for (const char* key : {"/b", "/a2", "/a1", "/a3", "x/a0"}) ASSERT_TRUE(Begin(key, 1).ok());
  EXPECT_THAT(Keys(store_.List("/a", "", 10).value()), ElementsAre("/a1", "/a2", "/a3"));
  EXPECT_THAT(Keys(store_.List("/a", "/a1", 1).value()), ElementsAre("/a2"));
  EXPECT_THAT(Keys(store_.List("/a", "/a3", 10).value()), ElementsAre());
  EXPECT_THAT(Keys(store_.List("", "", 10).value()), ElementsAre("/a1", "/a2", "/a3", "/b", "x/a0"));
}

TEST_P(StoreTest, ListsSavesWithoutTheirRows) {
  ASSERT_TRUE(Begin("/a", 1).ok());
  ASSERT_TRUE(store_.Save(WriteAt("/a", 1, 4)).status.ok());
  const auto page = store_.List("/", "", 10).value();
  ASSERT_EQ(page.size(), 1u);
  EXPECT_THAT(Seqs(page[0]), ElementsAre(4));
  EXPECT_TRUE(page[0].saves[0].rows.empty());
}

TEST_P(StoreTest, ListsAndFindsHowManyBytesTheSavesHave) {
  ASSERT_TRUE(Begin("/a", 1).ok());
  ASSERT_TRUE(store_.Save(WriteAt("/a", 1, 4)).status.ok());
  const uint64_t bytes = store_.Load("/a").value().saves[0].rows.size();
  EXPECT_GT(bytes, 0u);
  EXPECT_EQ(store_.List("/", "", 10).value()[0].stored_bytes, bytes);
  EXPECT_EQ(store_.Find("/a").value().stored_bytes, bytes);
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreTest,
                         testing::Values(Maker{"Memory", MakeMemoryStore}, Maker{"RocksDb", MakeRocksDbStore},
                                         Maker{"Measured", MakeMeasuredStore}, Maker{"Redis", MakeRedisStore}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace aaren::store
