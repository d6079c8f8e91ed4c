#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "client/cli/commands/command.h"
#include "tests/client/health_server.h"

namespace aaren::cli {
namespace {

using ::testing::HasSubstr;

class HealthCommandTest : public testing::Test {
 protected:
  int Run(const std::string& flag) {
    const std::string target = absl::StrCat("--target=", server_.target());
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int status = RunHealth({target, flag});
    printed_ = testing::internal::GetCapturedStdout();
    said_ = testing::internal::GetCapturedStderr();
    return status;
  }

  HealthServer server_;
  std::string printed_, said_;
};

TEST_F(HealthCommandTest, ServerThatServesIsSuccess) {
  EXPECT_EQ(Run("--timeout=20s"), 0);
  EXPECT_EQ(printed_, "serving\n");
}

TEST_F(HealthCommandTest, ServiceThatDoesNotServeIsFailure) {
  server_.Set("aaren.v1.Streaming", false);
  EXPECT_EQ(Run("--service=aaren.v1.Streaming"), 1);
  EXPECT_EQ(printed_, "not serving\n");
}

TEST_F(HealthCommandTest, ServiceThatIsNotThereIsNamed) {
  EXPECT_EQ(Run("--service=weather"), 1);
  EXPECT_THAT(said_, HasSubstr("health of weather"));
}

TEST_F(HealthCommandTest, ServerThatIsNotThereIsNamed) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(RunHealth({"--target=127.0.0.1:1"}), 1);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("127.0.0.1:1"));
}

}  // namespace
}  // namespace aaren::cli
