#ifndef AAREN_MODEL_PACKAGE_SHA256_H_
#define AAREN_MODEL_PACKAGE_SHA256_H_

// The SHA-256 of the parts one after another, as 64 lower-case hexadecimal digits.

#include <initializer_list>
#include <string>

#include "absl/strings/string_view.h"

namespace aaren::package {

std::string Sha256(std::initializer_list<absl::string_view> parts);

}  // namespace aaren::package

#endif  // AAREN_MODEL_PACKAGE_SHA256_H_
