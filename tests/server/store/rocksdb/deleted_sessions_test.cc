// The cost of a great many deleted sessions for lists and Opens.

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "rocksdb/db.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/perf_level.h"
#include "server/store/rocksdb/header_list.h"
#include "server/store/rocksdb/rocksdb_settings.h"
#include "server/store/rocksdb/write_group.h"
#include "tests/server/store/rocksdb/store_folder.h"

namespace aaren::store {
namespace {

using std::chrono::steady_clock;

class DeletedSessionsTest : public RocksDbStoreTest {
 protected:
  static constexpr int kSessions = 100'000;

  // Sessions a/... are made and deleted; a/zz and b/... stay.
  BlockingStore OpenWithDeleted() {
    options_.buffer_bytes = 1 << 20;
    BlockingStore store = Open();
    std::promise<void> last;
    for (int i = 0; i < kSessions; ++i) {
      Acquisition acquisition;
      acquisition.record.key = absl::StrCat("a/", 1'000'000 + i);
      acquisition.record.epoch = acquisition.record.incarnation = 1;
      store_->Acquire(std::move(acquisition), [](const WriteResult&) {});
    }
    for (int i = 0; i < kSessions; ++i) {
      store_->Delete(absl::StrCat("a/", 1'000'000 + i), 1, [&last, i](const WriteResult& result) {
        EXPECT_TRUE(result.status.ok()) << result.status;
        if (i + 1 == kSessions) last.set_value();
      });
    }
    last.get_future().wait();
    Add(store, "a/zz");
    Add(store, "b/1");
    return store;
  }
};

// How many deleted keys a walk over all headers meets.
uint64_t DeletedMet(rocksdb::DB& db) {
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kEnableCount);
  rocksdb::get_perf_context()->Reset();
  const std::unique_ptr<rocksdb::Iterator> at(db.NewIterator({}));
  for (at->Seek("h"); at->Valid() && at->key().starts_with("h"); at->Next()) {
  }
  return rocksdb::get_perf_context()->internal_delete_skipped_count;
}

TEST_F(DeletedSessionsTest, CostAListNothingOnceItHasMetThem) {
  BlockingStore store = OpenWithDeleted();
  for (int i = 0; i < 40; ++i) {
    ASSERT_EQ(store.List("", "", 10).value().size(), 2u);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  store_.reset();
  rocksdb::DB* opened = nullptr;
  ASSERT_TRUE(rocksdb::DB::OpenForReadOnly(RocksDbSettings(1 << 20), folder_ + "/rocksdb", &opened).ok());
  const std::unique_ptr<rocksdb::DB> db(opened);
  EXPECT_LT(DeletedMet(*db), kSessions / 4u);
}

TEST_F(DeletedSessionsTest, AreWalkedOverInStepsThatEnd) {
  OpenWithDeleted();
  store_.reset();
  rocksdb::Options settings = RocksDbSettings(32 << 20);
  settings.table_properties_collector_factories.clear();
  settings.disable_auto_compactions = true;
  rocksdb::DB* opened = nullptr;
  ASSERT_TRUE(rocksdb::DB::Open(settings, folder_ + "/rocksdb", &opened).ok());
  const std::unique_ptr<rocksdb::DB> db(opened);
  for (int i = 0; i < kSessions; ++i) ASSERT_TRUE(db->Delete({}, HeaderKey(absl::StrCat("a/", 2'000'000 + i))).ok());
  const FolderLock lock = FolderLock::Take(folder_, 2).value();
  HeaderWalk walk("", "", 10);
  size_t steps = 1;
  for (; !walk.Step(*db, lock); ++steps) {
  }
  EXPECT_GE(steps, kSessions / 10'000u);
  EXPECT_LE(steps, 3 * kSessions / 10'000u);
  EXPECT_EQ(walk.idle_steps() + 1, steps);
  const std::vector<SessionRecord> page = walk.Take().value();
  ASSERT_EQ(page.size(), 2u);
  EXPECT_EQ(page[0].key, "a/zz");
}

// Waiting lists keep no Open waiting.
TEST_F(DeletedSessionsTest, KeepNoOpenWaitingBehindLists) {
  BlockingStore store = OpenWithDeleted();
  std::promise<size_t> listed;
  for (int i = 0; i < 50; ++i) {
    store_->List("", "", 10, [&listed, i](const HeaderWalk::Page& page) {
      if (i == 49) listed.set_value(page->size());
    });
  }
  std::future<size_t> last = listed.get_future();
  ASSERT_TRUE(store.Find("b/1").ok());
  EXPECT_EQ(last.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  EXPECT_EQ(last.get(), 2u);
}

}  // namespace
}  // namespace aaren::store
