#include "server/store/memory_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aaren {
namespace {

using ::testing::ElementsAre;

SessionRecord RecordAt(const std::string& key, uint64_t epoch, uint64_t seq) {
  SessionRecord record;
  record.key = key;
  record.epoch = epoch;
  record.saves = {{{seq, {5, 1}}, "rows"}};
  return record;
}

std::vector<std::string> Keys(const std::vector<SessionRecord>& records) {
  std::vector<std::string> keys;
  for (const SessionRecord& record : records) keys.push_back(record.key);
  return keys;
}

TEST(MemoryStoreTest, GivesOutGrowingEpochsThatDeletionDoesNotReset) {
  MemoryStore store;
  const uint64_t first = store.NextEpoch().value();
  ASSERT_TRUE(store.Save(RecordAt("/a", first, 1)).ok());
  ASSERT_TRUE(store.Delete("/a", first).ok());
  EXPECT_GT(store.NextEpoch().value(), first);
}

TEST(MemoryStoreTest, LoadsWhatWasSaved) {
  MemoryStore store;
  ASSERT_TRUE(store.Save(RecordAt("/a", 3, 7)).ok());
  const SessionRecord record = store.Load("/a").value();
  EXPECT_EQ(record.epoch, 3);
  ASSERT_EQ(record.saves.size(), 1);
  EXPECT_EQ(record.saves[0].point.seq, 7);
  EXPECT_EQ(record.saves[0].rows, "rows");
}

TEST(MemoryStoreTest, NamesTheSessionItDoesNotHave) {
  MemoryStore store;
  const absl::Status status = store.Load("/nobody").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("/nobody"));
}

TEST(MemoryStoreTest, RefusesAWriterOfAnOlderEpoch) {
  MemoryStore store;
  ASSERT_TRUE(store.Save(RecordAt("/a", 5, 1)).ok());
  EXPECT_EQ(store.Save(RecordAt("/a", 4, 9)).code(), absl::StatusCode::kAborted);
  EXPECT_EQ(store.Delete("/a", 4).code(), absl::StatusCode::kAborted);
  EXPECT_EQ(store.Load("/a").value().saves[0].point.seq, 1);
}

TEST(MemoryStoreTest, LetsAWriterOfTheSameEpochReplaceAndDelete) {
  MemoryStore store;
  ASSERT_TRUE(store.Save(RecordAt("/a", 5, 1)).ok());
  EXPECT_TRUE(store.Save(RecordAt("/a", 5, 2)).ok());
  EXPECT_EQ(store.Load("/a").value().saves[0].point.seq, 2);
  EXPECT_TRUE(store.Delete("/a", 5).ok());
  EXPECT_FALSE(store.Load("/a").ok());
}

TEST(MemoryStoreTest, DeletesWhatIsNotThere) {
  MemoryStore store;
  EXPECT_TRUE(store.Delete("/a", 1).ok());
}

TEST(MemoryStoreTest, ListsAPrefixInOrderBehindAKey) {
  MemoryStore store;
  for (const char* key : {"/b", "/a2", "/a1", "/a3", "x/a0"}) ASSERT_TRUE(store.Save(RecordAt(key, 1, 1)).ok());
  EXPECT_THAT(Keys(store.List("/a", "", 10).value()), ElementsAre("/a1", "/a2", "/a3"));
  EXPECT_THAT(Keys(store.List("/a", "/a1", 1).value()), ElementsAre("/a2"));
  EXPECT_THAT(Keys(store.List("/a", "/a3", 10).value()), ElementsAre());
}

TEST(MemoryStoreTest, ListsSavesWithoutTheirRows) {
  MemoryStore store;
  ASSERT_TRUE(store.Save(RecordAt("/a", 1, 4)).ok());
  const auto page = store.List("/", "", 10).value();
  ASSERT_EQ(page[0].saves.size(), 1);
  EXPECT_EQ(page[0].saves[0].point.seq, 4);
  EXPECT_TRUE(page[0].saves[0].rows.empty());
}

}  // namespace
}  // namespace aaren
