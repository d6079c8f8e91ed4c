#ifndef AAREN_SERVER_FILE_REGULAR_FILE_H_
#define AAREN_SERVER_FILE_REGULAR_FILE_H_

// Files that the server reads again while it serves: the list of callers, certificates, labels of models. Whatever lies
// at such a path at that moment, the reader comes back: a pipe is not waited for, and a device not read to its end.

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"

namespace aaren::file {

// All of it. Errors name the path: those of the system, FailedPrecondition for what is no regular file, InvalidArgument
// for one of more than `most` bytes.
absl::StatusOr<std::string> ReadRegularFile(const std::string& path, size_t most);

}  // namespace aaren::file

#endif  // AAREN_SERVER_FILE_REGULAR_FILE_H_
