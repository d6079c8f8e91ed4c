#include "model/training/report/text_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace aaren::training {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TextFileTest : public testing::Test {
 protected:
  TextFileTest() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~TextFileTest() override { fs::remove_all(folder_); }

  std::string Text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) names.push_back(entry.path().filename());
    return names;
  }

  const std::string folder_ =
      testing::TempDir() + "/text_file_" + testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string path_ = folder_ + "/file";
};

// A write to /dev/full fails as on a full disk.
TEST_F(TextFileTest, AFullDiskLeavesTheTextBeforeAndNothingBeside) {
  ASSERT_TRUE(ReplaceTextFile(path_, "before").ok());
  fs::create_symlink("/dev/full", path_ + ".partial");
  EXPECT_TRUE(absl::IsUnavailable(ReplaceTextFile(path_, "after")));
  EXPECT_EQ(Text(), "before");
  EXPECT_THAT(Names(), ElementsAre("file"));
}

TEST_F(TextFileTest, ADeviceIsWrittenTo) {
  EXPECT_TRUE(ReplaceTextFile("/dev/null", "text").ok());
  EXPECT_FALSE(fs::is_regular_file("/dev/null"));
  EXPECT_THAT(std::string(ReplaceTextFile("/dev/full", "text").message()), HasSubstr("cannot write /dev/full"));
}

}  // namespace
}  // namespace aaren::training
