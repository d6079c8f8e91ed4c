#include "server/operate/metrics/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>

#include "server/operate/metrics/format/family.h"

namespace aaren::metrics {
namespace {

using Families = std::vector<prometheus::MetricFamily>;

// The values of /proc/self/stat (proc(5)), in base units.
struct Stat {
  double cpu_seconds = 0;
  double threads = 0;
  double start_seconds = 0;  // since the machine started
  double virtual_bytes = 0;
  double resident_bytes = 0;
};

std::optional<Stat> ReadStat() {
  std::ifstream file("/proc/self/stat");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  // The program's name stands in parentheses and may contain spaces and parentheses.
  const size_t name_end = text.rfind(") ");
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream in(text.substr(name_end + 2));
  std::string state;
  in >> state;
  constexpr int kFirst = 4, kLast = 24;  // numbered as in proc(5)
  double fields[kLast + 1] = {};
  for (int i = kFirst; i <= kLast; ++i) in >> fields[i];
  if (!in) return std::nullopt;
  // proc(5) counts times in ticks of the clock, and resident memory in pages.
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  return Stat{.cpu_seconds = (fields[14] + fields[15]) / ticks,
              .threads = fields[20],
              .start_seconds = fields[22] / ticks,
              .virtual_bytes = fields[23],
              .resident_bytes = fields[24] * static_cast<double>(sysconf(_SC_PAGESIZE))};
}

// When the machine started, in seconds since 1970-01-01 UTC.
std::optional<double> ReadBootTime() {
  std::ifstream file("/proc/stat");
  for (std::string word; file >> word;) {
    double seconds;
    if (word == "btime" && file >> seconds) return seconds;
  }
  return std::nullopt;
}

void AddStat(Families& families) {
  const std::optional<Stat> stat = ReadStat();
  if (!stat.has_value()) return;
  families.push_back(
      Counters("process_cpu_seconds_total", "User and system CPU time spent.").Add({}, stat->cpu_seconds).Take());
  families.push_back(Gauges("process_threads", "Threads of the process.").Add({}, stat->threads).Take());
  families.push_back(
      Gauges("process_virtual_memory_bytes", "Size of the virtual memory.").Add({}, stat->virtual_bytes).Take());
  families.push_back(
      Gauges("process_resident_memory_bytes", "Size of the resident memory.").Add({}, stat->resident_bytes).Take());
  // The kernel tells the start of a process since the boot only.
  if (const std::optional<double> boot = ReadBootTime(); boot.has_value()) {
    families.push_back(Gauges("process_start_time_seconds", "Start of the process since 1970-01-01 UTC.")
                           .Add({}, *boot + stat->start_seconds)
                           .Take());
  }
}

void AddFiles(Families& families) {
  std::error_code error;
  // Without /proc/self/fd the metric is left out.
  const std::filesystem::directory_iterator open("/proc/self/fd", error);
  if (!error) {
    // Each entry of the folder is an open descriptor.
    const auto count = std::distance(begin(open), end(open)) - 1;  // without the folder's own descriptor
    families.push_back(Gauges("process_open_fds", "Open file descriptors.").Add({}, static_cast<double>(count)).Take());
  }
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    families.push_back(Gauges("process_max_fds", "Most file descriptors that may be open.")
                           .Add({}, static_cast<double>(limit.rlim_cur))
                           .Take());
  }
}

}  // namespace

Families ProcessMetrics::Collect() const {
  Families families;
  AddStat(families);
  AddFiles(families);
  return families;
}

}  // namespace aaren::metrics
