#include "client/load/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>

#include "absl/time/clock.h"
#include "google/rpc/error_details.pb.h"
#include "tests/client/fake_server.h"

namespace aaren::client {
namespace {

using ::testing::HasSubstr;

LoadOptions Small(const FakeServer& server) {
  return {.target = server.target(), .sessions = 12, .streams = 3, .duration = absl::Milliseconds(200)};
}

TEST(LoadTest, CountsEveryTokenOfAClosedLoop) {
  FakeServer server;
  const auto report = RunLoad(Small(server));
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_GT(report->sent, 100u);
  EXPECT_EQ(report->received, report->sent);
  EXPECT_EQ(report->sent, server.folded());
  EXPECT_EQ(report->errors, 0u) << report->first_error;
  EXPECT_GT(report->tokens_per_second, 0);
  EXPECT_EQ(server.duplicates(), 0);
  EXPECT_EQ(server.violations(), 0);
  EXPECT_EQ(server.streams(), 3);
}

TEST(LoadTest, DeletesItsSessions) {
  FakeServer server;
  ASSERT_TRUE(RunLoad(Small(server)).ok());
  EXPECT_EQ(server.closed(), 12);
  EXPECT_EQ(server.sessions(), 0);
}

TEST(LoadTest, OptionsThatNoMachineHoldsAreRefused) {
  const LoadOptions base = {.target = "127.0.0.1:1"};
  LoadOptions options = base;
  options.window = UINT32_MAX;
  EXPECT_FALSE(CheckLoad(options).ok());
  options = base;
  options.channels = UINT32_MAX;
  EXPECT_FALSE(CheckLoad(options).ok());
  options = base;
  options.sessions = options.streams = UINT32_MAX;
  EXPECT_FALSE(CheckLoad(options).ok());
  options = base;
  options.rate = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(CheckLoad(options).ok());
  options = base;
  options.duration = absl::InfiniteDuration();
  EXPECT_FALSE(CheckLoad(options).ok());
}

// An expected_seq beyond the sent tokens used to make a next message of nearly 2^64 tokens.
TEST(LoadTest, TokensThatWereNeverSentAreNotSentAgain) {
  FakeServer server({.lie = [](v1::ServerMessage& message) {
    for (v1::ServerItem& item : *message.mutable_items()) {
      if (!item.has_forecasts()) continue;
      const uint32_t handle = item.forecasts().handle();
      google::rpc::ErrorInfo info;
      info.set_reason("SET_ASIDE");
      v1::Failed& failed = *item.mutable_failed();
      failed.set_handle(handle);
      failed.set_expected_seq(uint64_t{1} << 40);
      failed.mutable_status()->set_code(11);
      failed.mutable_status()->add_details()->PackFrom(info);
    }
  }});
  LoadOptions options = Small(server);
  options.drain = absl::Milliseconds(100);
  const auto report = RunLoad(options);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->errors, 12u);
  EXPECT_THAT(report->first_error, HasSubstr("says Failed.expected_seq 1099511627776"));
  EXPECT_LT(report->sent, 12u * 17);
}

TEST(LoadTest, LatenciesAreInOrder) {
  FakeServer server;
  const auto report = RunLoad(Small(server));
  ASSERT_TRUE(report.ok());
  EXPECT_GT(report->latency_us.p50, 0);
  EXPECT_LE(report->latency_us.p50, report->latency_us.p90);
  EXPECT_LE(report->latency_us.p90, report->latency_us.p99);
  EXPECT_LE(report->latency_us.p99, report->latency_us.p999);
  EXPECT_LE(report->latency_us.p999, report->latency_us.max);
}

TEST(LoadTest, SendsManyPointsAMessage) {
  FakeServer server;
  LoadOptions options = Small(server);
  options.points_per_message = 50;
  const auto report = RunLoad(options);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->sent % 50, 0u);
  EXPECT_EQ(report->received, report->sent);
  EXPECT_EQ(report->sent, server.folded());
  EXPECT_EQ(server.violations(), 0);
}

TEST(LoadTest, AnOpenLoopSendsAtItsRate) {
  FakeServer server;
  LoadOptions options = Small(server);
  options.rate = 3000;
  options.duration = absl::Milliseconds(500);
  const auto report = RunLoad(options);
  ASSERT_TRUE(report.ok());
  EXPECT_NEAR(static_cast<double>(report->sent), 1500, 15);
  EXPECT_EQ(report->received, report->sent);
}

