#ifndef AAREN_SERVER_MACHINE_MEMORY_MEMORY_WATCH_H_
#define AAREN_SERVER_MACHINE_MEMORY_MEMORY_WATCH_H_

// A MemoryWatch tells when the process holds more memory than it may, and grows. A server that is full and does not
// grow is nobody's fault: the clients connected now have not filled the memory. Threading: not thread-safe.

#include <cstddef>
#include <functional>

#include "absl/time/time.h"

namespace aaren::memory {

class MemoryWatch {
 public:
  static constexpr size_t kGrowth = 2 << 20;  // bytes

  // `excess`: by how many bytes the process holds more than it may; null: never.
  explicit MemoryWatch(std::function<size_t()> excess) : excess_(std::move(excess)) {}

  // Measures every 5 ms: floods of frames bring a gigabyte a second. True if memory is short, and has grown by more
  // than kGrowth since Grows was true, or since the least excess.
  bool Grows(absl::Time now);

  bool is_short() const { return is_short_; }

 private:
  const std::function<size_t()> excess_;
  bool is_short_ = false;
  size_t level_ = 0;  // the excess from which growth counts
  absl::Time next_ = absl::InfinitePast(), next_trim_ = absl::InfinitePast();
};

}  // namespace aaren::memory

#endif  // AAREN_SERVER_MACHINE_MEMORY_MEMORY_WATCH_H_
