#include "client/cli/sources/system_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aaren::cli {
namespace {

using ::testing::FloatEq;

constexpr char kStat[] = "cpu  100 0 50 800 50 0 0 0 30 0\ncpu0 100 0 50 800 50 0 0 0 30 0\nintr 1\n";
constexpr char kMeminfo[] = "MemTotal:       1000 kB\nMemFree:         100 kB\nMemAvailable:    250 kB\n";
constexpr char kDiskstats[] =
    "   8       0 sda 10 0 100 5 20 0 200 6 0 7 8\n"
    "   8       1 sda1 10 0 100 5 20 0 200 6 0 7 8\n"
    "   7       0 loop0 1 0 50 1 0 0 0 0 0 0 0\n";
constexpr char kNetDev[] =
    "Inter-|   Receive                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes packets errs drop fifo colls carrier\n"
    "    lo: 999 1 0 0 0 0 0 0 999 1 0 0 0 0 0 0\n"
    "  eth0:1000 1 0 0 0 0 0 0 300 1 0 0 0 0 0 0\n";

SystemCounters Sample() { return ParseCounters(kStat, kMeminfo, kDiskstats, kNetDev, {"sda"}); }

TEST(SystemCountersTest, WaitingAndIdleTicksAreNotBusy) {
  EXPECT_EQ(Sample().cpu_ticks, 1000u);
  EXPECT_EQ(Sample().cpu_busy_ticks, 150u);
}

TEST(SystemCountersTest, MemoryIsInBytes) {
  EXPECT_EQ(Sample().memory_bytes, 1000u << 10);
  EXPECT_EQ(Sample().memory_available_bytes, 250u << 10);
}

TEST(SystemCountersTest, PartitionsCountOnceWithTheirDisk) { EXPECT_EQ(Sample().disk_bytes, 512u * 300); }

TEST(SystemCountersTest, LoopbackIsNoTraffic) { EXPECT_EQ(Sample().network_bytes, 1300u); }

TEST(SystemCountersTest, RatesArePerSecondAndPercent) {
  SystemCounters after = Sample();
  after.cpu_ticks += 200;
  after.cpu_busy_ticks += 50;
  after.disk_bytes += 4000;
  after.network_bytes += 100;
  const std::vector<float> rates = Rates(Sample(), after, absl::Seconds(2));
  EXPECT_THAT(rates, testing::ElementsAre(FloatEq(25), FloatEq(75), FloatEq(2000), FloatEq(50)));
}

TEST(SystemCountersTest, CounterThatWentBackIsNoTraffic) {
  SystemCounters before = Sample();
  before.network_bytes = 1 << 20;
  EXPECT_EQ(Rates(before, Sample(), absl::Seconds(1))[3], 0);
}

TEST(SystemCountersTest, ThisMachineHasMemory) {
  const auto counters = ReadCounters();
  ASSERT_TRUE(counters.ok()) << counters.status();
  EXPECT_GT(counters->memory_bytes, 0u);
}

}  // namespace
}  // namespace aaren::cli
