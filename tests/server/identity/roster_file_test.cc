#include "server/identity/roster_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
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
  // At the next look.
  static bool Knows(RosterFile& file, const char* name) {
    file.Look(0);
    return file.Get()->FindName(name).has_value();
  }

  const std::string path_ = absl::StrCat(testing::TempDir(), "/callers_", getpid());
};

TEST_F(RosterFileTest, TellsWhyItCannotBeOpened) {
  EXPECT_THAT(WhyNot(), HasSubstr(path_));
  Write("a write name:x");
  EXPECT_THAT(WhyNot(), HasSubstr(absl::StrCat(path_, ": line 1: ")));
}

TEST_F(RosterFileTest, IsAnotherFromTheNextLookOn) {
  Write("a read name:x");
  const auto file = RosterFile::Open(path_).value();
  const std::shared_ptr<const Roster> before = file->Get();
  Write("a read name:y");
  EXPECT_EQ(file->Get(), before);
  EXPECT_TRUE(Knows(*file, "y"));
  EXPECT_FALSE(Knows(*file, "x"));
  EXPECT_TRUE(before->FindName("x").has_value());
}

TEST_F(RosterFileTest, OnlyALookForgetsARoster) {
  Write("a read name:x");
  const auto file = RosterFile::Open(path_).value();
  const std::weak_ptr<const Roster> before = file->Get();
  Write("a read name:y");
  file->Look(0);
  EXPECT_FALSE(before.expired());  // a reader need not free the roster
  file->Look(0);
  EXPECT_TRUE(before.expired());
}

TEST_F(RosterFileTest, AListThatWasEmptiedIsTakenWithAWarning) {
  Write("a read name:x");
  const auto file = RosterFile::Open(path_).value();
  Write("# nobody\na limits streams=3\n");
  testing::internal::CaptureStderr();
  EXPECT_FALSE(Knows(*file, "x"));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("the list names no caller"));
}

TEST_F(RosterFileTest, KeepsTheRosterWhileTheFileIsBadOrGone) {
  Write("a read name:x");
  const auto file = RosterFile::Open(path_).value();
  Write("a write name:y");
  EXPECT_TRUE(Knows(*file, "x"));
  std::filesystem::remove(path_);
  EXPECT_TRUE(Knows(*file, "x"));
  Write("a read name:z");
  EXPECT_TRUE(Knows(*file, "z"));
}

TEST_F(RosterFileTest, APipeInItsPlaceIsNotWaitedFor) {
  Write("a read name:x");
  const auto file = RosterFile::Open(path_).value();
  std::filesystem::remove(path_);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_TRUE(Knows(*file, "x"));
}

TEST_F(RosterFileTest, WhatIsBeingWrittenIsTakenUpOnceItStands) {
  Write("a read name:x\na read name:y");
  const auto file = RosterFile::Open(path_).value();
  WriteAt("", std::chrono::minutes(1));
  EXPECT_TRUE(Knows(*file, "x"));
  WriteAt("a read name:x", std::chrono::minutes(1));
  EXPECT_TRUE(Knows(*file, "y"));
  EXPECT_FALSE(Knows(*file, "y"));  // the same at two looks
}

TEST_F(RosterFileTest, CallersOfATenantShareItsAccount) {
  Write("a read name:x\na admin name:y\nb read name:z");
  const auto file = RosterFile::Open(path_).value();
  const auto roster = file->Get();
  EXPECT_EQ(roster->FindName("x")->account, roster->FindName("y")->account);
  EXPECT_NE(roster->FindName("x")->account, roster->FindName("z")->account);
  EXPECT_EQ(roster->FindName("z")->account->tenant(), "b");
}

TEST_F(RosterFileTest, LimitsChangeWhileAnAccountIsInUse) {
  Write("a read name:x\na limits streams=1");
  const auto file = RosterFile::Open(path_).value();
  Account* account = file->Get()->FindName("x")->account;
  EXPECT_EQ(account->streams.limit(), 1u);
  Write("a read name:x\na limits streams=2 weight=3");
  file->Look(0);
  EXPECT_EQ(file->Get()->FindName("x")->account, account);
  EXPECT_EQ(account->streams.limit(), 2u);
  EXPECT_EQ(account->weight(), 3);
  Write("a read name:x");
  file->Look(0);
  EXPECT_EQ(account->streams.limit(), 0u);
}

TEST_F(RosterFileTest, OnlyTenantsOfTheFileAreTold) {
  Write("a read name:x\nb read name:y");
  const auto file = RosterFile::Open(path_).value();
  EXPECT_EQ(file->accounts().size(), 2u);
  Write("b read name:y");
  file->Look(0);
  ASSERT_EQ(file->accounts().size(), 1u);
  EXPECT_EQ(file->accounts()[0]->tenant(), "b");
}

TEST_F(RosterFileTest, AnEmptyFileKnowsNobody) {
  Write("");
  EXPECT_FALSE(Knows(*RosterFile::Open(path_).value(), "x"));
}

}  // namespace
}  // namespace aaren::identity
