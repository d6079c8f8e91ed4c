#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
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
  const absl::Status status = FromProto(NotFound(), "it");
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "no session \"a\"");
}

TEST(StatusTest, ReadsReasonAndRetryDelay) {
  const absl::Status status = FromProto(NotFound(), "it");
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

TEST(StatusTest, AFailureIsNeverOk) {
  for (const int code : {0, -5, 17, INT32_MAX}) {
    google::rpc::Status said;
    said.set_code(code);
    const absl::Status status = FromProto(said, "it");
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
    EXPECT_EQ(status.message(), absl::StrCat("server it says Status.code ", code, "; 1 .. 16 expected"));
  }
}

TEST(StatusTest, WaitsAreMoreThanNothingAndEndSomeTime) {
  const auto delay = [](int64_t seconds, int32_t nanos) {
    google::rpc::RetryInfo retry;
    retry.mutable_retry_delay()->set_seconds(seconds);
    retry.mutable_retry_delay()->set_nanos(nanos);
    google::rpc::Status said;
    said.set_code(8);
    said.add_details()->PackFrom(retry);
    return RetryDelay(FromProto(said, "it"));
  };
  EXPECT_EQ(delay(0, 0), std::nullopt);
  EXPECT_EQ(delay(-7, 0), std::nullopt);
  EXPECT_EQ(delay(INT64_MIN, INT32_MIN), std::nullopt);
  EXPECT_EQ(delay(0, 1), absl::Nanoseconds(1));
  EXPECT_EQ(delay(INT64_MAX, INT32_MAX), absl::Hours(1));
}

// Finding or adding a detail is a walk over all.
TEST(StatusTest, FewDetailsAreKept) {
  google::rpc::Status said = NotFound();
  for (int i = 0; i < 300'000; ++i) said.add_details()->set_type_url(absl::StrCat(i));
  const absl::Status status = FromProto(said, "it");
  EXPECT_EQ(ErrorReason(status), "SESSION_NOT_FOUND");
  int details = 0;
  status.ForEachPayload([&](absl::string_view, const absl::Cord&) { ++details; });
  EXPECT_EQ(details, 64);
}

TEST(StatusTest, OkIsOk) { EXPECT_TRUE(FromGrpc(grpc::Status::OK).ok()); }

}  // namespace
}  // namespace aaren::client
