#ifndef AAREN_MODEL_ENGINE_CPU_CPU_ENGINE_H_
#define AAREN_MODEL_ENGINE_CPU_CPU_ENGINE_H_

// The engine on this machine's CPU, of any tier. A batch is done when Submit returns.

#include <memory>

#include "absl/status/statusor.h"
#include "model/engine/engine.h"
#include "model/engine/tier.h"
#include "model/package/package.h"

namespace aaren::engine {

// Makes the engine. FailedPrecondition on a CPU without FMA, for a tier that the package's kind of model does not have,
// and in the extended tier for a model whose horizon leaves nothing to extend; InvalidArgument, naming the tensor, for
// weights that the kind's task refuses. REQUIRES: LoadPackage accepted the package.
absl::StatusOr<std::unique_ptr<Engine>> NewCpuEngine(const package::ModelPackage& package, Tier tier = Tier::kExact);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CPU_CPU_ENGINE_H_
