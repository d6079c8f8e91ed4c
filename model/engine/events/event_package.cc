#include "model/engine/events/event_package.h"

#include "absl/strings/str_cat.h"
#include "model/engine/events/memory.h"
#include "model/engine/events/sizes.h"

namespace aaren::events {

std::map<std::string, std::vector<int64_t>> EventTensors() {
  constexpr int64_t kIn = kInputs, kD = kWidth, kV = kValueWidth, kF = kHidden, kH = kHeads;
  std::map<std::string, std::vector<int64_t>> shapes = {{"input.weight", {kD, kIn}},
                                                        {"input.bias", {kD}},
                                                        {"input_mlp.gate.weight", {kF, kIn}},
                                                        {"input_mlp.up.weight", {kF, kIn}},
                                                        {"input_mlp.down.weight", {kD, kF}},
                                                        {"norm.weight", {kD}},
                                                        {"time.weight", {kTimeNumbers, kD}},
                                                        {"time.bias", {kTimeNumbers}},
                                                        {"mark_input.weight", {kMarkHidden, kMarkInputs}},
                                                        {"mark_token.weight", {kMarkHidden, kD}},
                                                        {"mark_token.bias", {kMarkHidden}},
                                                        {"mark_hidden.weight", {1, kMarkHidden}},
                                                        {"mark_line.weight", {kMarkInputs, kD}},
                                                        {"mark_line.bias", {kMarkInputs}},
                                                        {"mark_new.weight", {1, kD}},
                                                        {"mark_new.bias", {1}}};
  for (size_t k = 0; k < kBlocks; ++k) {
    const std::string block = absl::StrCat("blocks.", k, ".");
    shapes[block + "norm1.weight"] = shapes[block + "norm2.weight"] = {kD};
    shapes[block + "attention.score.weight"] = {kH, kD};
    shapes[block + "attention.value.weight"] = {kV, kD};
    shapes[block + "attention.gate.weight"] = {kV, kD};
    shapes[block + "attention.gate.bias"] = {kV};
    shapes[block + "attention.output.weight"] = {kD, kV};
    shapes[block + "attention.log_decay"] = {kH};
    shapes[block + "mlp.gate.weight"] = shapes[block + "mlp.up.weight"] = {kF, kD};
    shapes[block + "mlp.down.weight"] = {kD, kF};
  }
  return shapes;
}

absl::Status CheckEventPackage(const EventPackage& package) {
  if (package.kind != package::kEvents) {
    return absl::InvalidArgumentError(absl::StrCat("kind is \"", package.kind, "\", not \"", package::kEvents, "\""));
  }
  if (package.input_version != kEventInputVersion) {
    return absl::InvalidArgumentError(
        absl::StrCat("input_version is ", package.input_version, "; this program has ", kEventInputVersion));
  }
  return package::CheckShapes(package, EventTensors());
}

absl::StatusOr<EventPackage> LoadEventPackage(const std::string& folder) {
  absl::StatusOr<EventPackage> package = package::LoadPackage(folder);
  if (!package.ok()) return package;
  if (absl::Status status = CheckEventPackage(*package); !status.ok()) {
    return absl::Status(status.code(), absl::StrCat(folder, ": ", status.message()));
  }
  return package;
}

absl::Status SaveEventPackage(const std::string& folder, EventPackage& package) {
  package.kind = package::kEvents;
  package.input_version = kEventInputVersion;
  if (absl::Status status = CheckEventPackage(package); !status.ok()) return status;
  return package::SavePackage(folder, package);
}

}  // namespace aaren::events
