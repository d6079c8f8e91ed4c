#ifndef AAREN_TESTS_BENCH_ENGINE_STEP_SHAPE_H_
#define AAREN_TESTS_BENCH_ENGINE_STEP_SHAPE_H_

// The models that the step engine is measured with: the bundled one, and plain ones of random weights.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/package/package.h"

namespace aaren::bench {

struct StepShape {
  std::string name;  // bundled or plain
  package::ModelPackage package;
};

// NotFound without the bundled model.
absl::StatusOr<std::vector<StepShape>> StepShapes();

// Of the products that one forecast takes: two for each weight of a matrix.
double FlopPerToken(const package::ModelPackage& package);

// Of those weights as the engine keeps them for a few tokens: two each where all of a matrix are a bfloat16.
size_t WeightBytes(const package::ModelPackage& package);

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_ENGINE_STEP_SHAPE_H_
