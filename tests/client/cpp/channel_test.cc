// Channels: what they are made with, what goes along with calls, and TLS.

#include "client/cpp/channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "client/cpp/client.h"
#include "client/cpp/unary.h"
#include "tests/client/cpp/recorder.h"
#include "tests/client/fake_server.h"

namespace aaren::client {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

absl::Status Delete(const FakeServer& server, const ChannelOptions& channel, absl::Duration timeout = kUnaryTimeout) {
  const auto stub = v1::Sessions::NewStub(MakeChannel(server.target(), channel));
  v1::DeleteSessionRequest request;
  request.set_session_id("a");
  return CallUnary(*stub, &v1::Sessions::Stub::Delete, request, channel, timeout).status();
}

TEST(ChannelTest, MetadataGoesWithStreams) {
  FakeServer server;
  ClientOptions options = FastOptions(server.target());
  options.channel.metadata = {{"authorization", "Bearer abc"}};
  Client client(options);
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  EXPECT_EQ(server.header("authorization"), "Bearer abc");
}

TEST(ChannelTest, MetadataGoesWithUnaryCalls) {
  FakeServer server;
  server.Replace("a", 0);
  EXPECT_TRUE(Delete(server, {.metadata = {{"authorization", "Bearer abc"}}}).ok());
  EXPECT_EQ(server.header("authorization"), "Bearer abc");
}

TEST(ChannelTest, UserAgentComesFirst) {
  FakeServer server;
  server.Replace("a", 0);
  EXPECT_TRUE(Delete(server, {.user_agent = "weather-station/7"}).ok());
  EXPECT_THAT(server.header("user-agent"), StartsWith("weather-station/7 grpc"));
}

TEST(ChannelTest, MetadataThatCannotBeSentIsNamedWithoutItsValue) {
  for (const auto& [name, value] :
       Metadata{{"Authorization", "secret"}, {"a b", "secret"}, {"a", "secret\n"}, {"grpc-x", "secret"}}) {
    const absl::Status status = CheckChannel({.metadata = {{name, value}}});
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_THAT(std::string(status.message()), HasSubstr("\"" + name + "\""));
    EXPECT_EQ(status.message().find("secret"), std::string::npos);
  }
}

TEST(ChannelTest, AClientWithSuchMetadataOpensNothing) {
  ClientOptions options = FastOptions("127.0.0.1:1");
  options.channel.metadata = {{"Authorization", "secret"}};
  Client client(options);
  Recorder recorder;
  EXPECT_EQ(client.Open({.id = "a"}, recorder).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ChannelTest, OptionsBecomeArguments) {
  const grpc::ChannelArguments made = MakeArguments(
      {.keepalive = absl::Seconds(7), .keepalive_timeout = absl::Milliseconds(1500), .max_message_bytes = 12345});
  const grpc_channel_args args = made.c_channel_args();
  std::map<std::string, int> numbers;
  for (size_t i = 0; i < args.num_args; ++i) {
    if (args.args[i].type == GRPC_ARG_INTEGER) numbers[args.args[i].key] = args.args[i].value.integer;
  }
  EXPECT_EQ(numbers[GRPC_ARG_KEEPALIVE_TIME_MS], 7000);
  EXPECT_EQ(numbers[GRPC_ARG_KEEPALIVE_TIMEOUT_MS], 1500);
  EXPECT_EQ(numbers[GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH], 12345);
}

TEST(UnaryTest, AServerThatDoesNotAnswerIsGivenUp) {
  FakeServer server;
  server.Pause(true);
  EXPECT_EQ(Delete(server, {}, absl::Milliseconds(50)).code(), absl::StatusCode::kDeadlineExceeded);
  server.Pause(false);
}

TEST(UnaryTest, AServersRefusalIsItsStatus) {
  FakeServer server;
  EXPECT_EQ(Delete(server, {}).code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace aaren::client
