// A model's two files: JSON up to the first zero byte, then safetensors. Tensors read are written and read again
// unchanged.

#include <string>

#include "model/package/json_fields.h"
#include "model/package/manifest.h"
#include "model/package/safetensors.h"
#include "tests/fuzz/target.h"

namespace aaren::fuzz {
namespace {

void RunTensors(absl::string_view bytes) {
  const auto tensors = package::ParseSafetensors(bytes);
  if (!tensors.ok()) return;
  const auto again = package::ParseSafetensors(package::FormatSafetensors(*tensors));
  Must(again.ok(), "tensors that were written are refused");
  Must(package::FormatSafetensors(*again) == package::FormatSafetensors(*tensors), "tensors come back as others");
}

}  // namespace

void RunPackage(absl::string_view bytes) {
  const size_t end = std::min(bytes.find('\0'), bytes.size());
  (void)package::ParseManifest(bytes.substr(0, end));
  RunTensors(bytes.substr(std::min(end + 1, bytes.size())));
}

}  // namespace aaren::fuzz
