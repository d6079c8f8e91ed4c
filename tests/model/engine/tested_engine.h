#ifndef AAREN_TESTS_MODEL_ENGINE_TESTED_ENGINE_H_
#define AAREN_TESTS_MODEL_ENGINE_TESTED_ENGINE_H_

// The engine that the tests of engines run on. Programs link one of two: the CPU's (cpu/tested_cpu.cc), or that of an
// emulated device (cuda/tested_device.cc), which must keep to the same promises and give the same bits.

#include <memory>

#include "absl/status/statusor.h"
#include "model/engine/engine.h"
#include "model/package/package.h"

namespace aaren::engine {

absl::StatusOr<std::unique_ptr<Engine>> NewTestedEngine(const package::ModelPackage& package);

// Whether a test is better left out that looks at other kernels of the CPU, or that would take minutes.
bool TestsEmulation();

}  // namespace aaren::engine

#endif  // AAREN_TESTS_MODEL_ENGINE_TESTED_ENGINE_H_
