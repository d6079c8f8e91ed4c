#ifndef AAREN_MODEL_PACKAGE_MANIFEST_H_
#define AAREN_MODEL_PACKAGE_MANIFEST_H_

// Manifest is what model.json says: everything about a package but its tensors. README.md shows one.

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/package/package.h"

namespace aaren::package {

struct Manifest {
  ModelPackage package;        // without tensors and digest
  std::string weights_file;    // beside model.json
  std::string weights_sha256;  // hexadecimal
};

// InvalidArgument, naming the field and its value, for anything that a package may not say of itself.
absl::Status CheckManifest(const Manifest& manifest);

// Parses and checks. InvalidArgument names the field.
absl::StatusOr<Manifest> ParseManifest(absl::string_view text);

// InvalidArgument if a text in it is not UTF-8.
absl::StatusOr<std::string> FormatManifest(const Manifest& manifest);

}  // namespace aaren::package

#endif  // AAREN_MODEL_PACKAGE_MANIFEST_H_
