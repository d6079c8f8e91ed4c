// Channels: options, the headers of calls, and TLS.

#include "client/cpp/channel/channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "aaren/client/client.h"
#include "aaren/client/sessions.h"
#include "client/cpp/channel/proxy.h"
#include "tests/client/cpp/recorder.h"
#include "tests/client/fake_server.h"

namespace aaren::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

absl::Status Delete(const FakeServer& server, const ChannelOptions& channel) {
  return Sessions({.target = server.target(), .channel = channel}).Delete("a");
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

// A kilobyte may become a megabyte, and none of the limits would know.
TEST(ChannelTest, WhatIsCompressedIsNotUnpacked) {
  FakeServer server({.compresses = true});
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  const absl::Status status = (*session)->WaitOpened().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()), HasSubstr("gzip"));
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

TEST(ChannelTest, TheMetadataSourceIsAskedForEveryCall) {
  FakeServer server;
  std::atomic<int> asked = 0;
  const auto source = [&asked] { return Metadata{{"authorization", "Bearer " + std::to_string(++asked)}}; };
  const Sessions sessions({.target = server.target(), .channel = {.metadata_source = source}});
  (void)sessions.Delete("a");
  EXPECT_EQ(server.header("authorization"), "Bearer 1");
  (void)sessions.Delete("a");
  EXPECT_EQ(server.header("authorization"), "Bearer 2");
}

TEST(ChannelTest, AStreamThatConnectsAgainAsksTheMetadataSourceAgain) {
  FakeServer server;
  std::atomic<int> asked = 0;
  ClientOptions options = FastOptions(server.target());
  options.channel.metadata_source = [&asked] { return Metadata{{"authorization", std::to_string(++asked)}}; };
  Client client(options);
  Recorder recorder;
  server.CutAt({1});
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  ASSERT_TRUE(FeedAndClose(**session, 5).ok());
  EXPECT_EQ(server.header("authorization"), "2");
}

TEST(ChannelTest, AMetadataSourceThatRefusesEndsTheSessionsWithItsWords) {
  FakeServer server;
  ClientOptions options = FastOptions(server.target());
  options.channel.metadata_source = [] { return absl::UnauthenticatedError("no token for you"); };
  Client client(options);
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  EXPECT_EQ((*session)->WaitOpened().status(), absl::UnauthenticatedError("no token for you"));
}

TEST(ChannelTest, MetadataOfASourceThatCannotBeSentIsRefused) {
  FakeServer server;
  const auto source = [] { return Metadata{{"authorization", "two\nlines"}}; };
  EXPECT_EQ(Delete(server, {.metadata_source = source}).code(), absl::StatusCode::kInvalidArgument);
}

// The proxies' variables of the environment, set for one test.
class ProxyTest : public ::testing::Test {
 protected:
  ProxyTest() { Clear(); }
  ~ProxyTest() override { Clear(); }

  static void Clear() {
    for (const char* name : {"grpc_proxy", "https_proxy", "http_proxy", "no_grpc_proxy", "no_proxy", "NO_PROXY"})
      unsetenv(name);
  }

  // The hosts left to the proxy by a list of exceptions.
  static std::vector<std::string> Left(const char* variable, const std::string& list,
                                       const std::vector<std::string>& hosts) {
    setenv("http_proxy", "http://proxy:1", 1);
    setenv(variable, list.c_str(), 1);
    std::vector<std::string> left;
    for (const std::string& host : hosts) {
      if (FindProxy(host)) left.push_back(host);
    }
    Clear();
    return left;
  }
};

TEST_F(ProxyTest, IsNotUsedForThisMachine) {
  setenv("http_proxy", "http://127.0.0.1:9", 1);
  FakeServer server;
  server.Replace("a", 0);
  EXPECT_TRUE(Delete(server, {}).ok());
  for (const char* target : {"127.1.2.3:1", "[::1]:1", "localhost:1", "a.localhost:1", "unix:/s", "unix-abstract:s",
                             "ipv4:127.0.0.1:80,127.0.0.2:80"}) {
    EXPECT_FALSE(FindProxy(target)) << target;
  }
  EXPECT_TRUE(FindProxy("ipv4:127.0.0.1:80,10.0.0.2:80"));
}

TEST_F(ProxyTest, IsNamedByErrorsWithoutItsPassword) {
  setenv("https_proxy", "http://user:secret@127.0.0.1:9/", 1);
  const Sessions sessions({.target = "forecasts.example:443", .timeout = absl::Seconds(20)});
  const std::string message(sessions.Get("a").status().message());
  EXPECT_THAT(message, HasSubstr("(through the proxy 127.0.0.1:9 of https_proxy; no_proxy=HOST goes without)"));
  EXPECT_EQ(message.find("secret"), std::string::npos);
}

TEST_F(ProxyTest, IsThatOfTheFirstVariableThatIsSet) {
  setenv("http_proxy", "http://last:1", 1);
  EXPECT_EQ(FindProxy("a.example:443")->address, "last:1");
  setenv("https_proxy", "http://second:1", 1);
  EXPECT_EQ(FindProxy("a.example:443")->address, "second:1");
  setenv("grpc_proxy", "socks5://first:1", 1);
  EXPECT_FALSE(FindProxy("a.example:443"));
}

TEST_F(ProxyTest, ExceptionsAreEndsOfNames) {
  EXPECT_THAT(Left("no_proxy", "other.example, b.example,*.c.example,.d.example",
                   {"a.example:443", "b.example:443", "dns:///x.b.example:443", "x.C.example:1", "d.example:1"}),
              ElementsAre("a.example:443"));
}

TEST_F(ProxyTest, ExceptionsAreAddressesAndNetworks) {
  EXPECT_THAT(Left("no_proxy", "10.1.0.0/15,192.168.0.7,fd00::/8,2001:db8::1",
                   {"10.0.255.1:1", "10.1.0.1:1", "10.2.0.1:1", "ipv4:10.0.9.9:1", "192.168.0.7:1", "192.168.0.77:1",
                    "[fd12::1]:1", "[fe00::1]:1", "[2001:db8:0::1]:1", "10.1.example:1"}),
              ElementsAre("10.2.0.1:1", "192.168.0.77:1", "[fe00::1]:1", "10.1.example:1"));
}

TEST_F(ProxyTest, StarExceptsEveryHost) {
  EXPECT_THAT(Left("no_proxy", "*", {"a.example:1", "10.0.0.1:1"}), IsEmpty());
}

TEST_F(ProxyTest, NoExceptionIsMadeOfNonsense) {
  EXPECT_THAT(Left("no_proxy", ",10.0.0.0/33, 10.0.0.0/-1,10.0.0.0/,/8", {"a.example:1", "10.0.0.1:1"}),
              ElementsAre("a.example:1", "10.0.0.1:1"));
}

TEST_F(ProxyTest, ExceptionsMayStandInCapitals) {
  EXPECT_THAT(Left("NO_PROXY", "a.example", {"a.example:1", "b.example:1"}), ElementsAre("b.example:1"));
}

}  // namespace
}  // namespace aaren::client
