#ifndef AAREN_MODEL_PACKAGE_MANIFEST_H_
#define AAREN_MODEL_PACKAGE_MANIFEST_H_

// Manifest is the content of model.json: everything about a package except its tensors. README.md shows an example.

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

// InvalidArgument, naming the field and its value, if a field has a value that no package may have.
absl::Status CheckManifest(const Manifest& manifest);

// Parses and checks the text of model.json. InvalidArgument names the field.
absl::StatusOr<Manifest> ParseManifest(absl::string_view text);

// The text of model.json. InvalidArgument if a string of the manifest is not UTF-8.
absl::StatusOr<std::string> FormatManifest(const Manifest& manifest);

}  // namespace aaren::package

#endif  // AAREN_MODEL_PACKAGE_MANIFEST_H_
