// An opened session goes on from its rows, or from a save.

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "server/sessions/registrar/open/open_check.h"
#include "server/sessions/registrar/open/open_operation.h"
#include "server/sessions/session/record.h"
#include "server/sessions/session/refusal.h"

namespace aaren::registrar {
namespace {

// The seq of the oldest save, readable or not. REQUIRES: a save can be read.
uint64_t OldestSeq(const store::SessionRecord& record) {
  const uint64_t front = record.saves.front().point.seq;
  return record.damage.ok() ? front : std::min(front, record.damaged_seq);
}

}  // namespace

void OpenOperation::Restore() {
  if (installation_.created) {
    state_.incarnation = epoch_;
  } else if (auto refusal = RestoreFromRecord(*record_)) {
    return Refuse(*refusal);
  }
  Acquire();
}

// True if the Open needs the save that cannot be read, and not the save at seq `from`. A client whose delivered_seq is
// below a save was not told that the save is durable, and has all tokens since the save before.
bool OpenOperation::NeedsDamaged(const store::SessionRecord& record, uint64_t from) const {
  if (record.damage.ok()) return false;
  const std::optional<uint64_t> delivered = request().delivered_seq;
  const bool too_late = delivered && from > *delivered;  // and the Open would name the lost tokens
  if (delivered && record.damaged_seq > *delivered) return too_late && record.damaged_seq < from;
  return too_late || from < record.damaged_seq;
}

// Goes on from the newest save that the client's delivered_seq allows. Without such a save the session goes on from the
// oldest save, and the Open names the lost tokens.
std::optional<session::Refusal> OpenOperation::RestoreFromRecord(store::SessionRecord& record) {
  std::vector<store::SavedRows>& saves = record.saves;
  if (const std::optional<uint64_t> delivered = request().delivered_seq) {
    const bool empty_row_counts = saves.empty() || OldestSeq(record) > record.delivered_seq;
    while (!saves.empty() && saves.back().point.seq > *delivered && (saves.size() > 1 || empty_row_counts))
      saves.pop_back();
    if (!saves.empty() && saves.back().point.seq > *delivered)
      installation_.lost = {*delivered, saves.back().point.seq};
  }
  if (NeedsDamaged(record, session::NewestSeq(record))) return session::StoreRefusal(record.damage);
  store::SavedRows from;
  if (!saves.empty()) {
    from = saves.back();
    if (auto refusal = CheckRows(*state_.model, state_.channels, from.point.seq, from.rows)) return refusal;
  }
  installation_.rows = saves.empty() ? Installation::Rows::kReset : Installation::Rows::kReplace;
  state_.point = from.point;
  state_.rows = std::move(from.rows);
  return std::nullopt;
}

void OpenOperation::RestoreResident() {
  if (desk_.shards.limits().saves) {
    return desk_.records.Find(call_->key, [self = shared_from_this()](absl::StatusOr<store::SessionRecord> record) {
      self->OnResidentFound(std::move(record));
    });
  }
  if (MissedReplies()) installation_.lost = {*request().delivered_seq, state_.point.seq};
  Acquire();
}

void OpenOperation::OnResidentFound(absl::StatusOr<store::SessionRecord> record) {
  if (absl::IsNotFound(record.status())) return BeginWithoutOwner();
  if (!record.ok()) return Keep(session::StoreRefusal(record.status()));
  if (record->epoch != state_.epoch) return BeginWithoutOwner();
  record_ = *std::move(record);
  record_->delivered_seq = std::max(record_->delivered_seq, state_.delivered_seq);
  if (!MissedReplies()) return Acquire();
  if (state_.durability == session::SessionDurability::kNone) {  // any save is of long ago
    installation_.lost = {*request().delivered_seq, state_.point.seq};
    return Acquire();
  }
  desk_.records.Load(
      *record_, state_.model->engine->row_bytes(), state_.transit,
      [self = shared_from_this()](absl::StatusOr<LoadedRecord> loaded) { self->GoBack(std::move(loaded)); });
}

void OpenOperation::GoBack(absl::StatusOr<LoadedRecord> loaded) {
  if (absl::IsNotFound(loaded.status())) return BeginWithoutOwner();
  if (!loaded.ok()) return Keep(session::StoreRefusal(loaded.status()));
  if (loaded->record.epoch != record_->epoch) return BeginWithoutOwner();
  if (HasLostItsSave(loaded->record)) {
    installation_.lost = {*request().delivered_seq, state_.point.seq};
    return Acquire();
  }
  before_.emplace(state_, installation_);
  state_.transit = std::move(loaded->permit);
  record_->saves = std::move(loaded->record.saves);
  record_->damage = std::move(loaded->record.damage);
  record_->damaged_seq = loaded->record.damaged_seq;
  if (auto refusal = RestoreFromRecord(*record_)) return Keep(*refusal);
  installation_.rewound = true;
  Acquire();
}

// True if the durable save that the client knows is gone, and no later save serves. The client's tokens below the save
// are gone as well, so the rows here are newer than anything that could be had again.
bool OpenOperation::HasLostItsSave(const store::SessionRecord& record) const {
  // A client of EVERY_TOKEN was told the newest save.
  const bool every = state_.durability == session::SessionDurability::kEveryToken;
  const uint64_t told = every ? state_.pending_seq.value_or(state_.durable_seq) : state_.durable_seq;
  const uint64_t delivered = *request().delivered_seq;
  const auto serves = [=](const store::SavedRows& save) {
    return save.point.seq >= told && save.point.seq <= delivered;
  };
  return told > 0 && told <= delivered && std::none_of(record.saves.begin(), record.saves.end(), serves);
}

// The store has lost a save meanwhile, and no other server has the session: the session goes on from the present
// record.
void OpenOperation::RestoreAgain() {
  if (before_) std::tie(state_, installation_) = *std::move(before_);
  before_.reset();
  RestoreResident();
}

// Another server has taken or deleted the session: the state here is of the past.
void OpenOperation::BeginWithoutOwner() {
  if (installation_.moved || entry_.owner == kAtRest) {
    entry_.owner = kAtRest;
    return Begin();
  }
  desk_.shards.Ask(
      entry_.owner,
      [call = call_, epoch = epoch_](SessionOwner& owner) {
        return owner.Drop(call->key, DropReason::kTakenElsewhere, epoch);
      },
      [self = shared_from_this()](const OwnerReply<store::Attempt>&) {
        self->entry_.owner = kAtRest;
        self->Begin();
      });
}

// Only the Open is refused: a session in a shard goes on from where it was.
void OpenOperation::Keep(session::Refusal refusal) {
  if (before_) std::tie(state_, installation_) = *std::move(before_);
  installation_.refusal = std::move(refusal);
  SendInstallation(std::move(state_));
}

}  // namespace aaren::registrar
