#include "server/store/memory_store.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/server/store/blocking.h"

namespace aaren::store {
namespace {

TEST(MemoryStoreTest, BeyondItsBudgetItKeepsWhatItHas) {
  memory::MemoryBudget budget(20'000);
  MemoryStore store(&budget);
  SessionRecord record;
  record.key = "/a";
  record.epoch = 1;
  record.saves.push_back({{7, {}}, std::string(10'000, 'x')});
  ASSERT_TRUE(BlockingStore(store).Acquire(record, 0).status.ok());
  record.epoch = 2;
  record.saves[0] = {{8, {}}, std::string(30'000, 'x')};
  EXPECT_EQ(BlockingStore(store).Acquire(record, 1).status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(BlockingStore(store).Load("/a").value().saves.at(0).point.seq, 7u);
}

TEST(MemoryStoreTest, DeletionGivesItsBytesBack) {
  memory::MemoryBudget budget(20'000);
  MemoryStore store(&budget);
  SessionRecord record;
  record.epoch = 1;
  record.saves.push_back({{7, {}}, std::string(15'000, 'x')});
  for (const char* key : {"/a", "/b", "/c"}) {
    record.key = key;
    ASSERT_TRUE(BlockingStore(store).Acquire(record, 0).status.ok());
    ASSERT_TRUE(BlockingStore(store).Delete(key, 1).status.ok());
  }
}

}  // namespace
}  // namespace aaren::store
