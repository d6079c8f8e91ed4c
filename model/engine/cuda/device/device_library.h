#ifndef AAREN_MODEL_ENGINE_CUDA_DEVICE_DEVICE_LIBRARY_H_
#define AAREN_MODEL_ENGINE_CUDA_DEVICE_DEVICE_LIBRARY_H_

// Finds and loads the shared library with the engine's kernel for GPUs, libaaren_engine_cuda.so. The library is
// searched in
//   the file named by the environment variable AAREN_ENGINE_PLUGIN, and nowhere else if the variable is set;
//   the folder of the running program, then lib/ beside that folder, as builds and installations lay the library out.
// A program without the library is complete except for the GPU.
//
// Every error is FailedPrecondition and says what is missing and where the search looked. Threading: any thread may
// call. A library stays loaded until the program ends.

#include <string>

#include "absl/status/statusor.h"
#include "model/engine/cuda/device/device.h"

namespace aaren::engine {

// Loads one file and checks the version of its table. No GPU is needed.
absl::StatusOr<const DeviceTable*> OpenDeviceLibrary(const std::string& path);

// Finds this program's library and a GPU that the kernel can run on. Later calls return the result of the first.
absl::StatusOr<const DeviceTable*> UsableGpu();

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CUDA_DEVICE_DEVICE_LIBRARY_H_
