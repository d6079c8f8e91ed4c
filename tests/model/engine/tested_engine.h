#ifndef AAREN_TESTS_MODEL_ENGINE_TESTED_ENGINE_H_
#define AAREN_TESTS_MODEL_ENGINE_TESTED_ENGINE_H_

// The engine under test. Programs link one of two: the CPU's (cpu/tested_cpu.cc), or the engine of an emulated device
// (cuda/tested_device.cc). Both must keep the same promises and give the same bits.

#include <memory>

#include "absl/status/statusor.h"
#include "model/engine/engine.h"
#include "model/package/package.h"

namespace aaren::engine {

absl::StatusOr<std::unique_ptr<Engine>> NewTestedEngine(const package::ModelPackage& package);

// True if the engine is emulated. Tests of other CPU kernels, or tests that would take minutes, are then skipped.
bool TestsEmulation();

}  // namespace aaren::engine

#endif  // AAREN_TESTS_MODEL_ENGINE_TESTED_ENGINE_H_
