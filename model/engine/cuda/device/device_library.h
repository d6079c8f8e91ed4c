#ifndef AAREN_MODEL_ENGINE_CUDA_DEVICE_DEVICE_LIBRARY_H_
#define AAREN_MODEL_ENGINE_CUDA_DEVICE_DEVICE_LIBRARY_H_

// Finds and loads the shared library with the engine's kernel for GPUs, libaaren_engine_cuda.so. It is looked for in
//   the file that the environment variable AAREN_ENGINE_PLUGIN names, and nowhere else if it is set;
//   the folder of the running program, then lib/ beside that folder, as builds and installations lay it out.
// A program without it is complete but for the GPU.
//
// Every error is FailedPrecondition and says what is missing and where it was looked for. Threading: all may be called
// from any thread. A library stays loaded until the program ends.

#include <string>

#include "absl/status/statusor.h"
#include "model/engine/cuda/device/device.h"

namespace aaren::engine {

// Loads one file and checks that it is of this version. It need not find a GPU.
absl::StatusOr<const DeviceTable*> OpenDeviceLibrary(const std::string& path);

// That of this program, together with a GPU that it can run on. It is looked for at the first call; later ones give the
// same.
absl::StatusOr<const DeviceTable*> UsableGpu();

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CUDA_DEVICE_DEVICE_LIBRARY_H_
