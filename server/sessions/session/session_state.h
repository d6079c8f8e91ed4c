#ifndef AAREN_SERVER_SESSIONS_SESSION_SESSION_STATE_H_
#define AAREN_SERVER_SESSIONS_SESSION_SESSION_STATE_H_

// A SessionState is a session on its way: out of a shard, into another, to the store or from it. Threading: a plain
// value.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "server/sessions/models/model_table.h"
#include "server/sessions/session/peer.h"
#include "server/store/session_point.h"

namespace aaren::session {

// The need of a session for rows. On the way no row holds the model, so the Footprint does.
struct Footprint {
  models::ModelRef model;
  uint32_t channels = 1;
};

struct SessionState : Footprint {
  uint64_t epoch = 0;
  uint64_t incarnation = 0;
  uint64_t delivered_seq = 0;
  uint64_t durable_seq = 0;
  std::optional<uint64_t> pending_seq;  // the save that is not durable yet
  bool tracks_delivery = false;         // its last writer told delivered_seq
  store::Attempt attempt;               // the latest Open's
  SessionDurability durability = SessionDurability::kInterval;
  store::SessionPoint point;
  std::string rows;                     // channels x row_bytes; empty where the rows stay
  std::shared_ptr<const void> transit;  // room for the rows on their way; null: no room was asked for
};

struct Session;  // server/sessions/session/session.h

// The state of a session in a shard, without the rows: rows are most of a state, and only copied to travel.
SessionState StateOf(const Session& session);

inline std::string SessionKey(const std::string& tenant, const std::string& id) { return tenant + "/" + id; }

// The id of a key: what follows the tenant, which holds no '/'.
inline absl::string_view SessionId(absl::string_view key) { return key.substr(key.find('/') + 1); }

}  // namespace aaren::session

#endif  // AAREN_SERVER_SESSIONS_SESSION_SESSION_STATE_H_
