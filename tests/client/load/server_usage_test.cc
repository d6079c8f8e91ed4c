#include "client/load/server_usage.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/client/fake_server.h"

namespace aaren::client {
namespace {

TEST(ServerUsageTest, ReadsAMetricsPage) {
  const auto usage = ParseMetrics(
      "# TYPE process_cpu_seconds_total counter\n"
      "process_cpu_seconds_total_other 9\n"
      "process_cpu_seconds_total 12.5\n"
      "process_resident_memory_bytes 1.5e+06\r\n");
  ASSERT_TRUE(usage);
  EXPECT_EQ(usage->cpu_seconds, 12.5);
  EXPECT_EQ(usage->rss_bytes, 1500000u);
}

TEST(ServerUsageTest, APageWithoutTheProcessTellsNothing) {
  EXPECT_FALSE(ParseMetrics("process_cpu_seconds_total 12.5\n"));
  EXPECT_FALSE(ParseMetrics(""));
}

TEST(ServerUsageTest, NumbersThatCannotBeTellNothing) {
  for (const char* number : {"nan", "inf", "-1", "1e300"}) {
    EXPECT_FALSE(
        ParseMetrics(absl::StrCat("process_cpu_seconds_total 1\nprocess_resident_memory_bytes ", number, "\n")));
    EXPECT_FALSE(
        ParseMetrics(absl::StrCat("process_cpu_seconds_total ", number, "\nprocess_resident_memory_bytes 1\n")));
  }
}

TEST(ServerUsageTest, FindsTheProcessThatListensHere) {
  FakeServer server;
  const auto usage = ReadServerUsage(server.target(), "");
  ASSERT_TRUE(usage);
  EXPECT_GT(usage->rss_bytes, 1000000u);
  EXPECT_LT(usage->cpu_seconds, 1000);
}

TEST(ServerUsageTest, KnowsNothingOfOtherMachinesAndClosedPorts) {
  EXPECT_FALSE(ReadServerUsage("192.0.2.1:7000", ""));
  EXPECT_FALSE(ReadServerUsage("127.0.0.1:1", ""));
  EXPECT_FALSE(ReadServerUsage("127.0.0.1", ""));
  EXPECT_FALSE(ReadServerUsage("127.0.0.1:1", "127.0.0.1:1"));
}

}  // namespace
}  // namespace aaren::client
