#ifndef AAREN_CLIENT_CLI_SOURCES_TIME_TIMESTAMP_H_
#define AAREN_CLIENT_CLI_SOURCES_TIME_TIMESTAMP_H_

// Writes times, nanoseconds since 1970-01-01 UTC, for people; time_format.h reads them. Threading: a plain function.

#include <cstdint>
#include <string>

namespace aaren::cli {

// RFC 3339 in UTC with milliseconds: 2024-01-31T12:00:00.250Z.
std::string FormatTimestamp(int64_t time_ns);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_SOURCES_TIME_TIMESTAMP_H_
