#ifndef AAREN_CLIENT_CPP_STREAM_CONNECTION_H_
#define AAREN_CLIENT_CPP_STREAM_CONNECTION_H_

// A Connection carries the sessions of a stream. It is a thread that keeps a Call open while there are sessions. It
// merges the sessions' items into messages, one at a time, hands the server's items to the sessions, and connects again
// after a break.
//
//   Mailbox    the sessions, and mail about them from other threads    for the connection's life
//   Reconnect  when to try again, and when to give up                  for the connection's life
//   Call       gRPC's rules for an rpc                                 for one call
//   Handles    the sessions of a call by their handles                 for one call
//
// Messages grow with the load: items that become ready during a write leave with the next message. Threading: Add,
// Enqueue, Remove and Stop are safe from any thread; the rest is the connection's own thread.

#include <memory>
#include <thread>

#include "aaren/client/client.h"
#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "client/cpp/messages/message_builder.h"
#include "client/cpp/session/session_state.h"
#include "client/cpp/stream/call.h"
#include "client/cpp/stream/handles.h"
#include "client/cpp/stream/mailbox.h"
#include "client/cpp/stream/reconnect.h"

namespace aaren::client {

class Connection {
 public:
  using State = Mailbox::State;

  // `stream`: the number among the client's streams.
  Connection(const ClientOptions& options, uint32_t stream);
  ~Connection() = default;  // REQUIRES: Stop() has returned.

  // ALREADY_EXISTS if the connection has a session of the same id; CANCELLED after Stop; RESOURCE_EXHAUSTED if the
  // system has no thread left.
  absl::Status Add(State state);

  // The server's name in errors.
  const std::string& server() const { return options_.target; }

  // Queues `state`, which has something to send, if `ready` is kYes.
  void Enqueue(const State& state, SessionState::Ready ready);

  // Detaches a session after its owner has gone. REQUIRES: state->Detach() has returned.
  void Remove(const State& state) { mailbox_.Remove(state); }

  // Ends every session with CANCELLED and joins the thread.
  void Stop();

 private:
  absl::Status Start() ABSL_LOCKS_EXCLUDED(thread_mutex_);
  void Run();
  Among WhereTo();
  Break RunCall();
  void Loop(Call& call);
  Mailbox::Heed Heeds(const Call& call) const;
  void OnDeadline(Call& call);
  void OnItem(const v1::ServerItem& item, Call& call);
  absl::Status Handle(const v1::ServerItem& item, Call& call);
  absl::Status OnWelcome(const v1::Welcome& welcome);
  void OnDraining(const v1::Draining& draining, Call& call);
  absl::Status OnFailed(const v1::Failed& failed);
  void Pump(Call& call);
  void OnBroken(const Break& end);
  void EndAll(const absl::Status& status);

  const ClientOptions options_;
  const uint32_t stream_;
  Clock& clock_;
  Mailbox mailbox_;

  // The members of the connection's thread.
  OpenCounter opens_;
  Reconnect reconnect_;
  MessageBuilder builder_;
  v1::Limits limits_;
  int wary_ = 0;           // the number of attempts to avoid leaving servers
  bool welcomed_ = false;  // on this call, as are the next three
  std::unique_ptr<Handles> handles_;
  Break given_up_;                                     // by us or by a Failed without a handle; OK: not yet
  absl::Time call_deadline_ = absl::InfiniteFuture();  // Welcome's, or after Draining the call's end

  absl::Mutex thread_mutex_;
  std::thread thread_ ABSL_GUARDED_BY(thread_mutex_);  // made by the first Add, joined by Stop
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CPP_STREAM_CONNECTION_H_
