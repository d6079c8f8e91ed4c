#ifndef AAREN_SERVER_SESSIONS_MODELS_PACKAGE_FOLDER_H_
#define AAREN_SERVER_SESSIONS_MODELS_PACKAGE_FOLDER_H_

// Reads a folder of models, and detects changes.

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace aaren::models {

// The folders directly under `folder`, in order of name. Names beginning with a dot are skipped: a package copied under
// such a name and then renamed appears whole. NotFound if the folder cannot be read.
absl::StatusOr<std::vector<std::string>> FoldersIn(const std::string& folder);

// True if a folder is neither a package nor an error: a folder without model.json, such as an empty folder. A folder
// without permission to read may be a package, unless the name is lost+found, which every volume has.
bool IsStray(const std::string& path);

// A fingerprint of a file, or of a folder's direct content. Differs once a file was written, replaced, added or
// removed, or has new permissions. Empty: nothing exists at the path.
std::string FingerprintOf(const std::string& path);

}  // namespace aaren::models

#endif  // AAREN_SERVER_SESSIONS_MODELS_PACKAGE_FOLDER_H_
