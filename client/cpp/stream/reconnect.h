#ifndef AAREN_CLIENT_CPP_STREAM_RECONNECT_H_
#define AAREN_CLIENT_CPP_STREAM_RECONNECT_H_

// A Reconnect decides about a connection's attempts: how long each may take, whether there is another one after it
// broke, and how long to wait for it. Backoff begins anew with progress: replies, or a stream that outlived the wait
// before it. So a server that welcomes every stream and soon breaks it gets longer and longer pauses, until more than
// half of the time is spent connected. Threading: one thread.

#include "aaren/client/client.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/cpp/stream/backoff.h"

namespace aaren::client {

// How a call ended.
struct Break {
  enum class By {
    kStream,    // it broke, or the server ended it
    kRefusal,   // the server refused what this client did, and said so
    kLie,       // the server said what cannot be
    kClient,    // this side gave it up
    kDraining,  // the server is leaving, and said so in time
  };
  absl::Status why;
  By by = By::kStream;
};

class Reconnect {
 public:
  Reconnect(const ClientOptions& options, Clock& clock);

  // An attempt begins. Returns until when the server has to say Welcome.
  absl::Time Begin();
  void OnWelcome();
  void OnProgress() { progress_ = true; }

  // The attempt ended with `why`, before Welcome or after. OK: there will be another. Else what ends the sessions.
  absl::Status End(const Break& end);

  // Until the next attempt: none after a server that worked and left politely. REQUIRES: End said OK.
  absl::Duration Wait(const Break& end);

  // As new: there is nobody to connect for.
  void Reset();

  // What this attempt met if it is given up before Welcome; what the one before it met says more.
  absl::Status NoWelcome() const;

 private:
  absl::Duration TimeLeft() const;

  const ClientOptions& options_;
  Clock& clock_;
  Backoff backoff_;
  bool welcomed_ = false;                           // this attempt
  bool ever_welcomed_ = false;                      // since there are sessions
  bool progress_ = false;                           // the server has taken or closed something in this attempt
  absl::Status cause_;                              // of the last attempt that ended before Welcome
  absl::Time down_since_ = absl::InfiniteFuture();  // no Welcome since then
  absl::Time up_since_ = absl::InfiniteFuture();    // this attempt's Welcome
  absl::Duration waited_ = absl::ZeroDuration();    // before this attempt
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CPP_STREAM_RECONNECT_H_
