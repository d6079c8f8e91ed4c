#include "server/store/rocksdb/synced_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace aaren::store {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

class SyncedFileTest : public testing::Test {
 protected:
  SyncedFileTest() { fs::create_directories(folder_); }
  ~SyncedFileTest() override { fs::remove_all(folder_); }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) names.push_back(entry.path().filename());
    return names;
  }

  const std::string folder_ = absl::StrCat(testing::TempDir(), "/synced_file_", getpid(), "_",
                                           testing::UnitTest::GetInstance()->current_test_info()->name());
  const std::string path_ = folder_ + "/file";
};

TEST_F(SyncedFileTest, AFileIsReplacedAsAWhole) {
  ASSERT_TRUE(ReplaceFile(path_, "a longer text").ok());
  ASSERT_TRUE(ReplaceFile(path_, "text").ok());
  EXPECT_EQ(ReadWhole(path_).value(), "text");
  EXPECT_THAT(Names(), ElementsAre("file"));
}

// A write to /dev/full fails as on a full disk.
TEST_F(SyncedFileTest, AFullDiskLeavesTheFileBeforeAndNothingBeside) {
  ASSERT_TRUE(ReplaceFile(path_, "before").ok());
  fs::create_symlink("/dev/full", path_ + ".next");
  EXPECT_EQ(ReplaceFile(path_, "after").code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(ReadWhole(path_).value(), "before");
  EXPECT_THAT(Names(), ElementsAre("file"));
}

TEST_F(SyncedFileTest, AFileThatCannotTakeItsPlaceLeavesNothingBeside) {
  fs::create_directories(path_);
  EXPECT_EQ(ReplaceFile(path_, "text").code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(Names(), ElementsAre("file"));
}

TEST_F(SyncedFileTest, AMissingFileIsNotFound) {
  EXPECT_EQ(ReadWhole(path_).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace aaren::store
