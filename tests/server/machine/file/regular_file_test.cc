#include "server/machine/file/regular_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace aaren::file {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class RegularFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }

  fs::path folder_;
};

TEST_F(RegularFileTest, ReadsAllOfAFile) {
  const std::string text(100'000, 'x');
  std::ofstream(Path("file")) << text;
  EXPECT_EQ(*ReadRegularFile(Path("file"), text.size()), text);
}

TEST_F(RegularFileTest, ReadsThroughALink) {
  std::ofstream(Path("file")) << "text";
  fs::create_symlink(Path("file"), Path("link"));
  EXPECT_EQ(*ReadRegularFile(Path("link"), 10), "text");
}

TEST_F(RegularFileTest, AnAbsentFileIsNamed) {
  const absl::Status status = ReadRegularFile(Path("absent"), 10).status();
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("cannot read " + Path("absent")));
}

TEST_F(RegularFileTest, AFolderIsRefusedByName) {
  const absl::Status status = ReadRegularFile(folder_.string(), 10).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr(folder_.string() + ": it is no regular file"));
}

TEST_F(RegularFileTest, APipeThatNobodyWritesIsNotWaitedFor) {
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  EXPECT_TRUE(absl::IsFailedPrecondition(ReadRegularFile(Path("pipe"), 10).status()));
}

TEST_F(RegularFileTest, AFileWithoutAnEndIsRefused) {
  EXPECT_TRUE(absl::IsFailedPrecondition(ReadRegularFile("/dev/zero", 10).status()));
}

TEST_F(RegularFileTest, MoreThanTheMostIsRefused) {
  std::ofstream(Path("file")) << "12345678901";
  EXPECT_TRUE(absl::IsInvalidArgument(ReadRegularFile(Path("file"), 10).status()));
}

}  // namespace
}  // namespace aaren::file
