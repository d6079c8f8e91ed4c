#ifndef AAREN_TESTS_BENCH_ENGINE_STEP_CASES_H_
#define AAREN_TESTS_BENCH_ENGINE_STEP_CASES_H_

// The engines under measurement: each model (step_shape.h) with each arithmetic of this CPU.
//
// The exact tier comes by each instruction set of the CPU, the fast tier by AMX and by the best set without. During a
// measurement every kernel uses the case's instruction set, the roofs' too.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/engine/engine.h"
#include "model/engine/tier.h"
#include "tests/bench/bench.h"
#include "tests/bench/engine/step_shape.h"

namespace aaren::bench {

// How a model is computed.
struct Arithmetic {
  engine::Tier tier;
  int64_t target;  // Highway's, for work without AMX
  bool amx;

  std::string isa() const;  // REQUIRES: its kernels are now chosen
};

struct StepCase {
  const StepShape& shape;
  const Arithmetic& arithmetic;
  const engine::Engine& engine;
};

// The rows of every case, grouped by model.
absl::StatusOr<std::vector<Row>> ForEachStepCase(const std::function<std::vector<Row>(const StepCase&)>& measure);

// The columns that name the case.
Row DescribeCase(const StepCase& of);

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_ENGINE_STEP_CASES_H_
