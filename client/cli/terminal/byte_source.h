#ifndef AAREN_CLIENT_CLI_TERMINAL_BYTE_SOURCE_H_
#define AAREN_CLIENT_CLI_TERMINAL_BYTE_SOURCE_H_

#include <cstddef>
#include <functional>

#include "absl/status/statusor.h"

namespace aaren::cli {

// Reads up to `size` bytes, at least one byte before the end; returns their number, 0 at the end.
using ByteSource = std::function<absl::StatusOr<size_t>(char* buffer, size_t size)>;

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_TERMINAL_BYTE_SOURCE_H_
