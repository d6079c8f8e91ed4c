#ifndef AAREN_TESTS_BENCH_ENGINE_EAGER_STEP_H_
#define AAREN_TESTS_BENCH_ENGINE_EAGER_STEP_H_

// The baseline: a token's way through the network in LibTorch's eager tensor operations, single-threaded.
//
// A fair baseline: inference mode, scores folded, layers with the same input in a single product, states in float. It
// lacks the input, naive forecasts and calibration, to its advantage. Threading: single-threaded.

#include <cstddef>
#include <memory>

#include "model/package/package.h"

namespace aaren::bench {

class EagerStep {
 public:
  virtual ~EagerStep() = default;

  // Steps a token of each of `batch` sessions, `calls` times. The first call with a `batch` also makes the sessions,
  // which later calls step on: callers do not time the first call.
  virtual void Step(size_t batch, int calls) = 0;
};

// Null in a build without LibTorch.
std::unique_ptr<EagerStep> NewEagerStep(const package::ModelPackage& package);

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_ENGINE_EAGER_STEP_H_
