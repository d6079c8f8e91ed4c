#ifndef AAREN_TESTS_BENCH_ENGINE_STEP_SHAPE_H_
#define AAREN_TESTS_BENCH_ENGINE_STEP_SHAPE_H_

// The models for measuring the step engine: the bundled model, and plain models of random weights.

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

// Operations of one forecast's products: two for each weight of a matrix.
double FlopPerToken(const package::ModelPackage& package);

// Bytes of the matrices' weights in the engine for a few tokens: two a weight if a whole matrix is bfloat16.
size_t WeightBytes(const package::ModelPackage& package);

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_ENGINE_STEP_SHAPE_H_
