#include "server/rpc/grpc_log.h"

#include <grpc/support/log.h>
#include <gtest/gtest.h>

#include <string>

#include "server/log/log.h"

namespace aaren::rpc {
namespace {

TEST(GrpcLogTest, ItsLinesAreLinesOfTheServersLog) {
  RouteGrpcLog();
  gpr_set_log_verbosity(GPR_LOG_SEVERITY_ERROR);  // as gRPC does when it begins
  log::SetUpLog(log::LogFormat::kJson, log::LogLevel::kWarning);
  testing::internal::CaptureStderr();
  gpr_log(GPR_ERROR, "no \"%s\"", "luck");
  const std::string line = testing::internal::GetCapturedStderr();
  log::SetUpLog(log::LogFormat::kText, log::LogLevel::kWarning);
  EXPECT_NE(line.find(R"("level":"error","event":"grpc","message":"no \"luck\"","source":"grpc_log_test.cc:)"),
            std::string::npos)
      << line;
}

}  // namespace
}  // namespace aaren::rpc
