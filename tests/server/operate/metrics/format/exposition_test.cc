// /metrics of a real server, as Prometheus scrapes it.

#include "server/operate/metrics/format/exposition.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "server/operate/metrics/process_metrics.h"
#include "server/operate/metrics/shard_metrics.h"
#include "tests/server/net/rpc/serving/serving.h"

namespace aaren::metrics {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// All that http://address answers to "GET /metrics".
std::string Ask(const std::string& address, const std::string& what) {
  const absl::StatusOr<address::Address> parsed = address::Address::Parse(address);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(parsed->port));
  inet_pton(AF_INET, parsed->host.c_str(), &to.sin_addr);
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  EXPECT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof(to)), 0);
  const std::string request = what + " HTTP/1.0\r\n\r\n";
  EXPECT_EQ(write(fd, request.data(), request.size()), static_cast<ssize_t>(request.size()));
  std::string answer;
  char buffer[4096];
  for (ssize_t size; (size = read(fd, buffer, sizeof(buffer))) > 0;) answer.append(buffer, static_cast<size_t>(size));
  close(fd);
  return answer;
}

// The body of http://address/metrics.
std::string Scrape(const std::string& address) {
  const std::string answer = Ask(address, "GET /metrics");
  const size_t body = answer.find("\r\n\r\n");
  return body == std::string::npos ? "" : answer.substr(body + 4);
}

class ExpositionTest : public rpc::Serving {
 protected:
  ExpositionTest() {
    auto exposition = Exposition::Start(
        "127.0.0.1:0",
        {std::make_shared<ShardMetrics>(server().shard_counters(), server().stream_counters(), rpc::ServerOptions(),
                                        [this] { return server().transit_bytes(); }),
         std::make_shared<ProcessMetrics>()});
    EXPECT_TRUE(exposition.ok()) << exposition.status();
    exposition_ = *std::move(exposition);
  }

  std::unique_ptr<Exposition> exposition_;
};

TEST_F(ExpositionTest, TokensShowUpInTheNextScrape) {
  rpc::TestStream stream(NewChannel());
  stream.Greet();
  stream.Open(0, "a");
  stream.Send(rpc::TokensItem(0, 0, {1, 2, 3}));
  stream.Receive();
  const std::string text = Scrape(exposition_->address());
  EXPECT_THAT(text, HasSubstr("aaren_tokens_total{outcome=\"forecast\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("aaren_sessions{state=\"attached\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("aaren_streams 1\n"));
  EXPECT_THAT(text, HasSubstr("aaren_session_events_total{event=\"created\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("aaren_token_seconds_count 3\n"));
  EXPECT_THAT(text, HasSubstr("aaren_build_info{version=\""));
}

TEST_F(ExpositionTest, HeadTellsWhatGetWouldBring) {
  const std::string head = Ask(exposition_->address(), "HEAD /metrics");
  EXPECT_THAT(head, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(head, HasSubstr("Content-Type: text/plain; charset=utf-8\r\n"));
  EXPECT_THAT(head, EndsWith("\r\n\r\n"));
  EXPECT_THAT(Ask(exposition_->address(), "HEAD /metrics/"), StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(Ask(exposition_->address(), "GET /metrics"), HasSubstr("Content-Type: text/plain; charset=utf-8\r\n"));
}

TEST_F(ExpositionTest, TheRootNamesTheMetrics) {
  EXPECT_THAT(Ask(exposition_->address(), "GET /"), HasSubstr("\r\n\r\nThe metrics are at /metrics\n"));
  EXPECT_THAT(Ask(exposition_->address(), "HEAD /"), AllOf(StartsWith("HTTP/1.1 200 "), EndsWith("\r\n\r\n")));
}

TEST_F(ExpositionTest, WhatWouldChangeSomethingIsNotAllowed) {
  EXPECT_THAT(Ask(exposition_->address(), "POST /metrics"),
              AllOf(StartsWith("HTTP/1.1 405 "), HasSubstr("Allow: GET, HEAD\r\n")));
  EXPECT_THAT(Ask(exposition_->address(), "GET /else"), HasSubstr(" 404 Not Found\r\n"));
}

TEST_F(ExpositionTest, PromtoolFindsNothingToComplainAbout) {
  if (std::system("command -v promtool >/dev/null") != 0) GTEST_SKIP() << "promtool is not installed";
  const std::string path = testing::TempDir() + "metrics.txt";
  std::ofstream(path) << Scrape(exposition_->address());
  EXPECT_EQ(std::system(("promtool check metrics < " + path + " > " + path + ".out 2>&1").c_str()), 0);
  std::ifstream complaints(path + ".out");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(complaints), {}), "");
}

TEST_F(ExpositionTest, PortInUseIsAnErrorThatNamesTheAddress) {
  const auto second = Exposition::Start(exposition_->address(), {});
  EXPECT_EQ(second.status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(second.status().message()), HasSubstr(exposition_->address()));
}

}  // namespace
}  // namespace aaren::metrics
