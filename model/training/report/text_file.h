#ifndef AAREN_MODEL_TRAINING_REPORT_TEXT_FILE_H_
#define AAREN_MODEL_TRAINING_REPORT_TEXT_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace aaren::training {

// Writes a whole file, new or existing; the folder must exist. Unavailable names the path and the reason.
absl::Status WriteTextFile(const std::string& path, absl::string_view text);

// Replaces a file in one rename: a reader sees the old text or the new text, never a part, and a full disk leaves the
// old text and nothing beside it. A pipe or a device is written to.
absl::Status ReplaceTextFile(const std::string& path, absl::string_view text);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_REPORT_TEXT_FILE_H_
