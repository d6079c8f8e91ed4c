#ifndef AAREN_MODEL_TRAINING_REPORT_TEXT_FILE_H_
#define AAREN_MODEL_TRAINING_REPORT_TEXT_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace aaren::training {

// Writes the whole of a file that exists or not; its folder must. Unavailable names the path and the reason.
absl::Status WriteTextFile(const std::string& path, absl::string_view text);

// The same in one rename, so that a reader sees the old text or the new one, never a half.
absl::Status ReplaceTextFile(const std::string& path, absl::string_view text);

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_REPORT_TEXT_FILE_H_
