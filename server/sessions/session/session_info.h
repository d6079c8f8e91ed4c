#ifndef AAREN_SERVER_SESSIONS_SESSION_SESSION_INFO_H_
#define AAREN_SERVER_SESSIONS_SESSION_SESSION_INFO_H_

// A SessionInfo describes a session to people. Threading: a plain value.

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "server/sessions/models/model_table.h"
#include "server/sessions/session/clock.h"
#include "server/store/store.h"

namespace aaren::session {

// The answer of Sessions.Get (proto/aaren/v1/sessions.proto).
struct SessionInfo {
  std::string session_id;
  uint64_t epoch = 0, incarnation = 0, next_seq = 0, durable_seq = 0, delivered_seq = 0;
  store::SessionOrigin origin;
  uint32_t channels = 0;  // the values of a token
  uint64_t state_bytes = 0;
  bool attached = false, resident = false;
  bool left_open = false;  // by the store's last word, however old, a stream of another server has the session
  absl::Time last_active;
  std::string server;  // HOST:PORT of the server with the stream; empty: not told

  // Sets origin, channels and state_bytes of a session with `rows` rows of the model.
  void SetRows(const models::LoadedModel& model, uint32_t rows);
};

// The description of a record. If the model is not loaded, state_bytes is 0 and a row counts as a channel.
SessionInfo InfoOf(const store::SessionRecord& record, const models::ModelTable& models, const Clock& clock);

}  // namespace aaren::session

#endif  // AAREN_SERVER_SESSIONS_SESSION_SESSION_INFO_H_
