#ifndef AAREN_CLIENT_CPP_STREAM_RECONNECT_H_
#define AAREN_CLIENT_CPP_STREAM_RECONNECT_H_

// A Reconnect decides about a connection's attempts: the time for each, whether another follows a break, and the wait
// before the next. Backoff begins anew with progress: replies, or a stream that outlived the wait before it. A server
// that welcomes every stream and soon breaks it gets longer and longer pauses, until more than half of the time is
// spent connected. Threading: single-threaded.

#include "aaren/client/client.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/cpp/stream/backoff.h"

namespace aaren::client {

// How a call ended.
struct Break {
  enum class By {
    kStream,    // the stream broke, or the server ended the call
    kRefusal,   // the server refused an act of this client
    kLie,       // the server sent something impossible
    kClient,    // this side gave the call up
    kDraining,  // the server is leaving, and told in time
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

  // The attempt ended with `why`, before Welcome or after. OK: another attempt follows. Else the status of all
  // sessions.
  absl::Status End(const Break& end);

  // The wait before the next attempt: none after a server that worked and left politely. REQUIRES: End returned OK.
  absl::Duration Wait(const Break& end);

  // Forgets everything: no session needs a connection.
  void Reset();

  // The error of this attempt if given up before Welcome, or the error of the attempt before, which says more.
  absl::Status NoWelcome() const;

 private:
  absl::Duration TimeLeft() const;

  const ClientOptions& options_;
  Clock& clock_;
  Backoff backoff_;
  bool welcomed_ = false;                           // in this attempt
  bool ever_welcomed_ = false;                      // since there are sessions
  bool progress_ = false;                           // the server has taken or closed something in this attempt
  absl::Status cause_;                              // the error of the last attempt without a Welcome
  absl::Time down_since_ = absl::InfiniteFuture();  // no Welcome since
  absl::Time up_since_ = absl::InfiniteFuture();    // this attempt's Welcome
  absl::Duration waited_ = absl::ZeroDuration();    // before this attempt
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_CPP_STREAM_RECONNECT_H_
