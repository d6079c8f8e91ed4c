#ifndef AAREN_CLIENT_LISTENER_H_
#define AAREN_CLIENT_LISTENER_H_

// A Listener is the application's side of a session: it hears the forecasts, and what happens to the stream under them.
// Threading: the callbacks of all sessions of a stream run on that stream's thread, one at a time, with no lock held. A
// slow listener delays the other sessions of its stream and, in the end, the server. A callback may destroy its own
// Session; it may not destroy the Client. Exceptions may not leave a callback.

#include <cstdint>
#include <string>

#include "aaren/client/forecast.h"
#include "aaren/client/model_info.h"
#include "aaren/client/session_options.h"
#include "absl/status/status.h"
#include "absl/time/time.h"

namespace aaren::client {

class Session;

// The server's answer to who opens a session.
struct Opened {
  uint64_t epoch = 0;        // larger than that of any earlier writer
  uint64_t incarnation = 0;  // which creation of the session it is
  uint64_t next_seq = 0;     // the next token that the server wants
  uint64_t durable_seq = 0;  // the server has saved it there: older tokens will never be asked for again
  bool created = false;      // there was none before
  ModelInfo model = {};
  uint32_t channels = 1;
  std::string tier = {};  // whose arithmetic it is, such as "exact"
  uint32_t numerics_version = 0;
  Durability durability = Durability::kServerDefault;  // what holds; kServerDefault: an old server does not say
};

// What the server no longer has. The client has done, or will do, what can be done: see OnRewind.
struct Loss {
  // The session was forgotten (a server without a durable store came back, or somebody deleted it) and begins anew.
  bool session = false;
  // Else: replies to tokens begin_seq .. end_seq - 1 were not delivered and cannot be had again.
  uint64_t begin_seq = 0;
  uint64_t end_seq = 0;
};

// Hears about one session. OnEnded comes exactly once, last, unless the Session is destroyed before.
class Listener {
 public:
  virtual ~Listener() = default;

  // The server opened the session: the first time, and after every reconnect. opened.next_seq is what it wants next.
  virtual void OnOpened(Session&, const Opened& /*opened*/) {}

  // Once per token that asks for a forecast, in order of seq, whatever breaks.
  virtual void OnForecast(Session&, const Forecast&) = 0;

  // All tokens below next_seq are answered; those below durable_seq will never be asked for again, once the application
  // has their forecasts for good.
  virtual void OnProgress(Session&, uint64_t /*next_seq*/, uint64_t /*durable_seq*/) {}

  // The server needs tokens from `seq` again, older than any the client keeps. True: the application can read them
  // again, and now sends from `seq` (Send, Flush and Close answer OUT_OF_RANGE to who has not noticed yet). Forecasts
  // that it had before are not handed over again. False: the session ends with DATA_LOSS.
  virtual bool OnRewind(Session&, uint64_t /*seq*/) { return false; }

  // The server lost something. Comes before the OnOpened and the OnRewind that follow from it.
  virtual void OnLost(Session&, const Loss&) {}

  // The server cannot open the session now, for want of room or of its store; it is asked again after `retry`.
  virtual void OnWaiting(Session&, const absl::Status& /*why*/, absl::Duration /*retry*/) {}

  // The stream broke; the client is connecting again.
  virtual void OnDisconnected(Session&, const absl::Status& /*why*/) {}

  // OK after Close. ABORTED: another writer has taken the session. DATA_LOSS: tokens needed again are gone.
  // CANCELLED: the Client was destroyed. Else the server's refusal.
  virtual void OnEnded(Session&, const absl::Status& /*status*/) {}
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_LISTENER_H_
