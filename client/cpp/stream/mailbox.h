#ifndef AAREN_CLIENT_CPP_STREAM_MAILBOX_H_
#define AAREN_CLIENT_CPP_STREAM_MAILBOX_H_

// A Mailbox is shared by a connection's thread and the application's threads: the sessions of the connection, and mail
// about sessions. The connection's thread sleeps in the mailbox, on gRPC's completion queue, and mail rings an alarm
// there. During a write the thread does not listen for mail: the mail leaves with the next message.
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

  // The events that wake the thread.
  enum class Heed { kEvents, kEventsAndMail };

  // An event of the completion queue. The tag kMail: mail may have come.
  struct Event {
    uintptr_t tag = 0;
    bool ok = false;
  };

  struct Mail {
    std::vector<State> newcomers = {};  // sessions without a handle
    std::vector<State> arrivals = {};   // sessions newly ready
    std::vector<State> removed = {};    // sessions without an owner
  };

  static constexpr uintptr_t kMail = UINTPTR_MAX;

  Mailbox() = default;
  ~Mailbox();  // REQUIRES: no thread is inside.

  // ALREADY_EXISTS for a second session of the same id, CANCELLED after Stop.
  absl::Status Add(State state);
  void Enqueue(State state);
  void Remove(const State& state);
  void Stop();

  grpc::CompletionQueue& queue() { return queue_; }

  // Sleeps until a session exists. False: stopped.
  bool AwaitSessions();
  void AwaitStop(Clock& clock, absl::Duration timeout);
  bool stopped() const;

  // Absent: nothing came within the timeout.
  std::optional<Event> Next(Heed heed, absl::Duration timeout);
  const Mail& Take();  // valid until the next Take

  // All sessions that have not ended.
  std::vector<State> Sessions() const;
  void Forget(const State& state);                  // after the session's end
  void AddAgain(const std::vector<State>& states);  // for sessions that need a new handle
  void AddAllAgain();
  void DropReady();  // after the end of the call for which sessions became ready

 private:
  void ForgetIfEnded(const std::string& id);
  bool HasMail() const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  bool Wake() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Ring();

  grpc::CompletionQueue queue_;
  grpc::Alarm alarm_;  // wakes the thread in the queue; set by the thread that made wake_pending_ true

  Mail taken_;  // the connection's thread only; kept for its memory

  mutable absl::Mutex mutex_;
  absl::flat_hash_map<std::string, State> sessions_ ABSL_GUARDED_BY(mutex_);  // by id
  Mail mail_ ABSL_GUARDED_BY(mutex_);
  bool listening_ ABSL_GUARDED_BY(mutex_) = false;  // the thread waits, and mail should wake the thread
  bool wake_pending_ ABSL_GUARDED_BY(mutex_) = false;
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CPP_STREAM_MAILBOX_H_
