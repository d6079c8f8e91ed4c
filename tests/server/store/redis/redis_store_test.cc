// Sessions in a Redis: permitted writers, and the kept parts of a save.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/store/redis/redis_session.h"
#include "tests/server/store/redis/redis_store_fixture.h"

namespace aaren::store {
namespace {

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
  EXPECT_EQ(redis_->Command({"HLEN", "aaren:session:/b"}), "3");  // the header, a slot and the slot's rows
}

// The rows may be kept by the present writer.
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

// A replica may take over without the save at 30.
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

}  // namespace
}  // namespace aaren::store
