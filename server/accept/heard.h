#ifndef AAREN_SERVER_ACCEPT_HEARD_H_
#define AAREN_SERVER_ACCEPT_HEARD_H_

// Heard says when a shard last handled something of a connection. Threading: any thread.

#include <atomic>
#include <cstdint>

namespace aaren::accept {

class Heard {
 public:
  // Notes that a call began, or that a message of a call was handled or taken. `now_ns`: by the clock that never steps.
  void Note(int64_t now_ns) { ns_.store(now_ns, std::memory_order_relaxed); }

  // Zero until the first call begins.
  int64_t ns() const { return ns_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> ns_{0};
};

}  // namespace aaren::accept

#endif  // AAREN_SERVER_ACCEPT_HEARD_H_
