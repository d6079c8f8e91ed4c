#ifndef AAREN_CLIENT_CLI_SOURCES_SYSTEM_COUNTERS_H_
#define AAREN_CLIENT_CLI_SOURCES_SYSTEM_COUNTERS_H_

// The kernel's counters of this machine, and the rates between two looks. Reading and parsing are apart: the parser can
// be tested anywhere. Threading: plain functions and values.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

namespace aaren::cli {

struct SystemCounters {
  uint64_t cpu_ticks = 0;       // all cores', since the start
  uint64_t cpu_busy_ticks = 0;  // … neither idle nor waiting for a disk
  uint64_t memory_bytes = 0;    // the machine's
  uint64_t memory_available_bytes = 0;
  uint64_t disk_bytes = 0;     // read and written, over all disks
  uint64_t network_bytes = 0;  // received and sent, over all interfaces but loopback
};

// Parses the texts of /proc/stat, /proc/meminfo, /proc/diskstats and /proc/net/dev. `disks` are the names of whole
// disks in /sys/block: partitions count with their disk. A number missing in the texts stays 0.
SystemCounters ParseCounters(absl::string_view stat, absl::string_view meminfo, absl::string_view diskstats,
                             absl::string_view net_dev, absl::Span<const std::string> disks);

// This machine's counters. NOT_FOUND without /proc.
absl::StatusOr<SystemCounters> ReadCounters();

// Names of the series that Rates yields: cpu_percent, memory_percent, disk_bytes_per_second,
// network_bytes_per_second.
const std::vector<std::string>& RateNames();

// The rates between two looks, `elapsed` apart. A counter that went back (an interface that left) counts as 0.
std::vector<float> Rates(const SystemCounters& before, const SystemCounters& after, absl::Duration elapsed);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_SOURCES_SYSTEM_COUNTERS_H_
