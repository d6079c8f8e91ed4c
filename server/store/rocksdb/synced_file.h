#ifndef AAREN_SERVER_STORE_ROCKSDB_SYNCED_FILE_H_
#define AAREN_SERVER_STORE_ROCKSDB_SYNCED_FILE_H_

// Small files beside the database, readable by the owner alone under any umask. Threading: one thread at a time for
// each file.

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace aaren::store {

// NotFound if the file is missing, Unavailable if the file cannot be read.
absl::StatusOr<std::string> ReadWhole(const std::string& path);

// Returns once the new file is on the disk. A failure leaves the old file and nothing beside it. A kill meanwhile
// leaves the old file, and perhaps `path`.next.
absl::Status ReplaceFile(const std::string& path, absl::string_view bytes);

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_ROCKSDB_SYNCED_FILE_H_
