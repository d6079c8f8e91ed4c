#include "server/store/rocksdb/blob_garbage.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "rocksdb/db.h"
#include "rocksdb/statistics.h"
#include "server/store/rocksdb/rocksdb_settings.h"

namespace aaren::store {
namespace {

TEST(MayCollectTest, BeginsAtHalfAndEndsAtAQuarter) {
  EXPECT_FALSE(MayCollect(false, 50, 100));
  EXPECT_TRUE(MayCollect(false, 51, 100));
  EXPECT_TRUE(MayCollect(true, 26, 100));
  EXPECT_FALSE(MayCollect(true, 25, 100));
}

TEST(MayCollectTest, AnEmptyDatabaseHasNone) { EXPECT_FALSE(MayCollect(false, 0, 0)); }

// A database with the store's settings and buffers of a megabyte.
class BlobGarbageTest : public testing::Test {
 protected:
  static constexpr size_t kRowBytes = 8192;

  BlobGarbageTest()
      : folder_(absl::StrCat(testing::TempDir(), "/blob_garbage_", getpid(), "_",
                             testing::UnitTest::GetInstance()->current_test_info()->name())) {
    rocksdb::Options settings = RocksDbSettings(1 << 20);
    settings.create_if_missing = true;
    settings.statistics = statistics_;
    rocksdb::DB* opened = nullptr;
    EXPECT_TRUE(rocksdb::DB::Open(settings, folder_, &opened).ok());
    db_.reset(opened);
  }
  ~BlobGarbageTest() override {
    db_.reset();
    std::filesystem::remove_all(folder_);
  }

  // Writes rows [begin, end), spread over the keys, and looks once.
  void Write(int begin, int end) {
    for (int i = begin; i < end; ++i) {
      ASSERT_TRUE(db_->Put({}, absl::StrCat(i * 7919 % 10007), std::string(kRowBytes, 'a' + i % 26)).ok());
    }
    garbage_.Look(*db_, now_ += std::chrono::seconds(1));
  }

  // The bytes of blob files after a flush and a compaction.
  uint64_t Bytes() {
    EXPECT_TRUE(db_->Flush({}).ok());
    EXPECT_TRUE(db_->CompactRange({}, nullptr, nullptr).ok());
    uint64_t bytes = 0;
    EXPECT_TRUE(db_->GetIntProperty(rocksdb::DB::Properties::kTotalBlobFileSize, &bytes));
    return bytes;
  }

  const std::shared_ptr<rocksdb::Statistics> statistics_ = rocksdb::CreateDBStatistics();
  const std::string folder_;
  std::unique_ptr<rocksdb::DB> db_;
  BlobGarbage garbage_;
  std::chrono::steady_clock::time_point now_{};
};

TEST_F(BlobGarbageTest, RowsThatAreWrittenOnceAreNotCopied) {
  for (int round = 0; round < 50; ++round) Write(round * 200, (round + 1) * 200);
  EXPECT_GT(Bytes(), 9'000 * kRowBytes);
  EXPECT_EQ(statistics_->getTickerCount(rocksdb::BLOB_DB_GC_NUM_KEYS_RELOCATED), 0u);
}

TEST_F(BlobGarbageTest, AFewRowsThatLiveDoNotKeepTheFilesThatTheyAreIn) {
  constexpr int kRounds = 200;
  for (int round = 0; round < kRounds; ++round) {
    Write(0, 100);
    Write(1'000 + round, 1'001 + round);
  }
  EXPECT_LT(Bytes(), kRounds * 101 * kRowBytes / 4);
}

}  // namespace
}  // namespace aaren::store
