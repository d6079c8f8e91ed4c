#include "server/store/rocksdb/sparing.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "rocksdb/db.h"
#include "server/store/rocksdb/rocksdb_settings.h"

namespace aaren::store {
namespace {

TEST(IsDamageTest, BytesThatAreOthersOrThatTheDiskDoesNotGive) {
  EXPECT_TRUE(IsDamage(rocksdb::Status::Corruption("checksum")));
  EXPECT_TRUE(IsDamage(rocksdb::Status::IOError("While pread file", std::strerror(EIO))));
}

TEST(IsDamageTest, IsNoFullDiskAndNoFileThatIsGone) {
  EXPECT_FALSE(IsDamage(rocksdb::Status::OK()));
  EXPECT_FALSE(IsDamage(rocksdb::Status::NotFound()));
  EXPECT_FALSE(IsDamage(rocksdb::Status::NoSpace("full")));
  EXPECT_FALSE(IsDamage(rocksdb::Status::PathNotFound("gone")));
  for (const int other : {EROFS, EMFILE, EDQUOT, EACCES}) {
    EXPECT_FALSE(IsDamage(rocksdb::Status::IOError("While open", std::strerror(other)))) << other;
  }
}

class SparingTest : public testing::Test {
 protected:
  ~SparingTest() override {
    db_.reset();
    std::filesystem::remove_all(folder_);
  }

  void Open() {
    rocksdb::Options settings = usual_;
    settings.create_if_missing = true;
    sparing_.Apply(settings);
    db_.reset();
    rocksdb::DB* opened = nullptr;
    ASSERT_TRUE(rocksdb::DB::Open(settings, folder_, &opened).ok());
    db_.reset(opened);
  }

  void AddFiles(int count) {
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(db_->Put({}, "key", absl::StrCat(i)).ok());
      ASSERT_TRUE(db_->Flush({}).ok());
    }
  }

  bool rewrites() const { return !db_->GetOptions().disable_auto_compactions; }
  bool HoldsBackAsUsual() const {
    return db_->GetOptions().level0_stop_writes_trigger == usual_.level0_stop_writes_trigger;
  }

  const std::string folder_ = absl::StrCat(testing::TempDir(), "/sparing_", getpid(), "_",
                                           testing::UnitTest::GetInstance()->current_test_info()->name());
  const rocksdb::Options usual_ = RocksDbSettings(1 << 20);
  const Sparing::Time now_{};
  Sparing sparing_{usual_};
  std::unique_ptr<rocksdb::DB> db_;
};

TEST_F(SparingTest, WithoutDamageChangesNothing) {
  Open();
  sparing_.Look(*db_, now_ + std::chrono::hours(9));
  EXPECT_TRUE(rewrites());
  EXPECT_TRUE(HoldsBackAsUsual());
}

TEST_F(SparingTest, RewritesNothingForAnHourHoweverManyFilesThereAre) {
  sparing_.Begin(now_);
  Open();
  AddFiles(usual_.level0_stop_writes_trigger + 4);
  sparing_.Look(*db_, now_ + std::chrono::minutes(59));
  EXPECT_FALSE(rewrites());
  EXPECT_TRUE(sparing_.spares());
}

// Else the first write would wait until hundreds are rewritten.
TEST_F(SparingTest, HoldsBackWritesOnlyWhenTheFilesAreFewAgain) {
  sparing_.Begin(now_);
  Open();
  AddFiles(usual_.level0_stop_writes_trigger + 4);
  Sparing::Time at = now_ + std::chrono::hours(1);
  sparing_.Look(*db_, at);
  EXPECT_FALSE(HoldsBackAsUsual());
  EXPECT_TRUE(rewrites());
  EXPECT_FALSE(sparing_.spares());
  ASSERT_TRUE(db_->CompactRange({}, nullptr, nullptr).ok());
  sparing_.Look(*db_, at += std::chrono::seconds(1));
  EXPECT_TRUE(HoldsBackAsUsual());
}

TEST_F(SparingTest, DamageThatIsMetAgainIsSparedForAnotherHour) {
  sparing_.Begin(now_);
  Open();
  sparing_.Look(*db_, now_ + std::chrono::hours(1));
  sparing_.Begin(now_ + std::chrono::hours(1));
  Open();
  sparing_.Look(*db_, now_ + std::chrono::minutes(119));
  EXPECT_FALSE(rewrites());
}

}  // namespace
}  // namespace aaren::store
