#ifndef AAREN_MODEL_ENGINE_EVENTS_EVENT_PACKAGE_H_
#define AAREN_MODEL_ENGINE_EVENTS_EVENT_PACKAGE_H_

// A forecaster of events on disk: a folder with model.json (kind "events") and weights.safetensors.
//
// Loading trusts nothing: names, shapes, finite values and the weights' SHA-256 are checked, and the error names the
// file and the tensor or field. Threading: a plain value.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/package/package.h"

namespace aaren::events {

// The number of the network's meaning of inputs and outputs. The number changes when earlier weights would be wrong.
inline constexpr int kEventInputVersion = 1;

struct EventPackage {
  std::string name = "aaren-events";
  int version = 1;
  std::string description;
  std::map<std::string, package::Tensor> tensors;
  std::map<std::string, std::string> training;  // free text: seed, steps, losses
  std::string digest;                           // hex sha256 of both files' contents; set by Load and Save
};

// The name and shape of every tensor.
std::map<std::string, std::vector<int64_t>> EventTensors();

// NotFound if the folder or a file is missing, InvalidArgument for wrong content, DataLoss if the weights differ from
// their hash.
absl::StatusOr<EventPackage> LoadEventPackage(const std::string& folder);

// Writes both files, each replaced in one rename, and sets package.digest. InvalidArgument for wrong tensors,
// Unavailable if a file cannot be written.
absl::Status SaveEventPackage(const std::string& folder, EventPackage& package);

}  // namespace aaren::events

#endif  // AAREN_MODEL_ENGINE_EVENTS_EVENT_PACKAGE_H_
