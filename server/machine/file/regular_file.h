#ifndef AAREN_SERVER_MACHINE_FILE_REGULAR_FILE_H_
#define AAREN_SERVER_MACHINE_FILE_REGULAR_FILE_H_

// Reads files that the server reads again while serving: the list of callers, certificates, labels of models. The
// reader never hangs: a pipe at the path is not waited for, and a device not read to its end.

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"

namespace aaren::file {

// The whole content. Errors name the path: those of the system, FailedPrecondition for anything but a regular file,
// InvalidArgument for a file of more than `most` bytes.
absl::StatusOr<std::string> ReadRegularFile(const std::string& path, size_t most);

}  // namespace aaren::file

#endif  // AAREN_SERVER_MACHINE_FILE_REGULAR_FILE_H_
