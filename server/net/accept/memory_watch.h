#ifndef AAREN_SERVER_NET_ACCEPT_MEMORY_WATCH_H_
#define AAREN_SERVER_NET_ACCEPT_MEMORY_WATCH_H_

// A MemoryWatch tells when the process holds more memory than it may, and grows. The clients connected now have not
// filled a server that does not grow. Threading: not thread-safe.

#include <cstddef>
#include <functional>

#include "absl/time/time.h"

namespace aaren::accept {

class MemoryWatch {
 public:
  // `excess`: by how many bytes the process holds more than it may; null: never.
  explicit MemoryWatch(std::function<size_t()> excess) : excess_(std::move(excess)) {}

  // Measures every 5 ms: floods of frames bring a gigabyte a second. True if the process holds too much, and has grown
  // by more than 2 MiB since Grows was true, or since the least excess.
  bool Grows(absl::Time now);

 private:
  const std::function<size_t()> excess_;
  size_t level_ = 0;  // the excess from which growth counts
  absl::Time next_ = absl::InfinitePast(), next_trim_ = absl::InfinitePast();
};

}  // namespace aaren::accept

#endif  // AAREN_SERVER_NET_ACCEPT_MEMORY_WATCH_H_
