#ifndef AAREN_TESTS_BENCH_ENGINE_BUNDLED_RATE_H_
#define AAREN_TESTS_BENCH_ENGINE_BUNDLED_RATE_H_

// The speed of forecasts by the step engine alone with the bundled model. Threading: one thread.

#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace aaren::bench {

class BundledRate {
 public:
  virtual ~BundledRate() = default;

  // NotFound without the bundled model.
  static absl::StatusOr<std::unique_ptr<BundledRate>> New();

  // Works for `duration`: forecasts of 64 of 1,000 sessions a call.
  virtual double TokensPerSecond(absl::Duration duration) = 0;
};

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_ENGINE_BUNDLED_RATE_H_
