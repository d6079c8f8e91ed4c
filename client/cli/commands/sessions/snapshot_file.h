#ifndef AAREN_CLIENT_CLI_COMMANDS_SESSIONS_SNAPSHOT_FILE_H_
#define AAREN_CLIENT_CLI_COMMANDS_SESSIONS_SNAPSHOT_FILE_H_

// The file of an exported session: the bytes that a server's Export gives, and nothing else.

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace aaren::cli {

// Writes under another name first: a failure never replaces a whole snapshot by half a snapshot. A link stays a link,
// and a pipe or a device is written to. The error names the file.
absl::Status WriteSnapshot(const std::string& path, const std::string& bytes);

// InvalidArgument, before the memory is full, for a file larger than any snapshot. The error names the file.
absl::StatusOr<std::string> ReadSnapshot(const std::string& path);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_COMMANDS_SESSIONS_SNAPSHOT_FILE_H_
