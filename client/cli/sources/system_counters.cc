#include "client/cli/sources/system_counters.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace aaren::cli {
namespace {

constexpr uint64_t kSectorBytes = 512;  // the unit of /proc/diskstats, whatever the disk's own

std::vector<absl::string_view> Words(absl::string_view line) {
  return absl::StrSplit(line, absl::ByAnyChar(" \t:"), absl::SkipEmpty());
}

uint64_t Number(const std::vector<absl::string_view>& words, size_t i) {
  uint64_t number = 0;
  if (i >= words.size() || !absl::SimpleAtoi(words[i], &number)) return 0;
  return number;
}

// cpu  user nice system idle iowait irq softirq steal guest guest_nice; guests are part of user and nice.
void ParseStat(absl::string_view stat, SystemCounters& counters) {
  for (absl::string_view line : absl::StrSplit(stat, '\n')) {
    if (!absl::StartsWith(line, "cpu ")) continue;
    const std::vector<absl::string_view> words = Words(line);
    for (size_t i = 1; i <= 8; ++i) counters.cpu_ticks += Number(words, i);
    counters.cpu_busy_ticks = counters.cpu_ticks - Number(words, 4) - Number(words, 5);
  }
}

void ParseMeminfo(absl::string_view meminfo, SystemCounters& counters) {
  for (absl::string_view line : absl::StrSplit(meminfo, '\n')) {
    const std::vector<absl::string_view> words = Words(line);
    if (absl::StartsWith(line, "MemTotal:")) counters.memory_bytes = Number(words, 1) << 10;
    if (absl::StartsWith(line, "MemAvailable:")) counters.memory_available_bytes = Number(words, 1) << 10;
  }
}

// major minor name reads merged sectors ms writes merged sectors …
void ParseDiskstats(absl::string_view diskstats, absl::Span<const std::string> disks, SystemCounters& counters) {
  for (absl::string_view line : absl::StrSplit(diskstats, '\n')) {
    const std::vector<absl::string_view> words = Words(line);
    if (words.size() < 10 || std::count(disks.begin(), disks.end(), words[2]) == 0) continue;
    counters.disk_bytes += kSectorBytes * (Number(words, 5) + Number(words, 9));
  }
}

// name: bytes packets errs drop fifo frame compressed multicast (received), then bytes … (sent)
void ParseNetDev(absl::string_view net_dev, SystemCounters& counters) {
  for (absl::string_view line : absl::StrSplit(net_dev, '\n')) {
    const std::vector<absl::string_view> words = Words(line);
    // The headings have no colon.
    if (words.size() < 10 || !absl::StrContains(line, ':') || words[0] == "lo") continue;
    counters.network_bytes += Number(words, 1) + Number(words, 9);
  }
}

std::string ReadAll(const char* path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// Loop devices, RAM disks and volumes made of further disks would count bytes twice, or bytes that reach no disk.
std::vector<std::string> WholeDisks() {
  std::vector<std::string> disks;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/block", error)) {
    const std::string name = entry.path().filename();
    const auto stacked = [&](absl::string_view prefix) { return absl::StartsWith(name, prefix); };
    if (!stacked("loop") && !stacked("ram") && !stacked("zram") && !stacked("dm-") && !stacked("md")) {
      disks.push_back(name);
    }
  }
  return disks;
}

double Difference(uint64_t before, uint64_t after) { return after > before ? static_cast<double>(after - before) : 0; }

double Ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

}  // namespace

SystemCounters ParseCounters(absl::string_view stat, absl::string_view meminfo, absl::string_view diskstats,
                             absl::string_view net_dev, absl::Span<const std::string> disks) {
  SystemCounters counters;
  ParseStat(stat, counters);
  ParseMeminfo(meminfo, counters);
  ParseDiskstats(diskstats, disks, counters);
  ParseNetDev(net_dev, counters);
  return counters;
}

absl::StatusOr<SystemCounters> ReadCounters() {
  const SystemCounters counters = ParseCounters(ReadAll("/proc/stat"), ReadAll("/proc/meminfo"),
                                                ReadAll("/proc/diskstats"), ReadAll("/proc/net/dev"), WholeDisks());
  if (counters.cpu_ticks == 0) return absl::NotFoundError("--source=system needs /proc/stat, which this machine lacks");
  return counters;
}

const std::vector<std::string>& RateNames() {
  static const auto* const names = new std::vector<std::string>{"cpu_percent", "memory_percent",
                                                                "disk_bytes_per_second", "network_bytes_per_second"};
  return *names;
}

std::vector<float> Rates(const SystemCounters& before, const SystemCounters& after, absl::Duration elapsed) {
  const double seconds = absl::ToDoubleSeconds(elapsed);
  const double busy = Difference(before.cpu_busy_ticks, after.cpu_busy_ticks);
  const double used = Difference(after.memory_available_bytes, after.memory_bytes);
  const double rates[] = {100 * Ratio(busy, Difference(before.cpu_ticks, after.cpu_ticks)),
                          100 * Ratio(used, static_cast<double>(after.memory_bytes)),
                          Ratio(Difference(before.disk_bytes, after.disk_bytes), seconds),
                          Ratio(Difference(before.network_bytes, after.network_bytes), seconds)};
  return std::vector<float>(std::begin(rates), std::end(rates));
}

}  // namespace aaren::cli
