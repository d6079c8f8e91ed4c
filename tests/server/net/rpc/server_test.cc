#include "server/net/rpc/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "aaren/v1/sessions.grpc.pb.h"
#include "google/protobuf/unknown_field_set.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "grpcpp/generic/generic_stub.h"
#include "tests/server/net/rpc/serving/serving.h"

namespace aaren::rpc {
namespace {

using testing::HasSubstr;

class PortInUseTest : public Serving {};

TEST_F(PortInUseTest, SecondServerIsAnErrorThatNamesTheAddress) {
  const auto second = Server::Start({.listen = server().address()}, models_, store_);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(second.status().message()), HasSubstr(server().address()));
}

class CompressionTest : public Serving {};

// gRPC would expand the message before a look at its size.
TEST_F(CompressionTest, ACompressedMessageIsRefused) {
  v1::ListSessionsRequest request;
  request.set_prefix(std::string(1000, 'a'));
  grpc::ClientContext context;
  context.set_compression_algorithm(GRPC_COMPRESS_GZIP);
  v1::ListSessionsResponse response;
  const grpc::Status status = v1::Sessions::NewStub(NewChannel())->List(&context, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_THAT(status.error_message(), HasSubstr("gzip"));
}

class FloodTest : public Serving {};

// The queue of events is never empty while the flood lasts.
TEST_F(FloodTest, OneStreamOfSmallMessagesLeavesOthersTheirTurn) {
  constexpr uint64_t kMessages = 100'000;
  TestStream hot(NewChannel());
  hot.Greet();
  hot.Open(0, "hot");
  TestStream other(NewChannel());
  other.Greet();
  other.Open(0, "other");
  std::thread writer([&hot] {
    for (uint64_t seq = 0; seq < kMessages; ++seq) hot.Send(TokensItem(0, 0, {1}));  // all but the first are duplicates
    hot.HalfClose();
  });
  std::thread reader([&hot] {
    while (hot.Receive().item_case() != v1::ServerItem::ITEM_NOT_SET) {
    }
  });
  const auto received = [this] { return server().stream_counters().front()->messages_received.value(); };
  EXPECT_TRUE(Eventually([&] { return received() > kMessages / 10; }));
  other.Send(TokensItem(0, 0, {1}));
  EXPECT_TRUE(other.Receive().has_forecasts());
  EXPECT_LT(received(), kMessages);
  writer.join();
  reader.join();
}

// Like behind a proxy, whose connection is everybody's.
TEST_F(FloodTest, StreamsOpenedInVainEndNobodysStream) {
  const auto channel = NewChannel();
  TestStream other(channel);
  other.Greet();
  other.Open(0, "other");
  for (int i = 0; i < 3000; ++i) {
    TestStream stream(channel);
    stream.HalfClose();
    ASSERT_TRUE(stream.Finish().ok());
  }
  other.Send(TokensItem(0, 0, {1}));
  EXPECT_TRUE(other.Receive().has_forecasts());
  EXPECT_EQ(server().connection_counters().ended.value(), 0u);
}

// Calls a made-up method without a message.
grpc::Status CallUnknown(const std::shared_ptr<grpc::Channel>& channel, const std::string& method) {
  grpc::GenericStub stub(channel);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
  grpc::CompletionQueue queue;
  const auto call = stub.PrepareCall(&context, method, &queue);
  grpc::Status status;
  void* tag;
  bool ok;
  call->StartCall(nullptr);
  queue.Next(&tag, &ok);
  call->Finish(&status, nullptr);
  queue.Next(&tag, &ok);
  return status;
}

TEST_F(FloodTest, AMethodThatDoesNotExistIsNamed) {
  const grpc::Status status = CallUnknown(NewChannel(), "/aaren.v1.Sessions/Steal");
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(status.error_message(), "there is no method /aaren.v1.Sessions/Steal");
}

TEST_F(FloodTest, CallsOfMethodsThatDoNotExistEndNobodysStream) {
  const auto channel = NewChannel();
  TestStream other(channel);
  other.Greet();
  other.Open(0, "other");
  for (int i = 0; i < 3000; ++i) {
    ASSERT_EQ(CallUnknown(channel, "/no.Such/Method").error_code(), grpc::StatusCode::UNIMPLEMENTED);
  }
  other.Send(TokensItem(0, 0, {1}));
  EXPECT_TRUE(other.Receive().has_forecasts());
  EXPECT_EQ(server().connection_counters().ended.value(), 0u);
}

// Four megabytes of unknown fields became 130 MB, and a quarter of a second of the shard's time.
TEST_F(FloodTest, ProbeOfMegabytesIsRefusedByItsSize) {
  grpc::health::v1::HealthCheckRequest request;
  for (int i = 0; i < 1000; ++i) {
    grpc::health::v1::HealthCheckRequest::GetReflection()->MutableUnknownFields(&request)->AddVarint(15, 1);
  }
  grpc::ClientContext context;
  grpc::health::v1::HealthCheckResponse response;
  const grpc::Status status = grpc::health::v1::Health::NewStub(NewChannel())->Check(&context, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), HasSubstr("HealthCheckRequest may have 512 bytes"));
}

TEST_F(FloodTest, OpenWithAFieldThatRepeatsEndsItsStream) {
  TestStream stream(NewChannel());
  stream.Greet();
  v1::ClientItem open = OpenItem(0, "a");
  for (int i = 0; i < 5000; ++i) open.mutable_open()->mutable_output()->add_horizons(1);
  auto* unknown = v1::Open::GetReflection()->MutableUnknownFields(open.mutable_open());
  for (int i = 0; i < 5000; ++i) unknown->AddVarint(15, 1);
  stream.Send(std::vector<v1::ClientItem>{open});
  const v1::ServerItem item = stream.Receive();
  ASSERT_TRUE(item.has_failed());
  EXPECT_EQ(stream.Finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
}

}  // namespace
}  // namespace aaren::rpc
