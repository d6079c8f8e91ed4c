// Sessions that a shard has demoted: their rows are in the store only, while a stream still has them open. They are at
// rest for everything that is done here, so whatever takes or deletes one tells the shards. Which of them remembers it
// nobody knows: only those that have demoted any are asked.
//
// A promotion is the way back: one Load, no new epoch and no write, since the writer is the one of before. The record
// must still be as that writer left it.

#include <memory>
#include <utility>

#include "server/registrar/desk.h"
#include "server/registrar/open/open_check.h"
#include "server/session/refusal.h"

namespace aaren::registrar {
namespace {

// Whether the same call may succeed later.
bool MayPass(const absl::Status& status) {
  return !absl::IsNotFound(status) && !absl::IsDataLoss(status) && !absl::IsInvalidArgument(status) &&
         !absl::IsFailedPrecondition(status);
}

Promoted Refused(session::Refusal refusal, bool passing = false) {
  Promoted promoted;
  promoted.refusal = std::move(refusal);
  promoted.passing = passing;
  return promoted;
}

Promoted FromRecord(const PromoteCall& call, absl::StatusOr<store::SessionRecord> record) {
  const absl::string_view id = session::SessionId(call.key);
  if (absl::IsNotFound(record.status())) return Refused(session::SessionNotFound(id));
  if (!record.ok() && MayPass(record.status()))
    return Refused(session::StoreRefusal(record.status()), /*passing=*/true);
  if (!record.ok()) return Refused(session::BadState(call.key, record.status()));
  if (record->epoch != call.epoch) return Refused(session::Fenced(id, record->epoch));
  Promoted promoted;
  store::SavedRows newest;
  if (!record->saves.empty()) newest = std::move(record->saves.back());
  if (record->damaged_seq == call.seq && !record->damage.ok()) {
    return Refused(session::BadState(call.key, record->damage));
  }
  if (newest.point.seq != call.seq) {
    return Refused(
        session::BadState(call.key, absl::DataLossError("the newest save is not the one that the session left")));
  }
  if (!newest.rows.empty()) {
    if (auto refusal = CheckRows(*call.footprint.model, call.footprint.channels, call.seq, newest.rows)) {
      return Refused(*std::move(refusal));
    }
  }
  promoted.rows = std::move(newest.rows);
  promoted.clock = newest.point.clock;
  promoted.incarnation = record->incarnation;
  promoted.attempt = record->attempt;
  promoted.last_active = record->last_active;
  return promoted;
}

}  // namespace

void Desk::Promote(std::shared_ptr<const PromoteCall> call) {
  Post([this, call = std::move(call)] {
    Submit(call->key, [this, call](Entry& entry) { BeginPromotion(entry, call); });
  });
}

void Desk::BeginPromotion(Entry& entry, std::shared_ptr<const PromoteCall> call) {
  if (call->cancelled) return Finish(entry);
  if (entry.owner != kAtRest)
    return EndPromotion(entry, *call, Refused(session::Fenced(session::SessionId(call->key), 0)));
  transit_.Enter(call->bytes, [this, &entry, call](Transit::Permit permit) mutable {
    if (call->cancelled) return Finish(entry);
    store_.Load(call->key,
                Back<absl::StatusOr<store::SessionRecord>>([this, &entry, call, permit = std::move(permit)](
                                                               absl::StatusOr<store::SessionRecord> record) mutable {
                  Promoted promoted = FromRecord(*call, std::move(record));
                  if (!promoted.refusal) promoted.transit = std::move(permit);
                  EndPromotion(entry, *call, std::move(promoted));
                }));
  });
}

void Desk::EndPromotion(Entry& entry, const PromoteCall& call, Promoted promoted) {
  // A shard that does not want it any more lets it go again.
  if (!promoted.refusal) entry.owner = call.shard;
  Tell(call.shard, [ticket = call.ticket, key = call.key, promoted = std::move(promoted)](SessionOwner& owner) mutable {
    owner.EndPromotion(ticket, key, std::move(promoted));
  });
  Finish(entry);
}

void Desk::TellDemoted(const std::string& key, uint64_t epoch, const session::Refusal& refusal) {
  for (int shard = 0; shard < static_cast<int>(shards_.size()); ++shard) {
    if (shards_[shard]->demoted() == 0) continue;
    Tell(shard, [key, epoch, refusal](SessionOwner& owner) { owner.LoseDemoted(key, epoch, refusal); });
  }
}

void Desk::AskDemoted(std::vector<std::string> keys, absl::AnyInvocable<void(std::vector<bool>)> then) {
  struct Answers {
    std::vector<bool> holds;
    size_t waiting = 1;
    absl::AnyInvocable<void(std::vector<bool>)> then;
    void OneLess() {
      if (--waiting == 0) then(std::move(holds));
    }
  };
  auto answers = std::make_shared<Answers>();
  answers->holds.resize(keys.size());
  answers->then = std::move(then);
  for (int shard = 0; shard < static_cast<int>(shards_.size()) && !keys.empty(); ++shard) {
    if (shards_[shard]->demoted() == 0) continue;
    ++answers->waiting;
    Ask(
        shard, [keys](SessionOwner& owner) { return owner.HoldsDemoted(keys); },
        [answers](const std::vector<bool>& holds) {
          for (size_t i = 0; i < holds.size(); ++i) answers->holds[i] = answers->holds[i] || holds[i];
          answers->OneLess();
        });
  }
  answers->OneLess();
}

}  // namespace aaren::registrar
