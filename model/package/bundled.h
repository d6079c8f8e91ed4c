#ifndef AAREN_MODEL_PACKAGE_BUNDLED_H_
#define AAREN_MODEL_PACKAGE_BUNDLED_H_

#include <string>

#include "absl/status/statusor.h"

namespace aaren::package {

// The folder of the bundled models: beside an installed program, or in the source tree around build/PRESET/bin.
// NotFound, naming the program's folder, if neither place has one.
absl::StatusOr<std::string> BundledModels();

// The folder of the bundled package of this name. NotFound as above, or if there is no such package.
absl::StatusOr<std::string> BundledPackage(const std::string& name);

}  // namespace aaren::package

#endif  // AAREN_MODEL_PACKAGE_BUNDLED_H_
