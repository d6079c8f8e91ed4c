#ifndef AAREN_CLIENT_CPP_CONNECTION_H_
#define AAREN_CLIENT_CPP_CONNECTION_H_

// A Connection carries the sessions of one stream. It is a thread that keeps a Call open while there are sessions. It
// writes what they have to send as one message at a time, hands them the server's items, and connects again when it
// breaks.
//
// Messages grow with the load: while one is being written, whatever becomes ready waits and leaves with the next.
// Threading: Add, Enqueue, Remove and Stop are safe from any thread; the rest is the connection's own thread.

#include <grpcpp/alarm.h>
#include <grpcpp/completion_queue.h>

#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "client/cpp/backoff.h"
#include "client/cpp/call.h"
#include "client/cpp/client.h"
#include "client/cpp/outbox.h"
#include "client/cpp/session_state.h"

namespace aaren::client {

class Connection {
 public:
  using State = std::shared_ptr<SessionState>;

  // `stream` is its number among the client's.
  Connection(const ClientOptions& options, uint32_t stream);
  ~Connection();  // REQUIRES: Stop() has returned.

  // ALREADY_EXISTS if a session of that id is here.
  absl::Status Add(State state);

  // `state` has something to send.
  void Enqueue(State state);

  // Detaches a session whose owner has gone. REQUIRES: state->Detach() has returned.
  void Remove(const State& state);

  // Ends every session with CANCELLED and joins the thread.
  void Stop();

 private:
  static constexpr uintptr_t kWoken = Call::kLastTag + 1;

  void Run();
  bool AwaitSessions();
  void Forget();
  absl::Status RunCall();
  bool NextEvent(Call& call, absl::Time deadline, uintptr_t& tag, bool& ok);
  absl::Time Deadline() const;
  void OnDeadline(Call& call);
  void HandleReply(Call& call);
  void HandleItem(const v1::ServerItem& item, Call& call);
  void OnWelcome(const v1::Welcome& welcome);
  void OnDraining(const v1::Draining& draining, Call& call);
  void OnFailed(const v1::Failed& failed);
  void Handle(const State& state, const SessionState::Next& next);
  template <typename Item, typename Method>
  void Dispatch(const Item& item, Method method);

  void Pump(Call& call);
  void TakeMail();
  void Fill();
  void Release(const State& state);
  void Retry();

  void Disconnected(const absl::Status& why);
  absl::Status Verdict(const absl::Status& why);
  void WaitBeforeRetry(const absl::Status& why);
  absl::Duration TimeLeft() const;
  void EndAll(const absl::Status& status);
  std::vector<State> Sessions() ABSL_LOCKS_EXCLUDED(mutex_);
  bool Wake() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Ring();
  bool stopping() ABSL_LOCKS_EXCLUDED(mutex_);

  const ClientOptions options_;
  const uint32_t stream_;
  const uint64_t writer_;  // who opens, over all its calls
  Clock& clock_;
  grpc::CompletionQueue queue_;
  grpc::Alarm alarm_;  // brings the thread out of the queue; set by whoever made wake_pending_ true

  // Of the connection's thread.
  Backoff backoff_;
  bool welcomed_ = false;
  bool progress_ = false;  // the server has taken or closed something on this call
  bool ever_welcomed_ = false;
  v1::Limits limits_;
  absl::Status refusal_;                               // what a Failed without a handle said of this call
  absl::Status failure_;                               // else, why this side ends it
  absl::Status cause_;                                 // of the last attempt that ended before Welcome
  absl::Time down_since_ = absl::InfiniteFuture();     // no Welcome since then
  absl::Time up_since_ = absl::InfiniteFuture();       // this call's Welcome
  absl::Duration waited_ = absl::ZeroDuration();       // before this call
  absl::Time call_deadline_ = absl::InfiniteFuture();  // Welcome's, or after Draining the call's end
  uint32_t next_handle_ = 0;
  uint64_t next_open_ = 1;                             // number of the next Open, never used twice
  absl::flat_hash_map<uint32_t, State> handles_;       // open on this call, or being opened
  std::deque<State> ready_;                            // have something to send
  std::vector<v1::Close> closes_;                      // to send for handles whose session ended here
  std::vector<std::pair<absl::Time, State>> retries_;  // to be opened again when their time comes
  Outbox outbox_;

  absl::Mutex mutex_;
  absl::flat_hash_map<std::string, State> sessions_ ABSL_GUARDED_BY(mutex_);  // by id; all that have not ended
  std::vector<State> newcomers_ ABSL_GUARDED_BY(mutex_);  // mail for the thread: sessions without a handle,
  std::vector<State> arrivals_ ABSL_GUARDED_BY(mutex_);   // sessions that became ready,
  std::vector<State> removed_ ABSL_GUARDED_BY(mutex_);    // sessions without an owner
  bool parked_ ABSL_GUARDED_BY(mutex_) = false;           // the thread waits, and mail should wake it
  bool wake_pending_ ABSL_GUARDED_BY(mutex_) = false;
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // set once, under mutex_, by the first Add; joined by Stop
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CPP_CONNECTION_H_
