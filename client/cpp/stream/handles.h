#ifndef AAREN_CLIENT_CPP_STREAM_HANDLES_H_
#define AAREN_CLIENT_CPP_STREAM_HANDLES_H_

// Handles are the sessions of a call, under the call's numbers. They know which session has something to send and which
// waits for another Open, and find the session of each item of the server. Handles die with their call.
//
// Few Opens are under way at once. A server reads a stream in order: tokens of open sessions would wait
// behind the Opens of all other sessions, until the store has loaded them. Threading: the connection's
// thread.

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

// Numbers the Opens of a connection over all its calls. A server that reads an Open of a broken stream after an Open of
// the next stream knows the first as stale.
struct OpenCounter {
  uint64_t writer;    // the opening process: a random number
  uint64_t next = 1;  // never used twice
};

class Handles {
 public:
  using State = Mailbox::State;

  // All arguments outlive the Handles. `server` is the server's name in errors.
  Handles(Mailbox& mailbox, OpenCounter& opens, Clock& clock, absl::string_view server)
      : mailbox_(mailbox), opens_(opens), clock_(clock), server_(server) {}

  // Gives newcomers a handle, and takes the handles of removed sessions; sessions with a due retry become newcomers.
  void TakeMail();

  // Adds the sessions' items, until `builder` is full.
  void Fill(const v1::Limits& limits, MessageBuilder& builder);

  // Hands an item to its session; an item of a handle not in use any more is dropped. INTERNAL for a handle never
  // given: the meaning of the item cannot be known.
  absl::Status Handle(const v1::Opened& opened);
  absl::Status Handle(const v1::Forecasts& forecasts);
  absl::Status Handle(const v1::Overdue& overdue);
  absl::Status Handle(const v1::Acked& acked);
  absl::Status Handle(const v1::Closed& closed);
  absl::Status Handle(const v1::Failed& failed);  // REQUIRES: `failed` has a handle

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
  absl::flat_hash_map<uint32_t, State> handles_;       // open on this call, or opening
  std::deque<State> unopened_;                         // with an Open not sent yet
  absl::flat_hash_set<uint32_t> opening_;              // with an Open not answered yet
  std::deque<State> ready_;                            // have something to send
  std::vector<v1::Close> closes_;                      // to send for handles whose session ended here
  std::vector<std::pair<absl::Time, State>> retries_;  // to be opened again at their time
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CPP_STREAM_HANDLES_H_
