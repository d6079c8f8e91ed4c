#ifndef AAREN_SERVER_SESSIONS_REGISTRAR_OPEN_OPEN_OPERATION_H_
#define AAREN_SERVER_SESSIONS_REGISTRAR_OPEN_OPEN_OPERATION_H_

// One Open, from the request to a session at the shard that asked ("here").
//
//   the session is:        at rest, or new     in the shard that asked   in another shard
//
//   may it be opened?      Find the record     (by Take, below)          CheckOpen, there
//   is there room?         Reserve, here       (rows are here)           Reserve, here
//   a place in transit     with the Load       with the Load             EnterTransit
//   the rows               Load, if not new    (rows are here)           (come with Take)
//   the store writes?      (by Acquire)        TryWrite                  TryWrite
//   an epoch               DrawEpoch           DrawEpoch                 DrawEpoch
//   the old writer ends    (no writer)         Take, here: a hold        Take, there: the session leaves
//   where to go on         Restore             RestoreResident: Find, and Load to go back
//   other servers end      Acquire             Acquire                   Acquire
//   the answer             Install, here       Install, here             Install, here
//
// An Open that loads or moves rows enters the transit first, once. A move enters before Take; an Open in the same shard
// that goes back enters during the hold, without other room in the transit.
//
// Between two steps the session may leave the shard (evicted, or after a failed engine), and another server may take
// the session. Then the Open begins again. To acquire is the store's compare-and-set of the record's epoch.
//
// All reasons to refuse the Open come before Take, so that a refused Open disturbs no writer. The exception is a store
// that fails after Take: the session moves all the same, and only the Open is refused. An Open whose stream has gone
// takes nothing.
//
// Threading: on the registrar's thread.

#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/status/statusor.h"
#include "server/sessions/registrar/operations.h"

namespace aaren::registrar {

class OpenOperation : public std::enable_shared_from_this<OpenOperation> {
 public:
  OpenOperation(Desk& desk, Entry& entry, std::shared_ptr<const OpenCall> call)
      : desk_(desk), entry_(entry), call_(std::move(call)) {}

  void Begin();

 private:
  const session::OpenRequest& request() const { return call_->request; }

  size_t bytes() const { return state_.channels * state_.model->engine->row_bytes(); }

  // True if the client misses replies of the session.
  bool MissedReplies() const { return request().delivered_seq && *request().delivered_seq < state_.point.seq; }

  // open_operation.cc: the check, the room, the rows, the end of the old writer.
  void BeginAtRest();
  void OnFound(absl::StatusOr<store::SessionRecord> record);
  void BeginNew();
  void OnChecked(OwnerReply<session::Footprint> reply);
  void Reserve();
  void OnReserved(const std::optional<session::Refusal>& refusal);
  void LoadRows();
  void OnLoaded(absl::StatusOr<LoadedRecord> loaded);
  void EnterTransit();
  void Take();
  void TakeNow();
  void OnTaken(OwnerReply<session::SessionState> reply);
  void DrawEpoch(void (*then)(OpenOperation&));
  void RefuseByShard(const session::Refusal& refusal);
  void Refuse(const session::Refusal& refusal);

  // restore.cc: where the session goes on.
  void Restore();
  bool NeedsDamaged(const store::SessionRecord& record, uint64_t from) const;
  std::optional<session::Refusal> RestoreFromRecord(store::SessionRecord& record);
  void RestoreResident();
  void OnResidentFound(absl::StatusOr<store::SessionRecord> record);
  void GoBack(absl::StatusOr<LoadedRecord> loaded);
  bool HasLostItsSave(const store::SessionRecord& record) const;
  void RestoreAgain();
  void BeginWithoutOwner();
  void Keep(session::Refusal refusal);

  // install.cc: other servers end, and the answer.
  session::SessionState OpenedState();
  std::optional<uint64_t> kept() const;
  void Acquire();
  void OnAcquired(const store::WriteResult& result);
  void Install();
  void SendInstallation(session::SessionState state);

  Desk& desk_;
  Entry& entry_;
  const std::shared_ptr<const OpenCall> call_;
  uint64_t epoch_ = 0;
  uint64_t held_epoch_ = 0;  // the epoch that the store was to have
  uint64_t newest_seq_ = 0;  // the newest loaded save of a session at rest
  bool resident_ = false;    // the session was in a shard
  std::optional<store::SessionRecord> record_;
  std::optional<std::tuple<session::SessionState, Installation>> before_;  // a resident session at Take
  session::SessionState state_;
  Installation installation_;
};

}  // namespace aaren::registrar

#endif  // AAREN_SERVER_SESSIONS_REGISTRAR_OPEN_OPEN_OPERATION_H_
