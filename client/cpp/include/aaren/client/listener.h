#ifndef AAREN_CLIENT_LISTENER_H_
#define AAREN_CLIENT_LISTENER_H_

// A Listener is the application's side of a session: it hears the forecasts, and events of the stream below. Threading:
// the callbacks of all sessions of a stream run on the stream's thread, one at a time, without a lock. A slow listener
// delays the rest of its stream's sessions and, in the end, the server. A callback may destroy its own Session, but not
// the Client. Exceptions may not leave a callback.

#include <cstdint>
#include <optional>
#include <string>

#include "aaren/client/forecast.h"
#include "aaren/client/model_info.h"
#include "aaren/client/session_options.h"
#include "absl/status/status.h"
#include "absl/time/time.h"

namespace aaren::client {

class Session;

// The server's answer to an Open.
struct Opened {
  uint64_t epoch = 0;        // larger than any earlier writer's
  uint64_t incarnation = 0;  // identifies the session's creation
  uint64_t next_seq = 0;     // the next token wanted by the server
  uint64_t durable_seq = 0;  // saved up to here: older tokens will never be asked for again
  bool created = false;      // made by this Open
  ModelInfo model = {};
  uint32_t channels = 1;
  std::string tier = {};  // the arithmetic, for example "exact"
  uint32_t numerics_version = 0;
  Durability durability = Durability::kServerDefault;  // in force; kServerDefault: an old server does not tell
  // The time of token next_seq - 1, for RegularSeries::GoOnBehind; absent: no token had a time, or an old server
  std::optional<int64_t> last_time_ns = {};
  int64_t step_ns = 0;  // the last positive difference between the times of two tokens; 0: none yet
};

// Data that the server no longer has. The client does everything possible by itself: see OnRewind.
struct Loss {
  // The session was forgotten (a server without a durable store came back, or somebody deleted the session) and begins
  // anew.
  bool session = false;
  // Else: replies to tokens begin_seq .. end_seq - 1 were not delivered and cannot be had again.
  uint64_t begin_seq = 0;
  uint64_t end_seq = 0;
};

// No event has come for longer than EventOutput::overdue allows.
struct Overdue {
  uint64_t next_seq = 0;  // the missing event
  int64_t time_ns = 0;    // the time by which the event should have come, nanoseconds since 1970-01-01 UTC
  float probability = 0;  // that a gap is as long as this, by the session's forecast
};

// Hears about a session. OnEnded comes exactly once, last, unless the Session is destroyed before.
class Listener {
 public:
  virtual ~Listener() = default;

  // The server opened the session: the first time, and after every reconnect. opened.next_seq is the next token wanted.
  virtual void OnOpened(Session&, const Opened& /*opened*/) {}

  // Once per token that asks for a forecast, in order of seq, despite every break.
  virtual void OnForecast(Session&, const Forecast&) = 0;

  // At most once between two events, and only while the event is missing.
  virtual void OnOverdue(Session&, const Overdue&) {}

  // All tokens below next_seq are answered; tokens below durable_seq will never be asked for again, once the
  // application has their forecasts for good.
  virtual void OnProgress(Session&, uint64_t /*next_seq*/, uint64_t /*durable_seq*/) {}

  // The server needs tokens from `seq` again, older than the client keeps. True: the application can read the tokens
  // again, and now sends from `seq` (until then Send, Flush and Close answer OUT_OF_RANGE). Forecasts handed over
  // before are not handed over again. False: the session ends with DATA_LOSS.
  virtual bool OnRewind(Session&, uint64_t /*seq*/) { return false; }

  // The server lost something. Comes before the resulting OnOpened and OnRewind.
  virtual void OnLost(Session&, const Loss&) {}

  // The server cannot open the session now, for lack of room or of its store; the client asks again after `retry`.
  virtual void OnWaiting(Session&, const absl::Status& /*why*/, absl::Duration /*retry*/) {}

  // The stream broke; the client is connecting again.
  virtual void OnDisconnected(Session&, const absl::Status& /*why*/) {}

  // OK after Close. ABORTED: another writer has taken the session. DATA_LOSS: tokens needed again are gone.
  // CANCELLED: the Client was destroyed. Else the server's refusal.
  virtual void OnEnded(Session&, const absl::Status& /*status*/) {}
};

}  // namespace aaren::client

#endif  // AAREN_CLIENT_LISTENER_H_
