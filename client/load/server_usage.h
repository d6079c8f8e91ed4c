#ifndef AAREN_CLIENT_LOAD_SERVER_USAGE_H_
#define AAREN_CLIENT_LOAD_SERVER_USAGE_H_

// The CPU time and memory of a server's process, from its /metrics page or this machine's /proc. Threading: free
// functions.

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace aaren::client {

struct ServerUsage {
  double cpu_seconds = 0;  // since the process began
  uint64_t rss_bytes = 0;
};

// From the Prometheus text page at "host:port" `metrics`; if empty, from the process listening on `target`'s port, if
// the target names this machine. Absent without both.
std::optional<ServerUsage> ReadServerUsage(const std::string& target, const std::string& metrics);

// process_cpu_seconds_total and process_resident_memory_bytes of a Prometheus text page.
std::optional<ServerUsage> ParseMetrics(absl::string_view page);

}  // namespace aaren::client

#endif  // AAREN_CLIENT_LOAD_SERVER_USAGE_H_
