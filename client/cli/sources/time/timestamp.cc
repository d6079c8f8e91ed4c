#include "client/cli/sources/time/timestamp.h"

#include "absl/time/time.h"

namespace aaren::cli {

std::string FormatTimestamp(int64_t time_ns) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::FromUnixNanos(time_ns), absl::UTCTimeZone());
}

}  // namespace aaren::cli
