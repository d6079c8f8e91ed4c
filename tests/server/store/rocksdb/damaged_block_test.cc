// An unreadable block hides only the sessions inside the block, and stops no writer.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/store/rocksdb/store_folder.h"

namespace aaren::store {
namespace {

using ::testing::HasSubstr;

// A database with facts in many blocks. A single block is unreadable.
class DamagedBlockTest : public RocksDbStoreTest {
 protected:
  static constexpr int kSessions = 2000;

  explicit DamagedBlockTest(bool first = false) {
    BlockingStore store = Open();
    for (int i = 0; i < kSessions; ++i) Add(store, absl::StrCat("a/", 10'000 + i));
    Add(store, "b/last");
    store_.reset();
    const std::string file = FileEndingIn(".sst");
    Overwrite(file, first ? 20 : static_cast<int64_t>(std::filesystem::file_size(file)) / 3, "damage");
  }
};

// The block with the first of all keys.
class DamagedFirstBlockTest : public DamagedBlockTest {
 protected:
  DamagedFirstBlockTest() : DamagedBlockTest(true) {}
};

TEST_F(DamagedFirstBlockTest, IsLeftOutOfAList) {
  BlockingStore store = Open();
  for (const std::string prefix : {"", "a/", "a/1"}) {
    const absl::StatusOr<std::vector<SessionRecord>> listed = store.List(prefix, "", 2 * kSessions);
    ASSERT_TRUE(listed.ok()) << "'" << prefix << "': " << listed.status();
    EXPECT_LT(listed->size(), static_cast<size_t>(kSessions));
    EXPECT_GT(listed->size(), kSessions - 100u);
  }
}

TEST_F(DamagedFirstBlockTest, IsToldByTheNameOfEachOfItsSessions) {
  BlockingStore store = Open();
  int damaged = 0;
  for (int i = 0; i < kSessions; ++i) {
    const std::string key = absl::StrCat("a/", 10'000 + i);
    const absl::Status status = store.Find(key).status();
    if (status.ok()) continue;
    ++damaged;
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(absl::StrCat("session '", key, "'")));
  }
  EXPECT_GT(damaged, 0);
}

// No readable key with the prefix lies behind the block.
TEST_F(DamagedBlockTest, AtTheEndOfAListIsTold) {
  BlockingStore store = Open();
  const std::vector<SessionRecord> all = store.List("", "", 2 * kSessions).value();
  std::string before;  // the last key before the gap
  for (size_t i = 0; i + 1 < all.size() && before.empty(); ++i) {
    if (all[i].key.substr(0, 2) == "a/" && std::stoi(all[i + 1].key.substr(2)) != std::stoi(all[i].key.substr(2)) + 1) {
      before = all[i].key;
    }
  }
  testing::internal::CaptureStderr();
  const std::string prefix = before.substr(0, before.size() - 2);
  const absl::StatusOr<std::vector<SessionRecord>> listed = store.List(prefix, "", 2 * kSessions);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr(absl::StrCat("after=", before, " before=")));
  ASSERT_TRUE(listed.ok()) << listed.status();
  EXPECT_EQ(listed->back().key, before);
}

TEST_F(DamagedBlockTest, HidesNothingThatIsSoundBeforeAnother) {
  const std::string file = FileEndingIn(".sst");
  const auto size = static_cast<int64_t>(std::filesystem::file_size(file));
  Overwrite(file, size * 38 / 1000, "damage");
  Overwrite(file, size * 188 / 1000, "damage");  // a search by halving from the end would try a key here
  BlockingStore store = Open();
  EXPECT_GT(store.List("", "", 2 * kSessions).value().size(), kSessions - 150u);
}

TEST_F(DamagedBlockTest, PagesGoOnBehindIt) {
  BlockingStore store = Open();
  std::vector<SessionRecord> page;
  std::string after;
  size_t met = 0;
  for (; !(page = store.List("", after, 10).value()).empty(); met += page.size()) after = page.back().key;
  EXPECT_EQ(after, "b/last");
  EXPECT_EQ(met, store.List("", "", 2 * kSessions).value().size());
}

// Compactions meet the block after a dozen files.
TEST_F(DamagedBlockTest, DoesNotKeepOthersFromBeingWritten) {
  options_.buffer_bytes = 64 << 10;
  BlockingStore store = Open();
  int written = 0, failures = 0;
  const auto write = [&] {
    SessionRecord record;
    record.key = absl::StrCat("c/", written++);
    record.epoch = record.incarnation = 1;
    record.saves.push_back({{7, {}}, std::string(1024, 'x')});
    failures += !store.Acquire(record, 0).status.ok();
  };
  while (failures == 0 && written < 30'000) write();
  ASSERT_GT(failures, 0) << "no compaction has met the damage";
  for (int i = 0; i < 1000; ++i) write();
  EXPECT_LT(failures, 10);
}

}  // namespace
}  // namespace aaren::store
