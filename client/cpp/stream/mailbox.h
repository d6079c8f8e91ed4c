#ifndef AAREN_CLIENT_CPP_STREAM_MAILBOX_H_
#define AAREN_CLIENT_CPP_STREAM_MAILBOX_H_

// A Mailbox is what a connection's thread and the application's threads share: the sessions that live on the
// connection, and mail about them. The connection's thread sleeps in it, on gRPC's completion queue, and mail rings an
// alarm there. While the thread is busy writing it does not listen for mail, which then leaves with its next message.
//
// Threading: Add, Enqueue, Remove and Stop are safe from any thread; the rest is the connection's own thread.

#include <grpcpp/alarm.h>
#include <grpcpp/completion_queue.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aaren/client/clock.h"
#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "client/cpp/session/session_state.h"

namespace aaren::client {

class Mailbox {
 public:
  using State = std::shared_ptr<SessionState>;

  // What wakes the thread.
  enum class Heed { kEvents, kEventsAndMail };

  // Of the completion queue. A tag of kMail says that there may be mail.
  struct Event {
    uintptr_t tag = 0;
    bool ok = false;
  };

  struct Mail {
    std::vector<State> newcomers = {};  // sessions without a handle
    std::vector<State> arrivals = {};   // sessions that became ready
    std::vector<State> removed = {};    // sessions without an owner
  };

  static constexpr uintptr_t kMail = UINTPTR_MAX;

  Mailbox() = default;
  ~Mailbox();  // REQUIRES: no thread is in it.

  // ALREADY_EXISTS if a session of that id is here, CANCELLED after Stop.
  absl::Status Add(State state);
  void Enqueue(State state);
  void Remove(const State& state);
  void Stop();

  grpc::CompletionQueue& queue() { return queue_; }

  // Sleeps until there are sessions. False: stopped.
  bool AwaitSessions();
  void AwaitStop(Clock& clock, absl::Duration timeout);
  bool stopped() const;

  // Absent: nothing came for so long.
  std::optional<Event> Next(Heed heed, absl::Duration timeout);
  const Mail& Take();  // valid until the next one

  // All that have not ended.
  std::vector<State> Sessions() const;
  void Forget(const State& state);                  // it has ended
  void AddAgain(const std::vector<State>& states);  // they need a new handle
  void AddAllAgain();
  void DropReady();  // the call has ended for which the sessions became ready

 private:
  void ForgetIfEnded(const std::string& id);
  bool HasMail() const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  bool Wake() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Ring();

  grpc::CompletionQueue queue_;
  grpc::Alarm alarm_;  // brings the thread out of the queue; set by whoever made wake_pending_ true

  Mail taken_;  // of the connection's thread; kept for its memory

  mutable absl::Mutex mutex_;
  absl::flat_hash_map<std::string, State> sessions_ ABSL_GUARDED_BY(mutex_);  // by id
  Mail mail_ ABSL_GUARDED_BY(mutex_);
  bool listening_ ABSL_GUARDED_BY(mutex_) = false;  // the thread waits, and mail should wake it
  bool wake_pending_ ABSL_GUARDED_BY(mutex_) = false;
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CPP_STREAM_MAILBOX_H_
