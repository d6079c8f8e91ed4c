// A folder is moved away under the store, or replaced.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/server/store/rocksdb/store_folder.h"

namespace aaren::store {
namespace {

// A folder moved while the store is in use, with another server's folder, like a backup, put in place.
class MovedFolderTest : public RocksDbStoreTest {
 protected:
  using Files = std::map<std::string, std::string>;

  ~MovedFolderTest() override {
    store_.reset();
    std::filesystem::remove_all(away_);
    std::filesystem::remove_all(other_);
  }

  void MoveAway() {
    std::filesystem::rename(folder_, away_);
    if (std::filesystem::exists(other_)) return std::filesystem::rename(other_, folder_);
    for (const std::string name : {"owner", "epochs", "format", "rocksdb/CURRENT", "rocksdb/MANIFEST-000001"}) {
      WriteFile(name, "another's " + name);
    }
    for (int i = 1; i < 60; ++i) {
      for (const std::string kind : {"log", "sst", "blob"}) {
        WriteFile(absl::StrCat("rocksdb/", absl::Dec(i, absl::kZeroPad6), ".", kind), "another's");
      }
    }
    others_ = FilesThere();
  }
  void MoveBack() {
    std::filesystem::rename(folder_, other_);
    std::filesystem::rename(away_, folder_);
  }

  Files FilesThere() const {
    Files files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path());
      files[entry.path()] = std::string(std::istreambuf_iterator<char>(file), {});
    }
    return files;
  }

  const std::string away_ = folder_ + ".away", other_ = folder_ + ".other";
  Files others_;
};

TEST_F(MovedFolderTest, AnEndChangesNothingOfTheOther) {
  BlockingStore store = Open();
  Add(store, "/a");
  MoveAway();
  store_.reset();
  EXPECT_EQ(FilesThere(), others_);
}

TEST_F(MovedFolderTest, EpochsAreNotGivenOutFromTheOther) {
  BlockingStore store = Open();
  MoveAway();
  EXPECT_FALSE(store.ReserveEpochs(uint64_t{1} << 40).ok());
  EXPECT_EQ(FilesThere(), others_);
}

// Until the next look the store does not know of the move.
TEST_F(MovedFolderTest, LoadBeforeItIsNoticedChangesNothingOfTheOtherAndIsThereAgain) {
  options_.pause = std::chrono::hours(1);
  options_.buffer_bytes = 64 << 10;
  BlockingStore store = Open();
  Add(store, "/first");
  for (const int moved : {1, 2}) {
    MoveAway();
    for (int i = 0; i < 500; ++i) Add(store, absl::StrCat("/", moved, "/", i));
    EXPECT_EQ(FilesThere(), others_);
    MoveBack();
    Add(store, absl::StrCat("/back", moved));
  }
  EXPECT_EQ(Open().List("", "", 2000).value().size(), 1003u);
}

}  // namespace
}  // namespace aaren::store
