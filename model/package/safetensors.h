#ifndef AAREN_MODEL_PACKAGE_SAFETENSORS_H_
#define AAREN_MODEL_PACKAGE_SAFETENSORS_H_

// Named tensors as the bytes of a safetensors file: the header's length (uint64, little-endian), a JSON header
//   {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin, end]}, ..., "__metadata__": {"key": "text"}}
// and the data that the offsets refer to. F32 and BF16 are read, both as floats. Every data byte must belong to exactly
// one tensor.

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/package/package.h"

namespace aaren::package {

inline constexpr size_t kMaxSafetensorsHeader = size_t{4} << 20;

// DataLoss if the bytes end too early; InvalidArgument, naming the tensor, for any other fault.
absl::StatusOr<std::map<std::string, Tensor>> ParseSafetensors(absl::string_view bytes);

// Writes a tensor as BF16, at half the size, if no number loses a bit. REQUIRES: the data of each tensor is as long as
// its shape says, and names are UTF-8.
std::string FormatSafetensors(const std::map<std::string, Tensor>& tensors);

}  // namespace aaren::package

#endif  // AAREN_MODEL_PACKAGE_SAFETENSORS_H_
