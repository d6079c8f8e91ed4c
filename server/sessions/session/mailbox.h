#ifndef AAREN_SERVER_SESSIONS_SESSION_MAILBOX_H_
#define AAREN_SERVER_SESSIONS_SESSION_MAILBOX_H_

// A Mailbox hands work to the owner's thread: any thread posts, the owner drains. Messages of a thread run in the order
// of the posts. A post to an empty mailbox calls the waker, to wake an owner asleep elsewhere (on a completion queue).

#include <cstddef>
#include <limits>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/sessions/session/clock.h"

namespace aaren::session {

class Mailbox {
 public:
  using Message = absl::AnyInvocable<void()>;

  // REQUIRES: called before the first Post. `waker` may be called from any thread.
  void SetWaker(absl::AnyInvocable<void()> waker);

  void Post(Message message) ABSL_LOCKS_EXCLUDED(mutex_);

  // Runs the oldest messages, `at_most` in number. Messages posted meanwhile by a message wait for a later Drain. True
  // if any message ran.
  bool Drain(size_t at_most = std::numeric_limits<size_t>::max()) ABSL_LOCKS_EXCLUDED(mutex_);

  // Runs the oldest messages for about `at_most`, and at least one message. Otherwise the same as Drain.
  bool DrainFor(absl::Duration at_most, const Clock& clock) ABSL_LOCKS_EXCLUDED(mutex_);

  // True if an earlier Drain has left messages. The owner's only.
  bool has_leftovers() const { return next_ < draining_.size(); }

 private:
  void Fetch() ABSL_LOCKS_EXCLUDED(mutex_);
  void RunNext();

  absl::AnyInvocable<void()> waker_;
  absl::Mutex mutex_;
  std::vector<Message> messages_ ABSL_GUARDED_BY(mutex_);
  std::vector<Message> draining_;  // the owner's only
  size_t next_ = 0;                // the first message of draining_ still to run
};

}  // namespace aaren::session

#endif  // AAREN_SERVER_SESSIONS_SESSION_MAILBOX_H_
