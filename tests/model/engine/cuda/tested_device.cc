#include "model/engine/cuda/cuda_engine.h"
#include "tests/model/engine/cuda/emulated_device.h"
#include "tests/model/engine/tested_engine.h"

namespace aaren::engine {

absl::StatusOr<std::unique_ptr<Engine>> NewTestedEngine(const package::ModelPackage& package) {
  return NewDeviceEngine(package, EmulatedDevice());
}

bool TestsEmulation() { return true; }

}  // namespace aaren::engine
