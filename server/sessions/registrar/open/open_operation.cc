#include "server/sessions/registrar/open/open_operation.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/sessions/registrar/open/open_check.h"
#include "server/sessions/session/record.h"
#include "server/sessions/session/refusal.h"

namespace aaren::registrar {

void OpenOperation::Begin() {
  if (call_->cancelled) return Refuse(session::OpenCancelled());
  desk_.stored.Follow(call_->key, call_->account);
  state_ = {};
  record_.reset();
  before_.reset();
  resident_ = false;
  installation_ = {};
  if (entry_.owner == kAtRest) return BeginAtRest();
  if (entry_.owner == call_->shard) return Take();
  desk_.shards.Ask(
      entry_.owner, [call = call_](SessionOwner& owner) { return owner.CheckOpen(*call); },
      [self = shared_from_this()](OwnerReply<session::Footprint> reply) { self->OnChecked(std::move(reply)); });
}

void OpenOperation::BeginAtRest() {
  desk_.records.FindUnexpired(call_->key, [self = shared_from_this()](absl::StatusOr<store::SessionRecord> record) {
    self->OnFound(std::move(record));
  });
}

void OpenOperation::OnFound(absl::StatusOr<store::SessionRecord> record) {
  if (absl::IsNotFound(record.status())) return BeginNew();
  if (!record.ok()) return Refuse(session::StoreRefusal(record.status()));
  const session::Outcome<models::ModelRef> model = ModelOfState(desk_.models, call_->id(), record->origin);
  if (model.refusal) return Refuse(*model.refusal);
  if (request().attempt.IsBehind(record->attempt)) {
    return Refuse(session::StaleOpen(call_->id(), record->epoch));
  }
  if (auto refusal =
          CheckExisting(request(), *model.value, record->origin.channels, record->epoch, record->incarnation)) {
    return Refuse(*refusal);
  }
  if (record->origin.channels > desk_.shards.limits().max_channels) {
    return Refuse(session::OtherSchema(call_->id(), "channels",
                                       absl::StrCat("at most ", desk_.shards.limits().max_channels),
                                       absl::StrCat(record->origin.channels)));
  }
  state_.model = model.value;
  state_.channels = record->origin.channels;
  state_.incarnation = record->incarnation;
  record_ = *std::move(record);
  Reserve();
}

void OpenOperation::BeginNew() {
  if (desk_.deleted.IsStale(call_->key, request().attempt)) return Refuse(session::StaleOpen(call_->id(), 0));
  if (request().mode == session::OpenMode::kResume) return Refuse(session::SessionNotFound(call_->id()));
  if (request().incarnation) return Refuse(session::OtherIncarnation(call_->id(), *request().incarnation, 0));
  const absl::StatusOr<models::ModelRef> model = desk_.models.Find(request().model, call_->key);
  if (!model.ok()) return Refuse(session::ModelNotFound(model.status()));
  state_.model = TierOf(request(), desk_.models, *model);
  if (auto refusal = CheckCreation(request(), *state_.model)) return Refuse(*refusal);
  state_.channels = state_.model->conversion->series(request().channels);
  installation_.created = true;
  desk_.stored.Take(call_->key, call_->account, bytes(),
                    [self = shared_from_this()](const std::optional<session::Refusal>& refusal) {
                      refusal ? self->Refuse(*refusal) : self->Reserve();
                    });
}

void OpenOperation::OnChecked(OwnerReply<session::Footprint> reply) {
  if (reply.gone) return Begin();
  if (reply.outcome.refusal) return RefuseByShard(*reply.outcome.refusal);
  static_cast<session::Footprint&>(state_) = reply.outcome.value;
  Reserve();
}

void OpenOperation::Reserve() {
  desk_.shards.Ask(
      call_->shard,
      [call = call_, footprint = session::Footprint(state_)](SessionOwner& owner) {
        return owner.Reserve(call->ticket, footprint);
      },
      [self = shared_from_this()](std::optional<session::Refusal> refusal) { self->OnReserved(refusal); });
}

void OpenOperation::OnReserved(const std::optional<session::Refusal>& refusal) {
  if (refusal) return Refuse(*refusal);
  if (installation_.created) return DrawEpoch([](OpenOperation& self) { self.Restore(); });
  if (record_) return LoadRows();
  if (entry_.owner == kAtRest) return Begin();  // it has left its shard meanwhile
  EnterTransit();
}

void OpenOperation::LoadRows() {
  desk_.records.Load(
      *record_, state_.model->engine->row_bytes(), nullptr,
      [self = shared_from_this()](absl::StatusOr<LoadedRecord> loaded) { self->OnLoaded(std::move(loaded)); });
}

void OpenOperation::OnLoaded(absl::StatusOr<LoadedRecord> loaded) {
  if (call_->cancelled) return Refuse(session::OpenCancelled());
  if (absl::IsNotFound(loaded.status())) return Begin();
  if (!loaded.ok()) return Refuse(session::StoreRefusal(loaded.status()));
  if (loaded->record.epoch != record_->epoch) return Begin();  // another server has had the session meanwhile
  state_.transit = std::move(loaded->permit);
  record_ = std::move(loaded->record);
  newest_seq_ = std::max(session::NewestSeq(*record_), record_->damaged_seq);
  DrawEpoch([](OpenOperation& self) { self.Restore(); });
}

// Room for the rows, and for two saves to go back to.
void OpenOperation::EnterTransit() {
  desk_.transit.Enter(3 * bytes(), [self = shared_from_this()](Transit::Permit permit) {
    self->state_.transit = std::move(permit);
    if (self->entry_.owner == kAtRest) return self->Begin();
    self->Take();
  });
}

// A silent or full store must not cost the session the writer: so the store is asked before.
void OpenOperation::Take() {
  if (!desk_.shards.limits().saves) return TakeNow();
  desk_.store.TryWrite(desk_.mail.Back<absl::Status>([self = shared_from_this()](const absl::Status& status) {
    status.ok() ? self->TakeNow() : self->Refuse(session::StoreRefusal(status));
  }));
}

void OpenOperation::TakeNow() {
  DrawEpoch([](OpenOperation& self) {
    if (self.entry_.owner == kAtRest) return self.Begin();  // it has left its shard meanwhile
    self.desk_.shards.Ask(
        self.entry_.owner,
        [call = self.call_, epoch = self.epoch_](SessionOwner& owner) { return owner.Take(*call, epoch); },
        [op = self.shared_from_this()](OwnerReply<session::SessionState> reply) { op->OnTaken(std::move(reply)); });
  });
}

void OpenOperation::OnTaken(OwnerReply<session::SessionState> reply) {
  if (reply.gone) return Begin();
  if (reply.outcome.refusal) return RefuseByShard(*reply.outcome.refusal);
  resident_ = true;
  reply.outcome.value.transit = std::move(state_.transit);
  state_ = std::move(reply.outcome.value);
  installation_.moved = entry_.owner != call_->shard;
  installation_.rows = installation_.moved ? Installation::Rows::kReplace : Installation::Rows::kKeep;
  RestoreResident();
}

// The epoch is larger than the record's.
void OpenOperation::DrawEpoch(void (*then)(OpenOperation&)) {
  const uint64_t above = record_ ? record_->epoch : 0;
  desk_.epochs.Draw(above, [self = shared_from_this(), then](absl::StatusOr<uint64_t> epoch) {
    if (!epoch.ok()) return self->Refuse(session::StoreRefusal(epoch.status()));
    self->epoch_ = *epoch;
    then(*self);
  });
}

// A stale copy must not refuse what the session of another server allows.
void OpenOperation::RefuseByShard(const session::Refusal& refusal) {
  state_.transit.reset();
  DropStaleCopy(desk_, entry_, [self = shared_from_this(), refusal] {
    self->entry_.owner == kAtRest ? self->Begin() : self->Refuse(refusal);
  });
}

void OpenOperation::Refuse(const session::Refusal& refusal) {
  desk_.shards.Tell(call_->shard,
                    [call = call_, refusal](SessionOwner& owner) { owner.RefuseOpen(call->ticket, refusal); });
  desk_.owners.Finish(entry_);
}

void RunOpen(Desk& desk, Entry& entry, std::shared_ptr<const OpenCall> call) {
  std::make_shared<OpenOperation>(desk, entry, std::move(call))->Begin();
}

}  // namespace aaren::registrar
