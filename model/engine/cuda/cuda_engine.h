#ifndef AAREN_MODEL_ENGINE_CUDA_CUDA_ENGINE_H_
#define AAREN_MODEL_ENGINE_CUDA_CUDA_ENGINE_H_

// The engine of tier `exact` whose network is computed on a GPU: the same rows, forecasts and bits as cpu/'s. Its
// batches are under way after Submit. README.md here says what the GPU does and what the CPU still does.

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "model/engine/cuda/device/device.h"
#include "model/engine/cuda/stream/form_choice.h"
#include "model/engine/engine.h"
#include "model/package/package.h"

namespace aaren::engine {

// For a package that LoadPackage accepted. FailedPrecondition naming what is missing: the library, the driver, the GPU;
// or a CPU without FMA, which the rest is computed on. ResourceExhausted if the GPU does not hold the network. Internal
// if it does not give the CPU's bits in a trial (trial.h), which takes some 200 ms.
absl::StatusOr<std::unique_ptr<Engine>> NewCudaEngine(const package::ModelPackage& package);

// On any device of such a table, which outlives the engine. As above.
absl::StatusOr<std::unique_ptr<Engine>> NewDeviceEngine(const package::ModelPackage& package, const DeviceTable& table,
                                                        KernelUse use = KernelUse::kBest);

// The GPU that NewCudaEngine takes, in words: "NVIDIA H100, 80 GB". FailedPrecondition as above.
absl::StatusOr<std::string> DescribeGpu();

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CUDA_CUDA_ENGINE_H_
