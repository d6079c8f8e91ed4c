// A promotion is the way back of a demoted session, whose row is in the store only while a stream has the session open:
// one Load, without a new epoch and without a write, since the writer stays the same. The record must still be as the
// writer left it.

#include <memory>
#include <utility>

#include "server/sessions/registrar/open/open_check.h"
#include "server/sessions/registrar/operations.h"
#include "server/sessions/session/refusal.h"

namespace aaren::registrar {
namespace {

// True if the same call may succeed later.
bool MayPass(const absl::Status& status) {
  return !absl::IsNotFound(status) && !absl::IsDataLoss(status) && !absl::IsInvalidArgument(status) &&
         !absl::IsFailedPrecondition(status);
}

Promoted RefusedPromotion(session::Refusal refusal, bool passing = false) {
  Promoted promoted;
  promoted.refusal = std::move(refusal);
  promoted.passing = passing;
  return promoted;
}

Promoted FromRecord(const PromoteCall& call, absl::StatusOr<store::SessionRecord> record) {
  const absl::string_view id = session::SessionId(call.key);
  if (absl::IsNotFound(record.status())) return RefusedPromotion(session::SessionNotFound(id));
  if (!record.ok() && MayPass(record.status())) {
    return RefusedPromotion(session::StoreRefusal(record.status()), /*passing=*/true);
  }
  if (!record.ok()) return RefusedPromotion(session::BadState(call.key, record.status()));
  if (record->epoch != call.epoch) return RefusedPromotion(session::Fenced(id, record->epoch));
  Promoted promoted;
  store::SavedRows newest;
  if (!record->saves.empty()) newest = std::move(record->saves.back());
  if (record->damaged_seq == call.seq && !record->damage.ok()) {
    return RefusedPromotion(session::BadState(call.key, record->damage));
  }
  if (newest.point.seq != call.seq) {
    return RefusedPromotion(
        session::BadState(call.key, absl::DataLossError("the newest save is not the one that the session left")));
  }
  if (!newest.rows.empty()) {
    if (auto refusal = CheckRows(*call.footprint.model, call.footprint.channels, call.seq, newest.rows)) {
      return RefusedPromotion(*std::move(refusal));
    }
  }
  promoted.rows = std::move(newest.rows);
  promoted.clock = newest.point.clock;
  promoted.incarnation = record->incarnation;
  promoted.attempt = record->attempt;
  promoted.last_active = record->last_active;
  return promoted;
}

// A shard that does not want the session any more releases it again.
void EndPromotion(Desk& desk, Entry& entry, const PromoteCall& call, Promoted promoted) {
  if (!promoted.refusal) entry.owner = call.shard;
  desk.shards.Tell(call.shard,
                   [ticket = call.ticket, key = call.key, promoted = std::move(promoted)](SessionOwner& owner) mutable {
                     owner.EndPromotion(ticket, key, std::move(promoted));
                   });
  desk.owners.Finish(entry);
}

void BeginPromotion(Desk& desk, Entry& entry, const std::shared_ptr<const PromoteCall>& call) {
  if (call->cancelled) return desk.owners.Finish(entry);
  if (entry.owner != kAtRest) {
    return EndPromotion(desk, entry, *call, RefusedPromotion(session::Fenced(session::SessionId(call->key), 0)));
  }
  desk.transit.Enter(call->bytes, [&desk, &entry, call](Transit::Permit permit) mutable {
    if (call->cancelled) return desk.owners.Finish(entry);
    auto loaded = [&desk, &entry, call,
                   permit = std::move(permit)](absl::StatusOr<store::SessionRecord> record) mutable {
      Promoted promoted = FromRecord(*call, std::move(record));
      if (!promoted.refusal) promoted.transit = std::move(permit);
      EndPromotion(desk, entry, *call, std::move(promoted));
    };
    desk.store.Load(call->key, desk.mail.Back<absl::StatusOr<store::SessionRecord>>(std::move(loaded)));
  });
}

}  // namespace

void Promote(Desk& desk, std::shared_ptr<const PromoteCall> call) {
  const std::string key = call->key;
  desk.owners.Submit(key, [&desk, call = std::move(call)](Entry& entry) { BeginPromotion(desk, entry, call); });
}

}  // namespace aaren::registrar
