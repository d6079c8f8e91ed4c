#include "server/operate/metrics/process_metrics.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <string>

#include "absl/time/clock.h"

namespace aaren::metrics {
namespace {

std::map<std::string, double> Values() {
  std::map<std::string, double> values;
  for (const prometheus::MetricFamily& family : ProcessMetrics().Collect()) {
    const prometheus::ClientMetric& metric = family.metric.front();
    values[family.name] = family.type == prometheus::MetricType::Counter ? metric.counter.value : metric.gauge.value;
  }
  return values;
}

TEST(ProcessMetricsTest, TellsPlausibleValues) {
  std::map<std::string, double> values = Values();
  EXPECT_GT(values["process_resident_memory_bytes"], 1e6);
  EXPECT_GE(values["process_virtual_memory_bytes"], values["process_resident_memory_bytes"]);
  EXPECT_GE(values["process_threads"], 1);
  EXPECT_GT(values["process_max_fds"], values["process_open_fds"]);
  const double age = absl::ToDoubleSeconds(absl::Now() - absl::UnixEpoch()) - values["process_start_time_seconds"];
  EXPECT_GT(age, -5);
  EXPECT_LT(age, 3600);
}

TEST(ProcessMetricsTest, ProcessorTimeGrowsWithWork) {
  const double before = Values()["process_cpu_seconds_total"];
  while (Values()["process_cpu_seconds_total"] < before + 0.05) {
  }
}

TEST(ProcessMetricsTest, OpenFilesAreCounted) {
  const double before = Values()["process_open_fds"];
  const int fd = open("/dev/null", O_RDONLY);
  EXPECT_EQ(Values()["process_open_fds"], before + 1);
  close(fd);
}

}  // namespace
}  // namespace aaren::metrics
