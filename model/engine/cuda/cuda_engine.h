#ifndef AAREN_MODEL_ENGINE_CUDA_CUDA_ENGINE_H_
#define AAREN_MODEL_ENGINE_CUDA_CUDA_ENGINE_H_

// The engine of tier `exact` whose network is computed on a GPU: the same rows, forecasts and bits as in cpu/. Batches
// are under way after Submit. README.md here tells the GPU's part of the work from the CPU's part.

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "model/engine/cuda/device/device.h"
#include "model/engine/cuda/stream/form_choice.h"
#include "model/engine/engine.h"
#include "model/package/package.h"

namespace aaren::engine {

// Makes the engine for a package that LoadPackage accepted. FailedPrecondition if the library, the driver or the GPU is
// missing, or the CPU has no FMA; the error names the fault. ResourceExhausted if the GPU does not hold the network.
// Internal if the GPU's bits differ from the CPU's in a trial (trial.h) of some 200 ms.
absl::StatusOr<std::unique_ptr<Engine>> NewCudaEngine(const package::ModelPackage& package);

// Makes the engine on any device, with errors as above. REQUIRES: `table` outlives the engine.
absl::StatusOr<std::unique_ptr<Engine>> NewDeviceEngine(const package::ModelPackage& package, const DeviceTable& table,
                                                        KernelUse use = KernelUse::kBest);

// The GPU that NewCudaEngine takes, in words: "NVIDIA H100, 80 GB". FailedPrecondition as above.
absl::StatusOr<std::string> DescribeGpu();

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CUDA_CUDA_ENGINE_H_
