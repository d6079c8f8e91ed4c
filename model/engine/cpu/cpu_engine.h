#ifndef AAREN_MODEL_ENGINE_CPU_CPU_ENGINE_H_
#define AAREN_MODEL_ENGINE_CPU_CPU_ENGINE_H_

// The engine of tier `exact` on this machine's CPU. Its batches are done when Submit returns.

#include <memory>

#include "absl/status/statusor.h"
#include "model/engine/engine.h"
#include "model/package/package.h"

namespace aaren::engine {

// For a package that LoadPackage accepted. FailedPrecondition on a CPU without FMA.
absl::StatusOr<std::unique_ptr<Engine>> NewCpuEngine(const package::ModelPackage& package);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CPU_CPU_ENGINE_H_
