#ifndef AAREN_TESTS_SERVER_STORE_ROCKSDB_STORE_FOLDER_H_
#define AAREN_TESTS_SERVER_STORE_ROCKSDB_STORE_FOLDER_H_

// A folder with a RocksDbStore, for tests to open, close and damage.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "rocksdb/db.h"
#include "server/store/rocksdb/rocksdb_store.h"
#include "tests/server/store/blocking.h"

namespace aaren::store {

class RocksDbStoreTest : public testing::Test {
 protected:
  RocksDbStoreTest()
      : folder_(absl::StrCat(testing::TempDir(), "/rocksdb_store_", getpid(), "_",
                             testing::UnitTest::GetInstance()->current_test_info()->name())) {}
  ~RocksDbStoreTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  BlockingStore Open() {
    store_.reset();
    absl::StatusOr<std::unique_ptr<RocksDbStore>> opened = RocksDbStore::Open(options_);
    EXPECT_TRUE(opened.ok()) << opened.status();
    store_ = *std::move(opened);
    return BlockingStore(*store_);
  }
  absl::Status WhyNot() const { return RocksDbStore::Open(options_).status(); }

  // Adds a session with a save of a kilobyte.
  static void Add(BlockingStore store, const std::string& key) {
    SessionRecord record;
    record.key = key;
    record.epoch = record.incarnation = 1;
    record.saves.push_back({{7, {}}, std::string(1024, 'x')});
    ASSERT_TRUE(store.Acquire(record, 0).status.ok());
  }

  // Changes the value of a key in the closed store.
  void Alter(const std::string& key, const std::function<void(std::string&)>& change) {
    store_.reset();
    rocksdb::DB* opened = nullptr;
    ASSERT_TRUE(rocksdb::DB::Open({}, folder_ + "/rocksdb", &opened).ok());
    const std::unique_ptr<rocksdb::DB> db(opened);
    std::string value;
    ASSERT_TRUE(db->Get({}, key, &value).ok());
    change(value);
    ASSERT_TRUE(db->Put({}, key, value).ok());
  }

  void WriteFile(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ + "/" + name) << text;
  }

  // The database's file with the extension `end`. REQUIRES: a single file with the extension is not empty.
  std::string FileEndingIn(const std::string& end) const {
    for (const auto& entry : std::filesystem::directory_iterator(folder_ + "/rocksdb")) {
      if (entry.path().extension() == end && entry.file_size() > 0) return entry.path();
    }
    return "no file";
  }

  static void Overwrite(const std::string& path, int64_t at, const std::string& bytes) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at);
    file << bytes;
    ASSERT_TRUE(file.good()) << path;
  }

  const std::string folder_;
  RocksDbOptions options_{.folder = folder_, .pause = std::chrono::milliseconds(0)};
  std::unique_ptr<RocksDbStore> store_;
};

}  // namespace aaren::store

#endif  // AAREN_TESTS_SERVER_STORE_ROCKSDB_STORE_FOLDER_H_