TEST(LoadTest, AnOpenLoopCountsAStallFromWhenTokensWereDue) {
  FakeServer server;
  LoadOptions options = Small(server);
  options.rate = 1200;
  options.window = 1;
  options.duration = absl::Milliseconds(400);
  std::thread stall([&] {
    while (server.folded() == 0) std::this_thread::yield();
    server.Pause(true);
    absl::SleepFor(absl::Milliseconds(300));
    server.Pause(false);
  });
  const auto report = RunLoad(options);
  stall.join();
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->received, report->sent);
  EXPECT_NEAR(static_cast<double>(report->sent), 480, 12);
  EXPECT_GT(report->latency_us.p50, 50000);
  EXPECT_GT(report->latency_us.max, 250000);
}

TEST(LoadTest, StopsWhenTold) {
  FakeServer server;
  LoadOptions options = Small(server);
  options.duration = absl::Hours(1);
  std::atomic<bool> stop = false;
  std::thread stopper([&] {
    while (server.folded() < 100) std::this_thread::yield();
    stop = true;
  });
  const auto report = RunLoad(options, &stop);
  stopper.join();
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->received, report->sent);
  EXPECT_EQ(server.sessions(), 0);
}

TEST(LoadTest, CountsWhatTheServerRefuses) {
  FakeServer server;
  server.FailNextOpen(8, "no slot left", 1);
  const auto report = RunLoad(Small(server));
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->errors, 1u);
  EXPECT_THAT(report->first_error, HasSubstr("no slot left"));
  EXPECT_EQ(report->received, report->sent);
}

TEST(LoadTest, CountsAStreamThatIsLeftOutSinceASessionDidNotOpenInTime) {
  std::atomic<bool> left_out = false;
  FakeServer server({.lie = [&](v1::ServerMessage& message) {
    v1::ServerMessage rest;
    for (v1::ServerItem& item : *message.mutable_items()) {
      if (!item.has_opened() || left_out.exchange(true)) *rest.add_items() = item;
    }
    message = rest;
  }});
  LoadOptions options = Small(server);
  options.settle = absl::Seconds(1);
  const auto report = RunLoad(options);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->errors, 1u);
  EXPECT_EQ(report->first_error, "1 of 4 sessions were not opened in time");
  EXPECT_GT(report->received, 0u);  // by the two other streams
}

TEST(LoadTest, CountsAStreamWhoseTokensWereNotAllAnswered) {
  FakeServer server({.lie = [](v1::ServerMessage& message) {
    for (v1::ServerItem& item : *message.mutable_items()) {
      if (item.has_forecasts()) item.mutable_forecasts()->set_handle(77);
    }
  }});
  LoadOptions options = Small(server);
  options.drain = absl::Milliseconds(10);
  const auto report = RunLoad(options);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->errors, 3u);
  EXPECT_EQ(report->first_error, "64 messages were not answered in time");
}

TEST(LoadTest, SendsAgainWhatTheServerHadNoRoomFor) {
  FakeServer server;
  server.FailNextTokens(11, "no room", "SET_ASIDE", 30);
  LoadOptions options = Small(server);
  options.points_per_message = 3;
  const auto report = RunLoad(options);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->errors, 0u) << report->first_error;
  EXPECT_GE(report->resent, 30u * 3);
  EXPECT_EQ(report->received, report->sent);
  EXPECT_EQ(report->sent, server.folded());
}

TEST(LoadTest, CountsABrokenStream) {
  FakeServer server;
  server.CutAt({5});
  const auto report = RunLoad(Small(server));
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->errors, 1u) << report->first_error;
  EXPECT_LT(report->received, report->sent);
}

TEST(LoadTest, SaysWhyNoStreamCouldBeOpened) {
  EXPECT_EQ(RunLoad({.target = "127.0.0.1:1"}).status().code(), absl::StatusCode::kUnavailable);
}

TEST(LoadTest, RefusesOptionsThatCannotBe) {
  EXPECT_THAT(RunLoad({.target = "a:1", .sessions = 3, .streams = 4}).status().message(),
              HasSubstr("streams is 4; 1 .. 3"));
  EXPECT_THAT(RunLoad({.target = "a:1", .window = 0}).status().message(), HasSubstr("window is 0"));
  EXPECT_EQ(RunLoad({}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(LoadTest, PrintsJson) {
  LoadReport report;
  report.tokens_per_second = 1.5;
  report.latency_us.p999 = 7;
  report.sent = 4;
  const auto without = nlohmann::json::parse(ToJson(report));
  EXPECT_EQ(without["tokens_per_second"], 1.5);
  EXPECT_EQ(without["latency_us"]["p999"], 7);
  EXPECT_EQ(without["sent"], 4);
  EXPECT_TRUE(without["server"].is_null());
  report.server = {.cpu_seconds = 2, .rss_bytes = 3};
  EXPECT_EQ(nlohmann::json::parse(ToJson(report))["server"]["rss_bytes"], 3);
}

}  // namespace
}  // namespace aaren::client
