#ifndef AAREN_SERVER_RPC_BATON_H_
#define AAREN_SERVER_RPC_BATON_H_

// Whoever holds the Baton of a shard runs it: its own thread, or one that relieves it. gRPC may keep a thread for as
// long as it likes: it reads on while more comes of a connection, signs for handshakes, and takes down thousands of
// calls one after another. So whatever it is asked, the baton is free meanwhile, and another thread may go on.
//
// Each thread is a hand, with a number. The shard's own is 0; each other relieves those before it.
//
// Threading: Lend by whoever holds it; the rest from any thread.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/session/clock.h"

namespace aaren::rpc {

class ABSL_LOCKABLE Baton {
 public:
  static constexpr size_t kHands = 3;
  static constexpr absl::Duration kLong = absl::Milliseconds(2);  // a hand is kept, from then on

  explicit Baton(const session::Clock& clock) : clock_(clock) {}

  void Take(size_t hand) ABSL_EXCLUSIVE_LOCK_FUNCTION();
  void Give() ABSL_UNLOCK_FUNCTION();

  // Does something of gRPC's, which may wait for so long, without the baton. It is taken again afterwards.
  void Lend(absl::Duration may_wait, absl::FunctionRef<void()> call);

  // How many hands, from 0 on, are kept.
  size_t kept() const;

 private:
  const session::Clock& clock_;
  absl::Mutex mutex_;
  size_t holder_ = 0;                                            // who has it, or had it last
  std::array<std::atomic<int64_t>, kHands> lent_until_ns_ = {};  // when it should be back, at the latest; 0: not lent
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_RPC_BATON_H_
