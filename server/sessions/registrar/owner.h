#ifndef AAREN_SERVER_SESSIONS_REGISTRAR_OWNER_H_
#define AAREN_SERVER_SESSIONS_REGISTRAR_OWNER_H_

// A SessionOwner is a shard as the registrar sees the shard: questions about sessions that come, go and are saved, and
// the words in the answers.
//
// Threading: the structs travel by value in mailbox messages. The methods run on the shard's thread, as messages that
// the registrar posted, and do not block.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/sessions/registrar/directory.h"
#include "server/sessions/registrar/sessions.h"
#include "server/sessions/registrar/transit.h"
#include "server/sessions/save/save.h"
#include "server/sessions/session/mailbox.h"
#include "server/sessions/session/peer.h"
#include "server/sessions/session/session_state.h"

namespace aaren::registrar {

// The end of a promotion. Without a refusal the shard has the session again.
struct Promoted {
  std::string rows;  // empty: the rows of a session without tokens
  store::TokenClock clock;
  uint64_t incarnation = 0;
  store::Attempt attempt;
  absl::Time last_active;
  Transit::Permit transit;
  std::optional<session::Refusal> refusal;
  bool passing = false;  // the reason may pass: the store is away
};

// The beginning of an opened session at its shard.
struct Installation {
  enum class Rows { kKeep, kReset, kReplace };

  session::SessionState state;
  Rows rows = Rows::kReset;  // kReplace: by state.rows
  bool created = false;
  bool moved = false;
  bool rewound = false;
  std::optional<std::pair<uint64_t, uint64_t>> lost;
  std::optional<session::Refusal> refusal;  // the session is kept, the Open is refused
};

// Why a session leaves its shard for good: a request deletes or replaces it, it expires, or another server has it.
enum class DropReason { kByRequest, kTakenElsewhere };

// A shard's answer about a session, which may be gone (evicted, moved) when the question arrives.
template <typename T>
struct OwnerReply {
  bool gone = false;
  session::Outcome<T> outcome;
};

// The settings that the registrar must know.
struct OwnerLimits {
  bool saves = false;
  absl::Duration session_ttl = absl::ZeroDuration();  // zero: sessions are kept for ever
  uint32_t max_channels = 1;
  save::Lease lease = {};
};

// A question about a shard's sessions: the sessions of `keys` that the shard has, and the next `most_demoted` demoted
// sessions behind `after` whose keys begin with `prefix`.
struct HereQuery {
  std::vector<std::string> keys;
  std::string prefix, after;
  size_t most_demoted = 0;
};
using HereReply = std::vector<std::pair<std::string, SessionHere>>;  // by key

class SessionOwner {
 public:
  virtual ~SessionOwner() = default;
  virtual session::Mailbox& mailbox() = 0;
  virtual OwnerLimits limits() const = 0;

  // Refused if the Open may not have the session. Changes nothing.
  virtual OwnerReply<session::Footprint> CheckOpen(const OpenCall& call) = 0;

  // Sets rows aside for a session that is about to come. Refused if there are no rows, or nobody waits any more.
  virtual std::optional<session::Refusal> Reserve(uint64_t ticket, session::Footprint footprint) = 0;

  // Fences the session's writer and drops the waiting tokens. Gives the session away to an Open of another shard, or
  // holds the session until Install. Refused if nobody waits for the Open any more.
  virtual OwnerReply<session::SessionState> Take(const OpenCall& call, uint64_t epoch) = 0;

  virtual void Install(const OpenCall& call, Installation installation) = 0;
  virtual void RefuseOpen(uint64_t ticket, const session::Refusal& refusal) = 0;

  // A copy, with the rows.
  virtual OwnerReply<session::SessionState> Capture(const std::string& key) = 0;

  // In the order of the keys; without a value where the session is gone.
  virtual std::vector<std::optional<session::SessionInfo>> Describe(const std::vector<std::string>& keys) = 0;

  // Changes nothing.
  virtual HereReply DescribeHere(const HereQuery& query) = 0;

  // Holds the session until Drop or Unhold: no save, no eviction, no expiry. Returns the epoch. Refused if the
  // condition is not true.
  virtual OwnerReply<uint64_t> Hold(const std::string& key, const DropCondition& condition) = 0;
  virtual void Unhold(const std::string& key) = 0;

  // Fences the writer and forgets the session. Returns the session's latest Open.
  virtual OwnerReply<store::Attempt> Drop(const std::string& key, DropReason reason, uint64_t epoch) = 0;

  // Takes the session away from its stream, and releases the session once the store has it. Until `done` is called, on
  // the shard's thread, the session is not opened. Refused if the store did not take the session in time: it stays.
  using Evicted = absl::AnyInvocable<void(OwnerReply<std::monostate>)>;
  virtual void Evict(const std::string& key, Evicted done) = 0;

  // So many sessions at rest had expired, and are deleted.
  virtual void Swept(size_t expired) = 0;

  // A session was deleted by request, wherever the session was.
  virtual void Deleted() = 0;

  // The number of demoted sessions. Any thread.
  virtual uint64_t demoted() const = 0;

  virtual void EndPromotion(uint64_t ticket, const std::string& key, Promoted promoted) = 0;

  // A writer with the epoch has taken or deleted a session at rest: a session with the key that is demoted here ends.
  virtual void LoseDemoted(const std::string& key, uint64_t epoch, const session::Refusal& refusal) = 0;

  // In the order of the keys: true where a stream has the session open, demoted.
  virtual std::vector<bool> HoldsDemoted(const std::vector<std::string>& keys) = 0;

  virtual void SavesDone(const std::vector<save::SaveResult>& results) = 0;
};

}  // namespace aaren::registrar

#endif  // AAREN_SERVER_SESSIONS_REGISTRAR_OWNER_H_
