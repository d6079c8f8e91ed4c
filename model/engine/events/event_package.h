#ifndef AAREN_MODEL_ENGINE_EVENTS_EVENT_PACKAGE_H_
#define AAREN_MODEL_ENGINE_EVENTS_EVENT_PACKAGE_H_

// A forecaster of events on disk: a package of kind "events" (model/package/package.h). The package brings files,
// hashes and finite weights; this page brings the names and shapes of the tensors.

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

using EventPackage = package::ModelPackage;

// The name and shape of every tensor.
std::map<std::string, std::vector<int64_t>> EventTensors();

// InvalidArgument, naming the field or tensor, if the package is none of a forecaster of events.
absl::Status CheckEventPackage(const EventPackage& package);

// The errors are those of package::LoadPackage and CheckEventPackage.
absl::StatusOr<EventPackage> LoadEventPackage(const std::string& folder);

// Sets kind, input version and digest, and writes the package as package::SavePackage does. InvalidArgument for wrong
// tensors.
absl::Status SaveEventPackage(const std::string& folder, EventPackage& package);

}  // namespace aaren::events

#endif  // AAREN_MODEL_ENGINE_EVENTS_EVENT_PACKAGE_H_
