#ifndef AAREN_SERVER_SESSION_MAILBOX_H_
#define AAREN_SERVER_SESSION_MAILBOX_H_

// A Mailbox hands work to the one thread that owns it: any thread posts, the owner drains. What one thread posts is run
// in its order. The waker is called after a post to an empty mailbox, so that an owner asleep on something else (a
// completion queue) wakes up.

#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/synchronization/mutex.h"

namespace aaren {

class Mailbox {
 public:
  using Message = absl::AnyInvocable<void()>;

  // REQUIRES: called before the first Post. `waker` may be called from any thread.
  void SetWaker(absl::AnyInvocable<void()> waker);

  void Post(Message message) ABSL_LOCKS_EXCLUDED(mutex_);

  // Runs what was posted before the call; what those messages post waits for the next Drain. True if there was
  // anything.
  bool Drain() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  absl::AnyInvocable<void()> waker_;
  absl::Mutex mutex_;
  std::vector<Message> messages_ ABSL_GUARDED_BY(mutex_);
  std::vector<Message> draining_;  // the owner's only
};

}  // namespace aaren

#endif  // AAREN_SERVER_SESSION_MAILBOX_H_
