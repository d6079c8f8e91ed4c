#ifndef AAREN_MODEL_PACKAGE_CLASSIFIER_CONFIG_H_
#define AAREN_MODEL_PACKAGE_CLASSIFIER_CONFIG_H_

// The sizes of a classifier of series that differ between models, the names of the classes, and the scale of each
// channel. Other sizes are constants (model/engine/classification/sizes.h).

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace aaren::package {

struct ClassifierConfig {
  static constexpr int kMostSteps = 65'536;
  static constexpr size_t kMostClasses = 1024, kMostChannels = 1024, kMostNameBytes = 128;

  int steps = 0;                     // N: tokens that the head has weights for; later tokens change nothing
  std::vector<std::string> classes;  // names of the C classes, all different
  std::vector<double> means;         // [V]: of each channel over the training data
  std::vector<double> deviations;    // [V], above 0

  size_t channels() const { return means.size(); }

  // InvalidArgument, naming the field and its value.
  absl::Status Validate() const;

  bool operator==(const ClassifierConfig&) const = default;
};

}  // namespace aaren::package

#endif  // AAREN_MODEL_PACKAGE_CLASSIFIER_CONFIG_H_
