// Damaged, missing or foreign rows and facts in a Redis.

#define XXH_INLINE_ALL
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <xxhash.h>

#include "server/store/format/fields.h"
#include "server/store/redis/redis_session.h"
#include "tests/server/store/redis/redis_store_fixture.h"

namespace aaren::store {
namespace {

using ::testing::HasSubstr;

class RedisDamageTest : public RedisStoreTest {
 protected:
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

  // The rows field written by Add.
  static std::string RowsOfTheSave() { return RowsField(1, 7); }
};

TEST_F(RedisDamageTest, DataOfALaterFormatIsRefusedByName) {
  redis_->Command({"SET", "aaren:identity", "aaren-store 3 0123"});
  const absl::Status status = WhyNot(redis_->options());
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(MessageOf(status), HasSubstr("'aaren-store 3 0123', this server knows 'aaren-store 2'"));
}

TEST_F(RedisDamageTest, DataOfAnEarlierFormatIsRefusedByName) {
  redis_->Command({"SET", "aaren:identity", "aaren-store 1 0123"});
  EXPECT_THAT(MessageOf(WhyNot(redis_->options())), HasSubstr("'aaren-store 1 0123', this server knows"));
}

// Damaged sessions.

TEST_F(RedisDamageTest, FlippedBitInRowsIsDataLossOfThatSessionOnly) {
  BlockingStore store = Open();
  Add(store, "/a");
  Add(store, "/b");
  Alter("/a", RowsOfTheSave(), 500);
  const absl::Status status = store.Load("/a").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(MessageOf(status), HasSubstr("'/a'"));
  EXPECT_TRUE(store.Load("/b").ok());
}

TEST_F(RedisDamageTest, FlippedBitInFactsRefusesWritesOfThatSessionOnly) {
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

TEST_F(RedisDamageTest, FlippedBitInASlotIsDataLoss) {
  BlockingStore store = Open();
  Add(store, "/a");
  Alter("/a", "s0", 10);
  EXPECT_EQ(store.Load("/a").status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(RedisDamageTest, MissingRowsAreDataLoss) {
  BlockingStore store = Open();
  Add(store, "/a");
  redis_->Command({"HDEL", "aaren:session:/a", RowsOfTheSave()});
  EXPECT_EQ(store.Load("/a").status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(RedisDamageTest, SomethingElseUnderTheKeyIsDataLossAndCanBeDeleted) {
  BlockingStore store = Open();
  redis_->Command({"SET", "aaren:session:/a", "holiday pictures"});
  EXPECT_EQ(store.Load("/a").status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(store.Save(WriteAt("/a", 1, 8)).status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(store.Acquire(RecordAt("/a", 1), 0).status.code(), absl::StatusCode::kDataLoss);
  EXPECT_TRUE(store.Delete("/a", std::nullopt).status.ok());
  Add(store, "/a");
}

TEST_F(RedisDamageTest, DamagedSessionIsDeletedWithoutItsEpochAndMadeAnew) {
  BlockingStore store = Open();
  Add(store, "/a");
  Alter("/a", "h", 3);
  EXPECT_TRUE(store.Delete("/a", std::nullopt).status.ok());
  EXPECT_TRUE(absl::IsNotFound(store.Load("/a").status()));
  Add(store, "/a");
}

TEST_F(RedisDamageTest, FactsOfALaterVersionAreRefusedByName) {
  BlockingStore store = Open();
  Add(store, "/a");
  AlterVersion("/a");
  const absl::Status status = store.Delete("/a", 1).status;
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(MessageOf(status), HasSubstr("version 6"));
}

}  // namespace
}  // namespace aaren::store
