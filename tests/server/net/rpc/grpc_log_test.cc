#include "server/net/rpc/grpc_log.h"

#include <grpc/support/log.h>
#include <gtest/gtest.h>

#include <string>

#include "aaren/v1/sessions.pb.h"
#include "server/operate/log/log.h"

namespace aaren::rpc {
namespace {

// A request with broken UTF-8 in the page token.
std::string BadPageToken() {
  v1::ListSessionsRequest request;
  request.set_page_token("token");
  std::string bytes = request.SerializeAsString();
  bytes[bytes.size() - 1] = '\xff';
  return bytes;
}

TEST(GrpcLogTest, ItsLinesAreLinesOfTheServersLog) {
  RouteGrpcLog();
  gpr_set_log_verbosity(GPR_LOG_SEVERITY_ERROR);  // gRPC sets the verbosity at the start, too
  log::SetUpLog(log::LogFormat::kJson, log::LogLevel::kWarning);
  testing::internal::CaptureStderr();
  gpr_log(GPR_ERROR, "no \"%s\"", "luck");
  const std::string line = testing::internal::GetCapturedStderr();
  log::SetUpLog(log::LogFormat::kText, log::LogLevel::kWarning);
  EXPECT_NE(line.find(R"("level":"error","event":"grpc","message":"no \"luck\"","source":"grpc_log_test.cc:)"),
            std::string::npos)
      << line;
}

TEST(GrpcLogTest, WhatProtobufSaysOfAMessageIsALineOfTheServersLog) {
  RouteGrpcLog();
  log::SetUpLog(log::LogFormat::kJson, log::LogLevel::kWarning);
  v1::ListSessionsRequest request;
  testing::internal::CaptureStderr();
  EXPECT_FALSE(request.ParseFromString(BadPageToken()));
  const std::string line = testing::internal::GetCapturedStderr();
  log::SetUpLog(log::LogFormat::kText, log::LogLevel::kWarning);
  EXPECT_EQ(line.find(R"({"time":)"), 0u) << line;
  EXPECT_NE(line.find(R"("level":"warning","event":"protobuf")"), std::string::npos) << line;
}

}  // namespace
}  // namespace aaren::rpc
