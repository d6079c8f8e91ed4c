#include "server/identity/roster_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"

namespace aaren::identity {
namespace {

using ::testing::HasSubstr;

class RosterFileTest : public testing::Test {
 protected:
  ~RosterFileTest() override { std::filesystem::remove(path_); }

  // Long ago.
  void Write(const std::string& text) const { WriteAt(text, -std::chrono::minutes(1)); }

  void WriteAt(const std::string& text, std::chrono::seconds from_now) const {
    std::ofstream(path_, std::ios::trunc) << text;
    std::filesystem::last_write_time(path_, std::filesystem::file_time_type::clock::now() + from_now);
  }

  std::string WhyNot() const { return std::string(RosterFile::Open(path_).status().message()); }
  static bool Knows(const RosterFile& file, int64_t seconds, const char* name) {
    return file.Get(seconds * 1'000'000'000).get()->FindName(name).has_value();
  }

  const std::string path_ = absl::StrCat(testing::TempDir(), "/callers_", getpid());
};

TEST_F(RosterFileTest, TellsWhyItCannotBeOpened) {
  EXPECT_THAT(WhyNot(), HasSubstr(path_));
  Write("a write name:x");
  EXPECT_THAT(WhyNot(), HasSubstr(absl::StrCat(path_, ": line 1: ")));
}

TEST_F(RosterFileTest, IsReadAnewASecondLater) {
  Write("a read name:x");
  const auto file = RosterFile::Open(path_).value();
  EXPECT_TRUE(Knows(*file, 10, "x"));
  Write("a read name:y");
  EXPECT_TRUE(Knows(*file, 10, "x"));
  EXPECT_FALSE(Knows(*file, 11, "x"));
  EXPECT_TRUE(Knows(*file, 11, "y"));
}

TEST_F(RosterFileTest, KeepsTheRosterWhileTheFileIsBadOrGone) {
  Write("a read name:x");
  const auto file = RosterFile::Open(path_).value();
  Write("a write name:y");
  EXPECT_TRUE(Knows(*file, 10, "x"));
  std::filesystem::remove(path_);
  EXPECT_TRUE(Knows(*file, 20, "x"));
  Write("a read name:z");
  EXPECT_TRUE(Knows(*file, 30, "z"));
}

TEST_F(RosterFileTest, WhatIsBeingWrittenIsTakenUpOnceItStands) {
  Write("a read name:x\na read name:y");
  const auto file = RosterFile::Open(path_).value();
  WriteAt("", std::chrono::minutes(1));
  EXPECT_TRUE(Knows(*file, 10, "x"));
  WriteAt("a read name:x", std::chrono::minutes(1));
  EXPECT_TRUE(Knows(*file, 11, "y"));
  EXPECT_FALSE(Knows(*file, 12, "y"));
}

TEST_F(RosterFileTest, AnEmptyFileKnowsNobody) {
  Write("");
  EXPECT_FALSE(Knows(*RosterFile::Open(path_).value(), 10, "x"));
}

}  // namespace
}  // namespace aaren::identity
