#ifndef AAREN_SERVER_SESSIONS_REGISTRAR_TRANSIT_H_
#define AAREN_SERVER_SESSIONS_REGISTRAR_TRANSIT_H_

// A Transit bounds the memory of rows on the way. Between the store, two shards and a client rows are copies, beside
// the rows of the slabs, and thousands of Opens may be under way. An operation enters with the bytes of the rows, and
// waits for room. A waiting operation holds no room, so two operations never wait for each other.
//
// Threading: Enter by one thread at a time; a permit may go on any thread.

#include <cstddef>
#include <functional>
#include <memory>

#include "absl/functional/any_invocable.h"
#include "server/sessions/session/mailbox.h"

namespace aaren::registrar {

class Transit {
 public:
  // The last copy of a permit gives the room back.
  using Permit = std::shared_ptr<const void>;
  using Entered = absl::AnyInvocable<void(Permit)>;

  // `post` runs a message on the entering thread. The thread giving room back calls `post`, without locks.
  Transit(size_t most_bytes, std::function<void(session::Mailbox::Message)> post);

  // Goes on at once if the bytes fit, otherwise in turn. More than `most_bytes` go alone.
  void Enter(size_t bytes, Entered then);

  // Bytes on the way now.
  size_t bytes() const;

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace aaren::registrar

#endif  // AAREN_SERVER_SESSIONS_REGISTRAR_TRANSIT_H_
