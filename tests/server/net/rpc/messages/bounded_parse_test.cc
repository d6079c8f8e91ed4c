#include "server/net/rpc/messages/bounded_parse.h"

#include <gtest/gtest.h>

#include <string>

#include "aaren/v1/sessions.pb.h"
#include "aaren/v1/stream.pb.h"
#include "grpc/health/v1/health.pb.h"

namespace aaren::rpc {
namespace {

using absl::StatusCode;
using grpc::health::v1::HealthCheckRequest;

constexpr ParseBounds kBounds{.bytes = 4 << 20, .fields = 1000};

std::string Times(int count, const std::string& bytes) {
  std::string all;
  for (int i = 0; i < count; ++i) all += bytes;
  return all;
}

StatusCode Parse(const std::string& bytes, google::protobuf::Message& message, const ParseBounds& bounds = kBounds) {
  return ParseBounded(bytes, bounds, message).code();
}

TEST(ParseBoundedTest, MessageWithinTheBoundsIsParsed) {
  v1::Tokens tokens, parsed;
  for (int i = 0; i < 100'000; ++i) tokens.add_values(static_cast<float>(i));
  tokens.set_first_seq(7);
  ASSERT_EQ(Parse(tokens.SerializeAsString(), parsed), StatusCode::kOk);
  EXPECT_EQ(parsed.SerializeAsString(), tokens.SerializeAsString());
}

TEST(ParseBoundedTest, UnknownFieldsAreDropped) {
  v1::Tokens tokens;
  tokens.set_first_seq(7);
  const std::string known = tokens.SerializeAsString();
  const std::string unknown =
      Times(100, std::string("\xf8\x07\x01", 3)) + std::string("\xfa\x07\x64") + Times(100, "x");
  ASSERT_EQ(Parse(unknown + known, tokens), StatusCode::kOk);
  EXPECT_EQ(tokens.SerializeAsString(), known);
}

TEST(ParseBoundedTest, UnknownFieldsOfAMessageWithinAreDropped) {
  v1::Open open;
  open.mutable_output()->set_every(3);
  const std::string known = open.SerializeAsString();
  const std::string within = std::string("\x18\x03") + Times(50, std::string("\xf8\x07\x01", 3));
  ASSERT_EQ(Parse(std::string("\x42\x98\x01", 3) + within, open), StatusCode::kOk);
  EXPECT_EQ(open.SerializeAsString(), known);
}

TEST(ParseBoundedTest, MillionsOfUnknownFieldsAreRefused) {
  HealthCheckRequest request;
  EXPECT_EQ(Parse(Times(1 << 20, std::string("\x78\x01", 2)), request), StatusCode::kResourceExhausted);
}

TEST(ParseBoundedTest, KnownFieldThatRepeatsIsRefused) {
  v1::Open open;
  EXPECT_EQ(Parse(Times(1 << 20, std::string("\x42\0", 2)), open), StatusCode::kResourceExhausted);
}

TEST(ParseBoundedTest, FieldsOfMessagesWithinCount) {
  v1::Open open;
  const std::string within = Times(60, std::string("\x18\x03", 2));  // fields of OutputOptions
  EXPECT_EQ(Parse(Times(20, std::string("\x42\x78", 2) + within), open), StatusCode::kResourceExhausted);
}

// A byte on the wire each, and four in memory.
TEST(ParseBoundedTest, PackedNumbersCountAsWhatTheyBecome) {
  v1::Tokens tokens;
  for (int i = 0; i < 1000; ++i) tokens.add_marks(1);
  const std::string bytes = tokens.SerializeAsString();
  EXPECT_EQ(Parse(bytes, tokens, {.bytes = 2000, .fields = 10}), StatusCode::kResourceExhausted);
  EXPECT_EQ(Parse(bytes, tokens, {.bytes = 4000, .fields = 10}), StatusCode::kOk);
}

TEST(ParseBoundedTest, MoreBytesThanAllowedAreRefusedByNameAndBound) {
  HealthCheckRequest request;
  const absl::Status status = ParseBounded(std::string(513, '\n'), {.bytes = 512, .fields = 32}, request);
  EXPECT_EQ(status.message(),
            "a grpc.health.v1.HealthCheckRequest may have 512 bytes and 32 fields; this one has more");
}

TEST(ParseBoundedTest, WhatIsNoMessageIsMalformed) {
  v1::ListSessionsRequest request;
  EXPECT_EQ(Parse("\x0a\x7f", request), StatusCode::kInvalidArgument);
  EXPECT_EQ(Parse(Times(200, "\x0a"), request), StatusCode::kInvalidArgument);
  EXPECT_EQ(Parse(Times(200, "\x0b"), request), StatusCode::kInvalidArgument);  // groups
}

}  // namespace
}  // namespace aaren::rpc
