#ifndef AAREN_SERVER_NET_RPC_BATON_H_
#define AAREN_SERVER_NET_RPC_BATON_H_

// The holder of the Baton runs a shard: the shard's own thread, or a thread that relieves it. gRPC may keep a thread
// for as long as gRPC likes: gRPC reads a connection on while more comes, signs for handshakes, and takes down
// thousands of calls one after another. Therefore a thread gives the baton away while it calls gRPC, and another thread
// may go on.
//
// Each thread is a hand, with a number. The shard's own thread is 0; each further hand relieves the hands before.
//
// Threading: the holder calls Lend; any thread calls the rest.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/sessions/session/clock.h"

namespace aaren::rpc {

class ABSL_LOCKABLE Baton {
 public:
  static constexpr size_t kHands = 3;
  static constexpr absl::Duration kLong = absl::Milliseconds(2);  // a hand this late counts as kept

  explicit Baton(const session::Clock& clock) : clock_(clock) {}

  void Take(size_t hand) ABSL_EXCLUSIVE_LOCK_FUNCTION();
  void Give() ABSL_UNLOCK_FUNCTION();

  // Runs `call`, a call of gRPC that may wait for `may_wait`, without the baton, and then takes the baton again.
  void Lend(absl::Duration may_wait, absl::FunctionRef<void()> call);

  // How many hands, from 0 on, are kept.
  size_t kept() const;

 private:
  const session::Clock& clock_;
  absl::Mutex mutex_;
  size_t holder_ = 0;                                            // the hand with the baton, or the last with it
  std::array<std::atomic<int64_t>, kHands> lent_until_ns_ = {};  // due back, at the latest; 0: not lent
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_BATON_H_
