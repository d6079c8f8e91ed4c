#ifndef AAREN_CLIENT_CLI_TERMINAL_WHOLE_FILE_H_
#define AAREN_CLIENT_CLI_TERMINAL_WHOLE_FILE_H_

// A file that exists as a whole or not at all. The file is written beside its place and then moved there. A full disk
// or a kill leaves the earlier file, and nothing half-written.
//
// Errors name the path. Threading: plain functions.

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace aaren::cli {

// OK if WriteWholeFile could write there, tested by creating and removing a file beside the path: before the work that
// makes the content. FAILED_PRECONDITION for a folder, a device or a pipe; else the system's own error.
absl::Status CheckWritable(const std::string& path);

// Replaces or creates the file. A symbolic link stays a link.
absl::Status WriteWholeFile(const std::string& path, absl::string_view text);

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_TERMINAL_WHOLE_FILE_H_
