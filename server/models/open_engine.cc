#include "server/models/open_engine.h"

#include "absl/strings/str_cat.h"
#include "model/engine/cpu/cpu_engine.h"

namespace aaren::models {

absl::Status CheckEngine(const std::string& name) {
  if (name == kDefaultEngine || name == "cpu") return absl::OkStatus();
  if (name == "cuda") return absl::InvalidArgumentError("this build has no CUDA backend; there is cpu");
  return absl::InvalidArgumentError(absl::StrCat("no engine '", name, "'; there is cpu, and auto picks one"));
}

absl::StatusOr<std::unique_ptr<engine::Engine>> OpenEngine(const std::string& name,
                                                           const package::ModelPackage& package) {
  if (absl::Status status = CheckEngine(name); !status.ok()) return status;
  return engine::NewCpuEngine(package);
}

}  // namespace aaren::models
