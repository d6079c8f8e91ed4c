#ifndef AAREN_SERVER_ACCEPT_HEARD_H_
#define AAREN_SERVER_ACCEPT_HEARD_H_

// Heard is what the acceptor is told of one connection by the shard that has it. Threading: any thread.

#include <atomic>
#include <cstdint>

namespace aaren::accept {

class Heard {
 public:
  // A call of it began.
  void NoteBegun(int64_t now_ns) {
    if (ns() <= 0) ns_.store(-now_ns, std::memory_order_relaxed);
    calls_.fetch_add(1, std::memory_order_relaxed);
  }

  // Something that a call of it sent was handled.
  void NoteHandled(int64_t now_ns) { ns_.store(now_ns, std::memory_order_relaxed); }

  // When something was last handled, by the clock that never steps; until then less than zero from when the first call
  // begins.
  int64_t ns() const { return ns_.load(std::memory_order_relaxed); }

  uint64_t calls() const { return calls_.load(std::memory_order_relaxed); }  // that began

 private:
  std::atomic<int64_t> ns_{0};
  std::atomic<uint64_t> calls_{0};
};

}  // namespace aaren::accept

#endif  // AAREN_SERVER_ACCEPT_HEARD_H_
