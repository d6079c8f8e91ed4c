#ifndef AAREN_CLIENT_CLI_TERMINAL_WHOLE_FILE_H_
#define AAREN_CLIENT_CLI_TERMINAL_WHOLE_FILE_H_

// A file that is there as a whole or not at all. It is written beside its place and then moved there. So a full disk or
// a kill leaves what was there before, and nothing half-written.
//
// Errors name the path. Threading: plain functions.

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace aaren::cli {

// Whether WriteWholeFile could write there, found out by creating and removing a file beside it: before the work whose
// result it shall hold. FAILED_PRECONDITION for a folder, a device or a pipe; else the system's own error.
absl::Status CheckWritable(const std::string& path);

// Replaces or creates the file. A symbolic link stays one.
absl::Status WriteWholeFile(const std::string& path, absl::string_view text);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_TERMINAL_WHOLE_FILE_H_
