#ifndef AAREN_TESTS_MODEL_ATTENTION_PEAK_MEMORY_H_
#define AAREN_TESTS_MODEL_ATTENTION_PEAK_MEMORY_H_

// PeakMemory sees every tensor that a thread allocates and frees, for tests of how memory grows with the tokens.

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <cstdint>
#include <memory>

namespace aaren::attention {

class PeakMemory : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void*, int64_t bytes, size_t, size_t, c10::Device) override {
    live_ += bytes;
    peak_ = std::max(peak_, live_);
  }
  bool memoryProfilingEnabled() const override { return true; }

  int64_t peak() const { return peak_; }

 private:
  int64_t live_ = 0, peak_ = 0;
};

// The most bytes that the tensors made by `work` on this thread occupy at once.
template <typename Work>
int64_t PeakBytes(Work work) {
  const auto memory = std::make_shared<PeakMemory>();
  c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, memory);
  work();
  return memory->peak();
}

}  // namespace aaren::attention

#endif  // AAREN_TESTS_MODEL_ATTENTION_PEAK_MEMORY_H_
