#ifndef AAREN_SERVER_SESSIONS_SHARD_RESIDENTS_RESIDENTS_H_
#define AAREN_SERVER_SESSIONS_SHARD_RESIDENTS_RESIDENTS_H_

// Residents are the sessions with rows in the shard's memory: the table by key, the rows, and all lists
// (server/sessions/session/table/session_lists.h). A change of a session's state goes through a verb of Residents, and
// only the verb puts the session into the list for the new state.
//
// Threading: belongs to one shard.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "server/sessions/save/saver.h"
#include "server/sessions/session/session.h"
#include "server/sessions/session/table/compact_key.h"
#include "server/sessions/session/table/row_pool.h"
#include "server/sessions/session/table/session_lists.h"
#include "server/sessions/shard/core.h"
#include "server/sessions/shard/residents/overdue.h"
#include "server/sessions/shard/residents/silent_sessions.h"
#include "server/sessions/shard/residents/slab.h"
#include "server/sessions/task/plan_table.h"

namespace aaren::shard {

class Residents {
 public:
  // `core` outlives the Residents.
  explicit Residents(Core& core);

  // Null: the session is not here.
  session::Session* Find(absl::string_view key);

  // Puts the session into the table, and into no list yet. REQUIRES: the session has rows, and the key is new.
  session::Session& Add(std::unique_ptr<session::Session> session);

  // Forgets the session and frees the rows. REQUIRES: no stream has the session.
  void Remove(session::Session& session);

  // Forgets a session once the stream's handle stands for a Demoted.
  void RemoveDemoted(session::Session& session);

  // A stream has the session open. REQUIRES: the caller has set stream, handle and plan.
  void Attach(session::Session& session);

  // The stream lets go of the session, and the flow is forgotten.
  void Detach(session::Session& session);

  // Between Hold and EndHold the registrar holds the session: no save, eviction or expiry begins.
  void Hold(session::Session& session);
  void EndHold(session::Session& session);

  // The registrar has installed the session without a stream.
  void Rest(session::Session& session) { Settle(session); }

  // A step has folded the session's tokens, or answered items without tokens.
  void OnStepped(session::Session& session, int64_t now_ms);

  // Sets when the session's next event is overdue, if the stream's Open asks. REQUIRES: no step has the session.
  void ExpectNext(const session::Session& session);

  // A duplicate came: the session is in use all the same.
  void OnUsed(session::Session& session);

  // The client has all replies below delivered_seq, if told: a waiting save may begin.
  void OnDelivered(session::Session& session, std::optional<uint64_t> delivered_seq);

  // The stream waits for the store, and waits no more.
  void Stall(session::Session& session);
  void EndStall(session::Session& session);

  // A save has ended.
  void OnSaveEnded(session::Session& session) { Settle(session); }

  // The session is about to expire, and is in no list meanwhile. EndExpiry: the session stays.
  void BeginExpiry(session::Session& session) { lists_.Remove(session); }
  void EndExpiry(session::Session& session);

  // The session goes to the end of the list. REQUIRES: the list is `quiet`.
  void MoveBack(session::Session& session);

  // True if a session has begun to wait for the client's delivered_seq since the last call.
  bool TakeNewUntold() { return std::exchange(new_untold_, false); }

  void UpdateLevels();

  const session::SessionLists& lists() const { return lists_; }
  session::RestingSessions& resting() { return lists_.resting; }
  save::Saver& saver() { return saver_; }
  const save::Saver& saver() const { return saver_; }
  session::RowPool& rows() { return rows_; }
  Slab& slab() { return slab_; }
  task::PlanTable& plans() { return plans_; }
  Overdue& overdue() { return overdue_; }

 private:
  void Settle(session::Session& session);

  Core& core_;
  session::RowPool rows_;
  Slab slab_;
  task::PlanTable plans_;
  Overdue overdue_;
  session::SessionLists lists_;
  save::Saver saver_;
  absl::flat_hash_set<std::unique_ptr<session::Session>, session::ByKey<session::Session>,
                      session::ByKey<session::Session>>
      sessions_;
  SilentSessions silent_;
  size_t attached_ = 0;
  size_t stalled_ = 0;  // sessions with a stream waiting for the store
  bool new_untold_ = false;
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SESSIONS_SHARD_RESIDENTS_RESIDENTS_H_
