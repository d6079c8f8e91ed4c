#include "server/machine/memory/memory_watch.h"

#include <malloc.h>

#include <algorithm>

namespace aaren::memory {

// The heap keeps freed memory until malloc_trim, and nobody allocates meanwhile: hence not at every look.
bool MemoryWatch::Grows(absl::Time now) {
  if (!excess_ || now < next_) return false;
  next_ = now + absl::Milliseconds(5);
  size_t excess = excess_();
  if (excess > 0 && now >= next_trim_) {
    next_trim_ = now + absl::Milliseconds(20);
    malloc_trim(0);
    excess = excess_();
  }
  is_short_ = excess > 0;
  level_ = std::min(level_, excess);
  if (excess <= level_ + kGrowth) return false;
  level_ = excess;
  return true;
}

}  // namespace aaren::memory
