#ifndef AAREN_SERVER_REGISTRAR_OPEN_OPEN_OPERATION_H_
#define AAREN_SERVER_REGISTRAR_OPEN_OPEN_OPERATION_H_

// One Open, from the request to a session at the shard that asked ("here").
//
//   the session is:        at rest, or new     in the shard that asked   in another shard
//
//   may it be opened?      Find its record     (by Take, below)          CheckOpen, there
//   is there room?         Reserve, here       (it has its rows)         Reserve, here
//   a place in transit     with its Load       with its Load             EnterTransit
//   its rows               Load, if not new    (it has them)             (come with Take)
//   the store writes?      (by Acquire)        TryWrite                  TryWrite
//   a number for it        DrawEpoch           DrawEpoch                 DrawEpoch
//   its writer ends        (it has none)       Take, here: it is held    Take, there: it leaves
//   where it goes on       Restore             RestoreResident: Find, and Load if it goes back
//   other servers end      Acquire             Acquire                   Acquire
//   the answer             Install, here       Install, here             Install, here
//
// Whoever loads or moves rows enters the transit first, once. A move enters before it takes the session; an Open in the
// same shard that goes back enters while the session is held for it, and holds no room then.
//
// Between two of these the session may leave its shard (evicted, or its engine failed), and another server may take it.
// Then the Open begins again from what is true now. To acquire is the store's compare-and-set of the record's epoch.
//
// Whatever can refuse the Open comes before Take, so that a refused Open disturbs no writer. A store that fails after
// Take is the exception: the session moves all the same, and only the Open is refused. An Open whose stream has gone
// takes nothing.
//
// Threading: on the registrar's thread.

#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/status/statusor.h"
#include "server/registrar/desk.h"

namespace aaren::registrar {

class OpenOperation : public std::enable_shared_from_this<OpenOperation> {
 public:
  OpenOperation(Desk& registrar, Desk::Entry& entry, std::shared_ptr<const OpenCall> call)
      : registrar_(registrar), entry_(entry), call_(std::move(call)) {}

  void Begin();

 private:
  const session::OpenRequest& request() const { return call_->request; }

  size_t bytes() const { return state_.channels * state_.model->engine->row_bytes(); }

  // Whether the client has not received all that the session has answered.
  bool MissedReplies() const { return request().delivered_seq && *request().delivered_seq < state_.point.seq; }

  // open_operation.cc: may it be opened, is there room, its rows, its writer ends.
  void BeginAtRest();
  void OnFound(absl::StatusOr<store::SessionRecord> record);
  void BeginNew();
  void OnChecked(OwnerReply<session::Footprint> reply);
  void Reserve();
  void OnReserved(const std::optional<session::Refusal>& refusal);
  void LoadRows();
  void OnLoaded(absl::StatusOr<Desk::LoadedRecord> loaded);
  void EnterTransit();
  void Take();
  void TakeNow();
  void OnTaken(OwnerReply<session::SessionState> reply);
  void DrawEpoch(void (*then)(OpenOperation&));
  void Refuse(const session::Refusal& refusal);

  // restore.cc: where it goes on.
  void Restore();
  bool NeedsDamaged(const store::SessionRecord& record, uint64_t from) const;
  std::optional<session::Refusal> RestoreFromRecord(store::SessionRecord& record);
  void RestoreResident();
  void OnResidentFound(absl::StatusOr<store::SessionRecord> record);
  void GoBack(absl::StatusOr<Desk::LoadedRecord> loaded);
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

  Desk& registrar_;
  Desk::Entry& entry_;
  const std::shared_ptr<const OpenCall> call_;
  uint64_t epoch_ = 0;
  uint64_t held_epoch_ = 0;  // that the store was to hold
  uint64_t newest_seq_ = 0;  // of the saves of a session at rest, as they were loaded
  bool resident_ = false;    // it was in a shard
  std::optional<store::SessionRecord> record_;
  std::optional<std::tuple<session::SessionState, Installation>> before_;  // of a resident session, when it was taken
  session::SessionState state_;
  Installation installation_;
};

}  // namespace aaren::registrar

#endif  // AAREN_SERVER_REGISTRAR_OPEN_OPEN_OPERATION_H_
