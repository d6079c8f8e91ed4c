#include <gtest/gtest.h>

#include "client/cpp/messages/rpc_status.h"
#include "google/rpc/error_details.pb.h"

namespace aaren::client {
namespace {

google::rpc::Status NotFound() {
  google::rpc::Status status;
  status.set_code(5);
  status.set_message("no session \"a\"");
  google::rpc::ErrorInfo info;
  info.set_reason("SESSION_NOT_FOUND");
  status.add_details()->PackFrom(info);
  google::rpc::RetryInfo retry;
  retry.mutable_retry_delay()->set_seconds(2);
  retry.mutable_retry_delay()->set_nanos(500000000);
  status.add_details()->PackFrom(retry);
  return status;
}

TEST(StatusTest, KeepsCodeAndMessage) {
  const absl::Status status = FromProto(NotFound());
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "no session \"a\"");
}

TEST(StatusTest, ReadsReasonAndRetryDelay) {
  const absl::Status status = FromProto(NotFound());
  EXPECT_EQ(ErrorReason(status), "SESSION_NOT_FOUND");
  EXPECT_EQ(RetryDelay(status), absl::Milliseconds(2500));
}

TEST(StatusTest, ReadsTheDetailsOfAGrpcStatus) {
  const grpc::Status status(grpc::StatusCode::NOT_FOUND, "no session", NotFound().SerializeAsString());
  EXPECT_EQ(ErrorReason(FromGrpc(status)), "SESSION_NOT_FOUND");
}

TEST(StatusTest, HasNoReasonWithoutDetails) {
  const absl::Status status = FromGrpc(grpc::Status(grpc::StatusCode::UNAVAILABLE, "gone"));
  EXPECT_EQ(ErrorReason(status), "");
  EXPECT_EQ(RetryDelay(status), std::nullopt);
}

TEST(StatusTest, OkIsOk) { EXPECT_TRUE(FromGrpc(grpc::Status::OK).ok()); }

}  // namespace
}  // namespace aaren::client
