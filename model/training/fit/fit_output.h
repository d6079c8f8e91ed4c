#ifndef AAREN_MODEL_TRAINING_FIT_FIT_OUTPUT_H_
#define AAREN_MODEL_TRAINING_FIT_FIT_OUTPUT_H_

// The folder that `aaren-train fit` writes a package to, and the last words of the command. A folder that the command
// made and did not write to is removed.

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "model/training/fit/fit.h"

namespace aaren::training {

class FitOutput {
 public:
  explicit FitOutput(const FitLine& line);  // REQUIRES: `line` outlives this object
  ~FitOutput();

  // Unavailable, naming the folder, if no package could be written there.
  absl::Status Check() const;

  // Writes the package by `save` if the new model is the better one or is wanted in any case, and tells which.
  absl::Status Conclude(bool better, const std::string& reference, const std::function<absl::Status()>& save) const;

 private:
  const FitLine& line_;
  const bool existed_;
};

}  // namespace aaren::training

#endif  // AAREN_MODEL_TRAINING_FIT_FIT_OUTPUT_H_
