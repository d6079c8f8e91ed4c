#ifndef AAREN_SERVER_MACHINE_CORES_PERIODIC_H_
#define AAREN_SERVER_MACHINE_CORES_PERIODIC_H_

// A Periodic calls a task again and again, on a thread of its own, until the Periodic is destroyed. A pause is measured
// by the monotonic clock: a wall clock that is set back makes no pause longer. Threading: made and destroyed by
// anybody.

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/time/time.h"

namespace aaren::cores {

class Periodic {
 public:
  // The task says how long to wait until the next call; the first call comes after `first`.
  Periodic(absl::Duration first, std::function<absl::Duration()> task)
      : task_(std::move(task)), thread_([this, first] { Run(first); }) {}
  ~Periodic();  // after the call under way

 private:
  void Run(absl::Duration pause);

  const std::function<absl::Duration()> task_;
  std::mutex mutex_;  // not Abseil's: that waits by the wall clock
  std::condition_variable stop_;
  bool stopping_ = false;  // guarded by mutex_
  std::thread thread_;     // the last member: the thread uses all members
};

}  // namespace aaren::cores

#endif  // AAREN_SERVER_MACHINE_CORES_PERIODIC_H_
