#ifndef AAREN_SERVER_MACHINE_CORES_BACKGROUND_H_
#define AAREN_SERVER_MACHINE_CORES_BACKGROUND_H_

// A Background is one thread for tasks that the owner's thread must not wait for, done in order. The thread exists from
// the beginning: a process at its limit of threads can make no thread later, least of all while the process leaves.
// Threading: any thread may post.

#include <deque>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/synchronization/mutex.h"

namespace aaren::cores {

class Background {
 public:
  using Task = absl::AnyInvocable<void()>;

  Background() : thread_([this] { Run(); }) {}
  ~Background();  // after every posted task

  void Post(Task task) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void Run() ABSL_LOCKS_EXCLUDED(mutex_);
  bool called() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return ending_ || !tasks_.empty(); }

  absl::Mutex mutex_;
  std::deque<Task> tasks_ ABSL_GUARDED_BY(mutex_);
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // the last member: the thread uses all members
};

}  // namespace aaren::cores

#endif  // AAREN_SERVER_MACHINE_CORES_BACKGROUND_H_
