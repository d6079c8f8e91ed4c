#ifndef AAREN_SERVER_NET_RPC_LEAVING_H_
#define AAREN_SERVER_NET_RPC_LEAVING_H_

// Leaving is the order in which a shard leaves, and the time for each step:
//
//   serving ─► draining ─► answering ─► saving ─► closing ─► closed ─► stopped
//
//   draining   clients know, and go on for a moment           ends after a quarter of the grace period, 2 s at most
//   answering  no item is taken, taken tokens are answered    ends when none waits, at half of the grace period at last
//   saving     sessions are saved                             ends when all are saved, or with closing's time
//   closing    streams end once their replies are written     after 0.9 of the grace period streams are cut off,
//                                                             after 0.95 all connections end
//
// Threading: a plain value.

#include "absl/time/time.h"
#include "server/sessions/session/clock.h"

namespace aaren::rpc {

class Leaving {
 public:
  // The shard does one of these next.
  enum class Act { kNothing, kStopReading, kSaveAll, kEndStreams, kCutOffStreams, kEndConnections, kTellClosed };

  // A round of the shard has shown these signs.
  struct Signs {
    bool stepped;      // tokens were answered, and more may wait
    bool tokens_wait;  // or replies to tokens
    bool saving;       // a save is under way, or other work that must end
    bool has_streams;
  };

  // Begins to leave within `grace`. Returns how long streams are served on.
  absl::Duration Begin(absl::Duration grace, absl::Time now);

  // Call it after every round while the shard leaves.
  Act Next(const Signs& signs, absl::Time now);

  // The shard's thread may end.
  void Stop() { phase_ = Phase::kStopped; }

  bool begun() const { return phase_ != Phase::kServing; }
  bool stopped() const { return phase_ == Phase::kStopped; }

  // From half of the grace period on, waiting tokens are not begun: clients keep unanswered tokens, and saves come
  // first.
  bool MayStep(const session::Clock& clock) const { return phase_ != Phase::kSaving || clock.Now() < save_; }

  // True unless the time was over before every session was saved.
  bool all_saved() const { return all_saved_; }

 private:
  enum class Phase { kServing, kDraining, kAnswering, kSaving, kClosing, kClosed, kStopped };

  Act Enter(Phase phase, Act act);
  Act Close(const Signs& signs, absl::Time now);

  Phase phase_ = Phase::kServing;
  absl::Time stop_reading_ = absl::InfiniteFuture();
  absl::Time quiet_ = absl::InfiniteFuture();  // no token was answered for a moment
  absl::Time save_ = absl::InfiniteFuture();   // although tokens may still wait
  absl::Time cut_off_ = absl::InfiniteFuture();
  absl::Time end_connections_ = absl::InfiniteFuture();
  bool all_saved_ = true;
};

}  // namespace aaren::rpc

#endif  // AAREN_SERVER_NET_RPC_LEAVING_H_
