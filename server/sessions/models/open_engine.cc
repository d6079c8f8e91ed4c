#include "server/sessions/models/open_engine.h"

#include "absl/strings/str_cat.h"
#include "model/engine/cpu/cpu_engine.h"
#include "model/engine/cuda/cuda_engine.h"
#include "model/engine/network/amx.h"
#include "server/operate/log/log.h"

namespace aaren::models {
namespace {

constexpr char kCpu[] = "cpu", kGpu[] = "cuda";

// `no_gpu`: why the device is no GPU, if a GPU was asked for.
void LogChoice(const package::ModelPackage& package, const std::string& device, const absl::Status& no_gpu) {
  if (no_gpu.ok()) {
    log::Log(log::LogLevel::kInfo, "engine chosen", {{"model", package.name}, {"device", device}});
  } else {
    log::Log(log::LogLevel::kInfo, "engine chosen",
             {{"model", package.name}, {"device", device}, {"no_gpu", std::string(no_gpu.message())}});
  }
}

absl::StatusOr<std::unique_ptr<engine::Engine>> OpenOnGpu(const package::ModelPackage& package) {
  const absl::StatusOr<std::string> gpu = engine::DescribeGpu();
  if (!gpu.ok()) return gpu.status();
  absl::StatusOr<std::unique_ptr<engine::Engine>> engine = engine::NewCudaEngine(package);
  if (engine.ok()) LogChoice(package, *gpu, absl::OkStatus());
  return engine;
}

}  // namespace

absl::Status CheckEngine(const std::string& name) {
  if (name == kDefaultEngine || name == kCpu) return absl::OkStatus();
  if (name == kGpu) return engine::DescribeGpu().status();
  return absl::InvalidArgumentError(absl::StrCat("no engine '", name, "'; there are cpu and cuda, and auto picks one"));
}

absl::StatusOr<std::unique_ptr<engine::Engine>> OpenEngine(const std::string& name,
                                                           const package::ModelPackage& package) {
  if (absl::Status status = CheckEngine(name); !status.ok()) return status;
  absl::Status no_gpu;
  const bool has_kernel = package.kind == package::kForecaster;
  if (name != kCpu && has_kernel) {
    absl::StatusOr<std::unique_ptr<engine::Engine>> on_gpu = OpenOnGpu(package);
    // `auto` goes on with the CPU; `cuda` is refused without a GPU.
    if (on_gpu.ok() || name == kGpu) return on_gpu;
    no_gpu = on_gpu.status();
  }
  LogChoice(package, kCpu, no_gpu);
  return engine::NewCpuEngine(package);
}

absl::StatusOr<Engines> OpenEngines(const std::string& name, engine::Tier tier, const package::ModelPackage& package) {
  absl::StatusOr<std::unique_ptr<engine::Engine>> exact = OpenEngine(name, package);
  if (!exact.ok()) return exact.status();
  if (package.kind != package::kForecaster) return Engines{*std::move(exact), {}};
  // Both tiers are loaded: every session goes on in the arithmetic of its beginning.
  absl::StatusOr<std::unique_ptr<engine::Engine>> fast = engine::NewCpuEngine(package, engine::Tier::kFast);
  if (!fast.ok()) return fast.status();
  absl::StatusOr<std::unique_ptr<engine::Engine>> extended = engine::NewCpuEngine(package, engine::Tier::kExtended);
  // A model with a very long horizon has nothing to extend.
  if (!extended.ok() && !absl::IsFailedPrecondition(extended.status())) return extended.status();
  const auto engines = [&extended](auto& offered, auto& other) {
    Engines all{*std::move(offered), {}};
    all.others.push_back(*std::move(other));
    if (extended.ok()) all.others.push_back(*std::move(extended));
    return all;
  };
  if (tier == engine::Tier::kExact) return engines(exact, fast);
  if (engine::MayUseAmx()) {
    log::Log(log::LogLevel::kInfo, "new sessions are of the tier fast", {{"model", package.name}});
    return engines(fast, exact);
  }
  log::Log(log::LogLevel::kWarning,
           "new sessions are of the tier exact: this CPU has no AMX, or the kernel grants none",
           {{"model", package.name}});
  return engines(exact, fast);
}

}  // namespace aaren::models
