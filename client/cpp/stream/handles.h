#ifndef AAREN_CLIENT_CPP_STREAM_HANDLES_H_
#define AAREN_CLIENT_CPP_STREAM_HANDLES_H_

// Handles are the sessions of one call, under the numbers that the call knows them by. They tell which session has
// something to send, which waits to be opened again, and whom an item of the server is for. They die with their call.
//
// Few Opens are under way at once. A server reads a stream in order: tokens of sessions that are open would wait behind
// the Opens of all others, for as long as the store takes to load those.
// Threading: the connection's thread.

#include <deque>
#include <utility>
#include <vector>

#include "aaren/client/clock.h"
#include "aaren/v1/stream.pb.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "client/cpp/messages/message_builder.h"
#include "client/cpp/session/session_state.h"
#include "client/cpp/stream/mailbox.h"

namespace aaren::client {

// Numbers the Opens of a connection over all its calls. A server that reads an Open of a broken stream late, after one
// of the next stream, knows it for a stale one.
struct OpenCounter {
  uint64_t writer;    // who opens: a random number
  uint64_t next = 1;  // never used twice
};

class Handles {
 public:
  using State = Mailbox::State;

  // All outlive this. `server` is its name in errors.
  Handles(Mailbox& mailbox, OpenCounter& opens, Clock& clock, absl::string_view server)
      : mailbox_(mailbox), opens_(opens), clock_(clock), server_(server) {}

  // Gives newcomers a handle and takes it from who left; sessions whose retry is due become newcomers.
  void TakeMail();

  // Adds what the sessions have to send, until `builder` is full.
  void Fill(const v1::Limits& limits, MessageBuilder& builder);

  // Hands an item to its session; one of a handle that is not known any more is dropped. INTERNAL for a handle that was
  // never given: what the server means by it cannot be known.
  absl::Status Handle(const v1::Opened& opened);
  absl::Status Handle(const v1::Forecasts& forecasts);
  absl::Status Handle(const v1::Acked& acked);
  absl::Status Handle(const v1::Closed& closed);
  absl::Status Handle(const v1::Failed& failed);  // REQUIRES: it has a handle

  // When the next retry is due.
  absl::Time NextRetry() const;

 private:
  void Attach(const State& state);
  void Remove(const State& state);
  void Release(const State& state);
  void Forget(uint32_t handle);
  void RetryDue();
  template <typename Item, typename Method>
  absl::Status Dispatch(const Item& item, Method method);
  void Follow(const State& state, const SessionState::Next& next);

  Mailbox& mailbox_;
  OpenCounter& opens_;
  Clock& clock_;
  const absl::string_view server_;
  uint32_t next_handle_ = 0;
  absl::flat_hash_map<uint32_t, State> handles_;       // open on this call, or being opened
  std::deque<State> unopened_;                         // whose Opens are not sent
  absl::flat_hash_set<uint32_t> opening_;              // whose Opens are not answered
  std::deque<State> ready_;                            // have something to send
  std::vector<v1::Close> closes_;                      // to send for handles whose session ended here
  std::vector<std::pair<absl::Time, State>> retries_;  // to be opened again when their time comes
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CPP_STREAM_HANDLES_H_
