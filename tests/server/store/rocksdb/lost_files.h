#ifndef AAREN_TESTS_SERVER_STORE_ROCKSDB_LOST_FILES_H_
#define AAREN_TESTS_SERVER_STORE_ROCKSDB_LOST_FILES_H_

// A server's folder for tests that take files away or tear files, with an oracle of all answered writes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/store/rocksdb/folder_lock.h"
#include "server/store/rocksdb/rocksdb_store.h"
#include "server/store/rocksdb/salvage.h"
#include "tests/server/store/rocksdb/killed_writer.h"

namespace aaren::store {

class LostFiles : public testing::Test {
 protected:
  LostFiles() { RemoveAll(); }
  ~LostFiles() override { RemoveAll(); }

  // Copies the folder, for Restore.
  void Keep() const {
    std::filesystem::remove_all(before_);
    std::filesystem::copy(folder_, before_, std::filesystem::copy_options::recursive);
  }
  void Restore() const {
    std::filesystem::remove_all(folder_);
    std::filesystem::copy(before_, folder_, std::filesystem::copy_options::recursive);
  }

  void Write(End end, uint64_t seed = 1, uint64_t writes = 300) {
    ASSERT_EQ(RunWriter(folder_, seed, writes, 0, end, oracle_).refused, "");
    Keep();
  }

  // Paths of the database's files of a kind (".sst") or name ("MANIFEST-"), oldest first.
  std::vector<std::string> Find(const std::string& what) const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(database_)) {
      const std::string name = entry.path().filename();
      if (entry.path().extension() == what || name.rfind(what, 0) == 0) found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  static void CutOff(const std::string& path, uint64_t bytes) {
    const uint64_t size = std::filesystem::file_size(path);
    std::filesystem::resize_file(path, size - std::min(size, bytes));
  }

  absl::StatusOr<std::unique_ptr<RocksDbStore>> Open() const { return RocksDbStore::Open(options_); }

  void ExpectAllThere() const {
    const auto store = Open();
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_THAT(oracle_.Lost(BlockingStore(**store)), testing::IsEmpty());
  }

  // A start fails with `why` in the message, and changes no byte.
  void ExpectRefused(const std::string& why) const {
    const Files before = FilesIn(folder_);
    const absl::Status status = Open().status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr(why));
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr("--salvage=FOLDER"));
    EXPECT_TRUE(FilesIn(folder_) == before) << "files were changed";
  }

  // Salvages into another folder. True if the copy has all answered writes; a loss without a word fails the test.
  bool SalvagedAll() {
    const std::string to = folder_ + ".salvaged";
    std::filesystem::remove_all(to);
    told_.clear();
    absl::StatusOr<Salvaged> done = absl::UnknownError("");
    {
      const FolderLock lock = FolderLock::TakeToRead(folder_, kFormat).value();
      done = Salvage(lock, to, [this](const std::string& line) { told_ += line + "\n"; });
    }
    if (!done.ok()) return told_ += done.status().ToString(), false;
    const auto store = RocksDbStore::Open({.folder = to});
    EXPECT_TRUE(store.ok()) << store.status();
    lost_ = oracle_.Lost(BlockingStore(**store));
    for (const std::string& session : lost_) {
      const bool named = told_.find(absl::StrCat("'", session.substr(0, session.find(' ')), "'")) != std::string::npos;
      EXPECT_TRUE(named || !done->all) << session << " is lost without a word\n" << told_;
    }
    if (done->copied > 0) {
      EXPECT_GT(BlockingStore(**store).ReserveEpochs(1).value(), 1u);
    }
    return lost_.empty();
  }

  void RemoveAll() const {
    for (const std::string end : {"", ".before", ".salvaged"}) std::filesystem::remove_all(folder_ + end);
  }

  const std::string folder_ = absl::StrCat(testing::TempDir(), "/lost_files_", getpid(), "_",
                                           testing::UnitTest::GetInstance()->current_test_info()->name());
  const std::string database_ = folder_ + "/rocksdb", before_ = folder_ + ".before";
  RocksDbOptions options_{.folder = folder_, .buffer_bytes = 64 << 10};
  Oracle oracle_;
  std::string told_;  // by the last salvage
  std::vector<std::string> lost_;
};

}  // namespace aaren::store

#endif  // AAREN_TESTS_SERVER_STORE_ROCKSDB_LOST_FILES_H_
