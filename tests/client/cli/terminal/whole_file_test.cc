#include "client/cli/terminal/whole_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace aaren::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class WholeFileTest : public ::testing::Test {
 protected:
  WholeFileTest() : folder_(fs::path(::testing::TempDir()) / ("whole_file_" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~WholeFileTest() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ / name; }
  std::string Read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(Path(name)).rdbuf();
    return text.str();
  }
  size_t Files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  const fs::path folder_;
};

TEST_F(WholeFileTest, CheckingLeavesNothing) {
  EXPECT_TRUE(CheckWritable(Path("a.html")).ok());
  EXPECT_EQ(Files(), 0u);
}

TEST_F(WholeFileTest, WritingReplacesAndLeavesNothingElse) {
  ASSERT_TRUE(WriteWholeFile(Path("a.html"), "the old and longer").ok());
  ASSERT_TRUE(WriteWholeFile(Path("a.html"), "new").ok());
  EXPECT_EQ(Read("a.html"), "new");
  EXPECT_EQ(Files(), 1u);
}

TEST_F(WholeFileTest, FolderThatIsNotThereIsNamed) {
  const absl::Status status = CheckWritable(Path("nowhere/a.html"));
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("nowhere/a.html"));
}

TEST_F(WholeFileTest, DevicesAndFoldersAreRefusedAndStay) {
  EXPECT_EQ(CheckWritable("/dev/null").code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(WriteWholeFile("/dev/null", "x").code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(CheckWritable(folder_).code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(WholeFileTest, SymbolicLinkStaysOne) {
  std::ofstream(Path("real.html")) << "old";
  fs::create_symlink("real.html", Path("link.html"));
  ASSERT_TRUE(WriteWholeFile(Path("link.html"), "new").ok());
  EXPECT_TRUE(fs::is_symlink(Path("link.html")));
  EXPECT_EQ(Read("real.html"), "new");
}

}  // namespace
}  // namespace aaren::cli
