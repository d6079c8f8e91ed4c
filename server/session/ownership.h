#ifndef AAREN_SERVER_SESSION_OWNERSHIP_H_
#define AAREN_SERVER_SESSION_OWNERSHIP_H_

// What the registrar and the shards say to one another about sessions that come, go and are saved.
//
// Threading: the structs travel by value in mailbox messages. A SessionOwner's methods run on its shard's thread, as
// messages that the registrar posted; they do not block.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/session/mailbox.h"
#include "server/session/model_table.h"
#include "server/session/peer.h"
#include "server/session/registrar.h"
#include "server/session/shard.h"
#include "server/session/token_clock.h"

namespace aaren {

// An Open under way. The ticket finds it again at its shard.
struct OpenCall {
  int shard = 0;
  uint64_t ticket = 0;
  std::string key;  // tenant, '/', id
  OpenRequest request;
  mutable std::atomic<bool> cancelled{false};  // its stream is gone: it must not take the session any more

  absl::string_view id() const { return request.session_id; }
};

// What a session needs of a slab.
struct Footprint {
  const LoadedModel* model = nullptr;
  uint32_t channels = 1;
};

// A session's state on its way out of a shard.
struct SessionState : Footprint {
  uint64_t epoch = 0;
  uint64_t incarnation = 0;
  uint64_t next_seq = 0;
  uint64_t delivered_seq = 0;
  uint64_t durable_seq = 0;
  bool tracks_delivery = false;  // its last writer told delivered_seq
  Attempt attempt;               // of the Open that took it last
  TokenClock clock;              // after next_seq tokens
  std::string rows;              // channels x row_bytes; empty where the rows stay
};

// How an opened session begins at its shard.
struct Installation {
  enum class Rows { kKeep, kReset, kReplace };

  SessionState state;
  Rows rows = Rows::kReset;  // kReplace: by state.rows
  bool created = false;
  bool moved = false;
  bool rewound = false;
  std::optional<std::pair<uint64_t, uint64_t>> lost;
  std::optional<Refusal> refusal;  // the session is kept, the Open is refused
};

// Rows to be saved.
struct SaveRequest {
  SessionState state;
  std::string key;
  bool only = false;  // older saves are of no use any more; else the one at keep_seq stays, 0 being the empty row
  uint64_t keep_seq = 0;
  absl::Time last_active;
};

struct SaveResult {
  std::string key;
  uint64_t incarnation = 0;
  uint64_t seq = 0;
  bool only = false;
  absl::Status status;
  uint64_t current_epoch = 0;  // with Aborted
};

// Which state of a session may be dropped; none: any.
struct DropCondition {
  std::optional<uint64_t> epoch;         // exactly this one
  std::optional<absl::Time> idle_since;  // detached, and not used since
};

// What a shard answers about a session: it may be gone (evicted, moved) when the question arrives.
template <typename T>
struct OwnerReply {
  bool gone = false;
  Outcome<T> outcome;
};

class SessionOwner {
 public:
  virtual ~SessionOwner() = default;
  virtual Mailbox& mailbox() = 0;
  virtual const ShardOptions& options() const = 0;

  // Whether the Open may have the session. Changes nothing.
  virtual OwnerReply<Footprint> CheckOpen(const OpenCall& call) = 0;

  // Sets rows aside for a session that is about to come. Refused if they are not to be had, or nobody waits any more.
  virtual std::optional<Refusal> Reserve(uint64_t ticket, Footprint footprint) = 0;

  // Fences the session's writer, dropping what waits of it, and, if the Open is another shard's, gives the session
  // away; otherwise holds it until Install. Refused if nobody waits for the Open any more.
  virtual OwnerReply<SessionState> Take(const OpenCall& call, uint64_t epoch) = 0;

  virtual void Install(const OpenCall& call, Installation installation) = 0;
  virtual void RefuseOpen(uint64_t ticket, const Refusal& refusal) = 0;

  // A copy, rows included.
  virtual OwnerReply<SessionState> Capture(const std::string& key) = 0;

  // In order of the keys; none where the session is gone.
  virtual std::vector<std::optional<SessionInfo>> Describe(const std::vector<std::string>& keys) = 0;

  // Fences the writer and forgets the session.
  virtual OwnerReply<std::monostate> Drop(const std::string& key, const DropCondition& condition, uint64_t epoch) = 0;

  virtual void SavesDone(const std::vector<SaveResult>& results) = 0;
};

inline std::string SessionKey(const std::string& tenant, const std::string& id) { return tenant + "/" + id; }

// The id of a key: what follows the tenant, which holds no '/'.
inline absl::string_view SessionId(absl::string_view key) { return key.substr(key.find('/') + 1); }

}  // namespace aaren

#endif  // AAREN_SERVER_SESSION_OWNERSHIP_H_
