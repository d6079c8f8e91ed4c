#ifndef AAREN_SERVER_REGISTRAR_TRANSIT_H_
#define AAREN_SERVER_REGISTRAR_TRANSIT_H_

// A Transit bounds what rows on their way cost. Between the store, two shards and a client rows are copies, beside
// those of the slabs, and thousands of Opens may be under way. Each enters with the bytes that it is going to hold, and
// waits until there is room. Whoever waits, here or for another session, holds no room meanwhile: so two never wait for
// one another.
//
// Threading: Enter by one thread at a time; a permit may go on any thread.

#include <cstddef>
#include <functional>
#include <memory>

#include "absl/functional/any_invocable.h"
#include "server/session/mailbox.h"

namespace aaren::registrar {

class Transit {
 public:
  // The room is given back when the last copy of a permit goes.
  using Permit = std::shared_ptr<const void>;
  using Entered = absl::AnyInvocable<void(Permit)>;

  // `post` runs a message on the thread that enters. It is called by whoever gives room back, without locks.
  Transit(size_t most_bytes, std::function<void(session::Mailbox::Message)> post);

  // Goes on at once if there is room, else in its turn. Who needs more than there ever is goes alone.
  void Enter(size_t bytes, Entered then);

  // Held now.
  size_t bytes() const;

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace aaren::registrar

#endif  // AAREN_SERVER_REGISTRAR_TRANSIT_H_
