#ifndef AAREN_SERVER_RPC_EXECUTOR_CLOCK_H_
#define AAREN_SERVER_RPC_EXECUTOR_CLOCK_H_

// An ExecutorClock tells how long gRPC's own threads have worked. It gives them what two threads want of one connection
// at a time, reading it on and on included, and has no word for that: they are known by their names.
//
// Threading: belongs to one thread.

#include <cstdint>
#include <map>

#include "absl/time/time.h"
#include "server/session/clock.h"

namespace aaren::rpc {

class ExecutorClock {
 public:
  explicit ExecutorClock(const session::Clock& clock) : clock_(clock) {}

  // Of their processor time, since they began; of those that there are. New threads are looked for five times a second.
  int64_t worked_ns();

 private:
  struct Thread {
    int looks = 0;
    bool executor = false;
  };
  void Find();

  const session::Clock& clock_;
  absl::Time next_find_ = absl::InfinitePast();
  std::map<int, Thread> threads_;  // of this process
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_EXECUTOR_CLOCK_H_
