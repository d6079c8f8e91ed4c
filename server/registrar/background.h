#ifndef AAREN_SERVER_REGISTRAR_BACKGROUND_H_
#define AAREN_SERVER_REGISTRAR_BACKGROUND_H_

// A Background is one thread for what computes for longer than the registrar may be kept waiting. It starts with the
// first task and does one after another. Threading: any thread may post.

#include <deque>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/synchronization/mutex.h"

namespace aaren::registrar {

class Background {
 public:
  using Task = absl::AnyInvocable<void()>;

  Background() = default;
  ~Background();  // after all that was posted

  void Post(Task task) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void Run() ABSL_LOCKS_EXCLUDED(mutex_);
  bool called() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return ending_ || !tasks_.empty(); }

  absl::Mutex mutex_;
  std::deque<Task> tasks_ ABSL_GUARDED_BY(mutex_);
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_ ABSL_GUARDED_BY(mutex_);  // none before the first task
};

}  // namespace aaren::registrar

#endif  // AAREN_SERVER_REGISTRAR_BACKGROUND_H_
