#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "client/cli/commands/command.h"

namespace aaren::cli {
namespace {

using ::testing::HasSubstr;

TEST(SessionsCommandTest, ImportOfAFolderIsRefusedInWords) {
  testing::internal::CaptureStderr();
  const std::string folder = testing::TempDir();
  EXPECT_EQ(RunSessions({"import", "a", "--target=127.0.0.1:1", "--input=" + folder}), 1);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("cannot read " + folder + ": Is a directory"));
}

}  // namespace
}  // namespace aaren::cli
