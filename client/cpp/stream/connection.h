#ifndef AAREN_CLIENT_CPP_STREAM_CONNECTION_H_
#define AAREN_CLIENT_CPP_STREAM_CONNECTION_H_

// A Connection carries the sessions of one stream. It is a thread that keeps a Call open while there are sessions. It
// writes what they have to send as one message at a time, hands them the server's items, and connects again when it
// breaks.
//
//   Mailbox    the sessions, and what other threads say about them     for the connection's life
//   Reconnect  when to try again, and when to give up                  for the connection's life
//   Call       gRPC's rules for one rpc                                for one call
//   Handles    which session is which on it                            for one call
//
// Messages grow with the load: while one is being written, whatever becomes ready waits and leaves with the next.
// Threading: Add, Enqueue, Remove and Stop are safe from any thread; the rest is the connection's own thread.

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

  // `stream` is its number among the client's.
  Connection(const ClientOptions& options, uint32_t stream);
  ~Connection() = default;  // REQUIRES: Stop() has returned.

  // ALREADY_EXISTS if a session of that id is here; CANCELLED after Stop; RESOURCE_EXHAUSTED if the
  // system has no thread left.
  absl::Status Add(State state);

  // The server's name in errors.
  const std::string& server() const { return options_.target; }

  // `state` has something to send, if `ready` says so.
  void Enqueue(const State& state, SessionState::Ready ready);

  // Detaches a session whose owner has gone. REQUIRES: state->Detach() has returned.
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

  // Of the connection's thread.
  OpenCounter opens_;
  Reconnect reconnect_;
  MessageBuilder builder_;
  v1::Limits limits_;
  int wary_ = 0;           // so many attempts go only to servers that are not leaving
  bool welcomed_ = false;  // on this call, as are the next three
  std::unique_ptr<Handles> handles_;
  Break given_up_;                                     // by us or by a Failed without a handle; OK: not yet
  absl::Time call_deadline_ = absl::InfiniteFuture();  // Welcome's, or after Draining the call's end

  absl::Mutex thread_mutex_;
  std::thread thread_ ABSL_GUARDED_BY(thread_mutex_);  // made by the first Add, joined by Stop
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CPP_STREAM_CONNECTION_H_
