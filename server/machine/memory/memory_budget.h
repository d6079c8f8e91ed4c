#ifndef AAREN_SERVER_MACHINE_MEMORY_MEMORY_BUDGET_H_
#define AAREN_SERVER_MACHINE_MEMORY_MEMORY_BUDGET_H_

// The MemoryBudget bounds the memory of sessions: their rows and facts, and their saves in a store of memory. Memory
// held by streams and calls for a moment has limits of its own (server/net/rpc/limits/stream_limits.h), set aside from
// the whole first; server/README.md has the list.
//
// Threading: any thread.

#include <array>
#include <atomic>
#include <cstddef>

namespace aaren::memory {

class MemoryBudget {
 public:
  enum class Use { kSessions, kSaves };

  explicit MemoryBudget(size_t limit) : limit_(limit) {}

  // False, with nothing taken, if `bytes` would exceed the limit.
  bool TryTake(Use use, size_t bytes) {
    size_t total = total_.load(std::memory_order_relaxed);
    do {
      if (total > limit_ || bytes > limit_ - total) return false;
    } while (!total_.compare_exchange_weak(total, total + bytes, std::memory_order_relaxed));
    used_[static_cast<size_t>(use)].fetch_add(bytes, std::memory_order_relaxed);
    return true;
  }

  // Takes `bytes` despite the limit: for a replacement of a larger piece, which is given back next.
  void Take(Use use, size_t bytes) {
    total_.fetch_add(bytes, std::memory_order_relaxed);
    used_[static_cast<size_t>(use)].fetch_add(bytes, std::memory_order_relaxed);
  }

  void Give(Use use, size_t bytes) {
    used_[static_cast<size_t>(use)].fetch_sub(bytes, std::memory_order_relaxed);
    total_.fetch_sub(bytes, std::memory_order_relaxed);
  }

  size_t used(Use use) const { return used_[static_cast<size_t>(use)].load(std::memory_order_relaxed); }
  size_t limit() const { return limit_; }

 private:
  const size_t limit_;
  std::atomic<size_t> total_{0};  // above limit_ only within a Take
  std::array<std::atomic<size_t>, 2> used_{};
};

}  // namespace aaren::memory

#endif  // AAREN_SERVER_MACHINE_MEMORY_MEMORY_BUDGET_H_
