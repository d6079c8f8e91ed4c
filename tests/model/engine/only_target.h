#ifndef AAREN_TESTS_MODEL_ENGINE_ONLY_TARGET_H_
#define AAREN_TESTS_MODEL_ENGINE_ONLY_TARGET_H_

// The kernels of one instruction set of this CPU, for tests that compare them.

#include <cstdint>
#include <vector>

namespace aaren::engine {

// While it lives, every kernel is that of `target`, one of Highway's.
class OnlyTarget {
 public:
  explicit OnlyTarget(int64_t target);
  ~OnlyTarget();
};

// Those that this CPU has, the kernels are compiled for, and have a fused multiply-add.
std::vector<int64_t> ExactTargets();

}  // namespace aaren::engine

#endif  // AAREN_TESTS_MODEL_ENGINE_ONLY_TARGET_H_
