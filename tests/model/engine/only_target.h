#ifndef AAREN_TESTS_MODEL_ENGINE_ONLY_TARGET_H_
#define AAREN_TESTS_MODEL_ENGINE_ONLY_TARGET_H_

// The kernels of a single instruction set of the CPU, for tests that compare kernels.

#include <cstdint>
#include <vector>

namespace aaren::engine {

// While an OnlyTarget exists, every kernel is the kernel of `target`, a target of Highway.
class OnlyTarget {
 public:
  explicit OnlyTarget(int64_t target);
  ~OnlyTarget();
};

// The targets of this CPU that have kernels and a fused multiply-add.
std::vector<int64_t> ExactTargets();

}  // namespace aaren::engine

#endif  // AAREN_TESTS_MODEL_ENGINE_ONLY_TARGET_H_
