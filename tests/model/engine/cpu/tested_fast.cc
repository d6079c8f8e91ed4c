#include "model/engine/cpu/cpu_engine.h"
#include "tests/model/engine/tested_engine.h"

namespace aaren::engine {

absl::StatusOr<std::unique_ptr<Engine>> NewTestedEngine(const package::ModelPackage& package) {
  return NewCpuEngine(package, Tier::kFast);
}

bool TestsEmulation() { return false; }

}  // namespace aaren::engine
