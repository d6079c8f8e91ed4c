#ifndef AAREN_SERVER_MODELS_PACKAGE_FOLDER_H_
#define AAREN_SERVER_MODELS_PACKAGE_FOLDER_H_

// What lies in a folder of models, and whether it has changed since.

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace aaren::models {

// The folders directly under `folder`, in order of name. Those that begin with a dot are not there: a package that is
// copied under such a name and then renamed comes whole. NotFound if the folder cannot be read.
absl::StatusOr<std::vector<std::string>> FoldersIn(const std::string& folder);

// Differs where a file, or one directly in the folder, has been written, replaced, added or removed, or may be read by
// others than before. Empty: nothing is there.
std::string FingerprintOf(const std::string& path);

}  // namespace aaren::models

#endif  // AAREN_SERVER_MODELS_PACKAGE_FOLDER_H_
