#ifndef AAREN_CLIENT_CLI_TIMESTAMP_H_
#define AAREN_CLIENT_CLI_TIMESTAMP_H_

// Reads the times that files hold, and writes them. Times are nanoseconds since 1970-01-01 UTC; one without a zone is
// taken as UTC, since only differences and order matter to a forecast.

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace aaren::cli {

// Understands
//   2024-01-31   2024-01-31 12:00   2024-01-31T12:00:00.250Z   2024/01/31 12:00:00+02:00   (year first, - or /)
//   31.01.2024   31.01.2024 12:00:00                                                       (day first, dots)
//   1706702400                                                                             (seconds since 1970)
// Nothing for anything else, a date that does not exist, or one that nanoseconds cannot express (1678 .. 2262 can).
std::optional<int64_t> ParseTimestamp(absl::string_view text);

// RFC 3339 in UTC with milliseconds: 2024-01-31T12:00:00.250Z.
std::string FormatTimestamp(int64_t time_ns);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_TIMESTAMP_H_
