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

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/registrar/open_check.h"
#include "server/registrar/registrar_impl.h"
#include "server/session/record.h"
#include "server/session/refusal.h"

namespace aaren::registrar {
namespace {

using Impl = Registrar::Impl;
using Rows = Installation::Rows;

class OpenOperation : public std::enable_shared_from_this<OpenOperation> {
 public:
  OpenOperation(Impl& registrar, Impl::Entry& entry, std::shared_ptr<const OpenCall> call)
      : registrar_(registrar), entry_(entry), call_(std::move(call)) {}

  void Begin() {
    if (call_->cancelled) return Refuse(session::OpenCancelled());
    state_ = {};
    record_.reset();
    before_.reset();
    resident_ = false;
    installation_ = {};
    if (entry_.owner == Impl::kAtRest) return BeginAtRest();
    if (entry_.owner == call_->shard) return Take();
    registrar_.Ask(
        entry_.owner, [call = call_](SessionOwner& owner) { return owner.CheckOpen(*call); },
        [self = shared_from_this()](OwnerReply<session::Footprint> reply) { self->OnChecked(std::move(reply)); });
  }

 private:
  const session::OpenRequest& request() const { return call_->request; }

  void BeginAtRest() {
    registrar_.FindUnexpired(call_->key, [self = shared_from_this()](absl::StatusOr<store::SessionRecord> record) {
      self->OnFound(std::move(record));
    });
  }

  void OnFound(absl::StatusOr<store::SessionRecord> record) {
    if (absl::IsNotFound(record.status())) return BeginNew();
    if (!record.ok()) return Refuse(session::StoreRefusal(record.status()));
    const session::Outcome<models::ModelRef> model = ModelOfState(registrar_.models(), call_->id(), record->origin);
    if (model.refusal) return Refuse(*model.refusal);
    if (request().attempt.IsBehind(record->attempt)) {
      return Refuse(session::StaleOpen(call_->id(), record->epoch));
    }
    if (auto refusal =
            CheckExisting(request(), *model.value, record->origin.channels, record->epoch, record->incarnation)) {
      return Refuse(*refusal);
    }
    if (record->origin.channels > registrar_.max_channels()) {
      return Refuse(session::OtherSchema(call_->id(), "channels", absl::StrCat("at most ", registrar_.max_channels()),
                                         absl::StrCat(record->origin.channels)));
    }
    state_.model = model.value;
    state_.channels = record->origin.channels;
    state_.incarnation = record->incarnation;
    record_ = *std::move(record);
    Reserve();
  }

  void BeginNew() {
    if (registrar_.deleted().IsStale(call_->key, request().attempt)) return Refuse(session::StaleOpen(call_->id(), 0));
    if (request().mode == session::OpenMode::kResume) return Refuse(session::SessionNotFound(call_->id()));
    if (request().incarnation) return Refuse(session::OtherIncarnation(call_->id(), *request().incarnation, 0));
    const absl::StatusOr<models::ModelRef> model = registrar_.models().Find(request().model, call_->key);
    if (!model.ok()) return Refuse(session::ModelNotFound(model.status()));
    if (auto refusal = CheckCreation(request(), **model)) return Refuse(*refusal);
    state_.model = *model;
    state_.channels = std::max(1u, request().channels);
    installation_.created = true;
    Reserve();
  }

  void OnChecked(OwnerReply<session::Footprint> reply) {
    if (reply.gone) return Begin();
    if (reply.outcome.refusal) return Refuse(*reply.outcome.refusal);
    static_cast<session::Footprint&>(state_) = reply.outcome.value;
    Reserve();
  }

  void Reserve() {
    registrar_.Ask(
        call_->shard,
        [call = call_, footprint = session::Footprint(state_)](SessionOwner& owner) {
          return owner.Reserve(call->ticket, footprint);
        },
        [self = shared_from_this()](std::optional<session::Refusal> refusal) { self->OnReserved(refusal); });
  }

  void OnReserved(const std::optional<session::Refusal>& refusal) {
    if (refusal) return Refuse(*refusal);
    if (installation_.created) return DrawEpoch([](OpenOperation& self) { self.Restore(); });
    if (record_) return LoadRows();
    if (entry_.owner == Impl::kAtRest) return Begin();  // it has left its shard meanwhile
    EnterTransit();
  }

  size_t bytes() const { return state_.channels * state_.model->engine->row_bytes(); }

  void LoadRows() {
    registrar_.Load(
        *record_, state_.model->engine->row_bytes(), nullptr,
        [self = shared_from_this()](absl::StatusOr<Impl::LoadedRecord> loaded) { self->OnLoaded(std::move(loaded)); });
  }

  void OnLoaded(absl::StatusOr<Impl::LoadedRecord> loaded) {
    if (call_->cancelled) return Refuse(session::OpenCancelled());
    if (absl::IsNotFound(loaded.status())) return Begin();
    if (!loaded.ok()) return Refuse(session::StoreRefusal(loaded.status()));
    if (loaded->record.epoch != record_->epoch) return Begin();  // another server has had it meanwhile
    state_.transit = std::move(loaded->permit);
    record_ = std::move(loaded->record);
    newest_seq_ = record_->saves.empty() ? 0 : record_->saves.back().point.seq;
    DrawEpoch([](OpenOperation& self) { self.Restore(); });
  }

  // For its rows as they are, and for two saves that it may go back to.
  void EnterTransit() {
    registrar_.transit().Enter(3 * bytes(), [self = shared_from_this()](Transit::Permit permit) {
      self->state_.transit = std::move(permit);
      if (self->entry_.owner == Impl::kAtRest) return self->Begin();
      self->Take();
    });
  }

  // A store that does not answer, or has no room for a word, must not cost the session its writer: so it is asked
  // before.
  void Take() {
    if (!registrar_.saving()) return TakeNow();
    registrar_.store().TryWrite(registrar_.Back<absl::Status>([self = shared_from_this()](const absl::Status& status) {
      status.ok() ? self->TakeNow() : self->Refuse(session::StoreRefusal(status));
    }));
  }

  void TakeNow() {
    DrawEpoch([](OpenOperation& self) {
      if (self.entry_.owner == Impl::kAtRest) return self.Begin();  // it has left its shard meanwhile
      self.registrar_.Ask(
          self.entry_.owner,
          [call = self.call_, epoch = self.epoch_](SessionOwner& owner) { return owner.Take(*call, epoch); },
          [op = self.shared_from_this()](OwnerReply<session::SessionState> reply) { op->OnTaken(std::move(reply)); });
    });
  }

  void OnTaken(OwnerReply<session::SessionState> reply) {
    if (reply.gone) return Begin();
    if (reply.outcome.refusal) return Refuse(*reply.outcome.refusal);
    resident_ = true;
    reply.outcome.value.transit = std::move(state_.transit);
    state_ = std::move(reply.outcome.value);
    installation_.moved = entry_.owner != call_->shard;
    installation_.rows = installation_.moved ? Rows::kReplace : Rows::kKeep;
    RestoreResident();
  }

  // An epoch larger than that of the record, and a place among epochs of its own for a new session.
  void DrawEpoch(void (*then)(OpenOperation&)) {
    const uint64_t above = record_ ? record_->epoch : 0;
    registrar_.DrawEpoch(above, [self = shared_from_this(), then](absl::StatusOr<uint64_t> epoch) {
      if (!epoch.ok()) return self->Refuse(session::StoreRefusal(epoch.status()));
      self->epoch_ = *epoch;
      then(*self);
    });
  }

  void Restore() {
    if (installation_.created) {
      state_.incarnation = epoch_;
    } else if (auto refusal = RestoreFromRecord(*record_)) {
      return Refuse(*refusal);
    }
    Acquire();
  }

  void RestoreResident() {
    if (registrar_.saving()) {
      return registrar_.Find(call_->key, [self = shared_from_this()](absl::StatusOr<store::SessionRecord> record) {
        self->OnResidentFound(std::move(record));
      });
    }
    if (MissedReplies()) installation_.lost = {*request().delivered_seq, state_.point.seq};
    Acquire();
  }

  // Whether the client has not received all that the session has answered.
  bool MissedReplies() const { return request().delivered_seq && *request().delivered_seq < state_.point.seq; }

  void OnResidentFound(absl::StatusOr<store::SessionRecord> record) {
    if (absl::IsNotFound(record.status())) return BeginWithoutOwner();
    if (!record.ok()) return Keep(session::StoreRefusal(record.status()));
    if (record->epoch != state_.epoch) return BeginWithoutOwner();
    record_ = *std::move(record);
    record_->delivered_seq = std::max(record_->delivered_seq, state_.delivered_seq);
    if (!MissedReplies()) return Acquire();
    if (state_.durability == session::SessionDurability::kNone) {  // what was saved of it is of long ago
      installation_.lost = {*request().delivered_seq, state_.point.seq};
      return Acquire();
    }
    registrar_.Load(
        *record_, state_.model->engine->row_bytes(), state_.transit,
        [self = shared_from_this()](absl::StatusOr<Impl::LoadedRecord> loaded) { self->GoBack(std::move(loaded)); });
  }

  void GoBack(absl::StatusOr<Impl::LoadedRecord> loaded) {
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
    if (auto refusal = RestoreFromRecord(*record_)) return Keep(*refusal);
    installation_.rewound = true;
    Acquire();
  }

  // The save that its client was told of is gone, with none after it that would do, and so are the client's tokens
  // below it. What is here is newer than anything that could be had again.
  bool HasLostItsSave(const store::SessionRecord& record) const {
    const uint64_t told = state_.durable_seq, delivered = *request().delivered_seq;
    const auto serves = [=](const store::SavedRows& save) {
      return save.point.seq >= told && save.point.seq <= delivered;
    };
    return told > 0 && told <= delivered && std::none_of(record.saves.begin(), record.saves.end(), serves);
  }

  // Another server has taken the session, or deleted it: what was here is of the past.
  void BeginWithoutOwner() {
    if (installation_.moved || entry_.owner == Impl::kAtRest) {
      entry_.owner = Impl::kAtRest;
      return Begin();
    }
    registrar_.Ask(
        entry_.owner, [call = call_, epoch = epoch_](SessionOwner& owner) { return owner.Drop(call->key, {}, epoch); },
        [self = shared_from_this()](const OwnerReply<store::Attempt>&) {
          self->entry_.owner = Impl::kAtRest;
          self->Begin();
        });
  }

  // Goes on from the newest save that the client's delivered_seq allows; from the oldest, naming what is lost, if none.
  std::optional<session::Refusal> RestoreFromRecord(store::SessionRecord& record) {
    std::vector<store::SavedRows>& saves = record.saves;
    if (const std::optional<uint64_t> delivered = request().delivered_seq) {
      const bool empty_row_counts = saves.empty() || saves.front().point.seq > record.delivered_seq;
      while (!saves.empty() && saves.back().point.seq > *delivered && (saves.size() > 1 || empty_row_counts))
        saves.pop_back();
      if (!saves.empty() && saves.back().point.seq > *delivered)
        installation_.lost = {*delivered, saves.back().point.seq};
    }
    store::SavedRows from;
    if (!saves.empty()) {
      from = saves.back();
      if (auto refusal = CheckRows(*state_.model, state_.channels, from.point.seq, from.rows)) return refusal;
    }
    installation_.rows = saves.empty() ? Rows::kReset : Rows::kReplace;
    state_.point = from.point;
    state_.rows = std::move(from.rows);
    return std::nullopt;
  }

  // The state as the Open leaves it, without the rows.
  session::SessionState OpenedState() {
    std::string rows = std::exchange(state_.rows, {});
    session::SessionState opened = state_;
    state_.rows = std::move(rows);
    opened.epoch = epoch_;
    opened.attempt = request().attempt;
    opened.delivered_seq = std::max(request().delivered_seq.value_or(0), state_.point.seq);
    opened.durable_seq = registrar_.saving() ? 0 : state_.point.seq;
    if (registrar_.saving() && kept()) opened.durable_seq = *kept();
    return opened;
  }

  // The save that stays. Older ones are of no use any more: delivered_seq is not below the newest.
  std::optional<uint64_t> kept() const {
    if (!record_ || record_->saves.empty()) return std::nullopt;
    return record_->saves.back().point.seq;
  }

  // Without saving, a record (from an Import or Fork) would grow old while the session lives here.
  void Acquire() {
    if (!registrar_.saving() && !record_) return Install();
    const uint64_t held_epoch = held_epoch_ = record_ ? record_->epoch : 0;
    auto then = registrar_.Back<store::WriteResult>(
        [self = shared_from_this()](const store::WriteResult& result) { self->OnAcquired(result); });
    if (!registrar_.saving()) return registrar_.store().Delete(call_->key, held_epoch, std::move(then));
    store::Acquisition acquisition;
    acquisition.record = session::RecordOf(call_->key, OpenedState());
    acquisition.record.last_active = registrar_.now();
    acquisition.record.server = registrar_.lease().server;
    acquisition.record.leased_until = registrar_.now() + registrar_.lease().time;
    acquisition.held_epoch = held_epoch;
    if (record_) {
      acquisition.keep_seq = kept().value_or(0);
      if (!resident_) acquisition.newest_seq = newest_seq_;
    }
    registrar_.store().Acquire(std::move(acquisition), std::move(then));
  }

  void OnAcquired(const store::WriteResult& result) {
    if (result.status.ok()) return Install();
    const bool taken = absl::IsAborted(result.status);
    if (taken && resident_) return result.current_epoch == held_epoch_ ? RestoreAgain() : BeginWithoutOwner();
    if (taken) return Begin();
    resident_ ? Keep(session::StoreRefusal(result.status)) : Refuse(session::StoreRefusal(result.status));
  }

  // The store has lost a save since it was asked, and nobody else has the session: it goes on from what is there now.
  void RestoreAgain() {
    if (before_) std::tie(state_, installation_) = *std::move(before_);
    before_.reset();
    RestoreResident();
  }

  // A session in a shard goes on from where it was, whatever it should have gone back to; only the Open is refused.
  void Keep(session::Refusal refusal) {
    if (before_) std::tie(state_, installation_) = *std::move(before_);
    installation_.refusal = std::move(refusal);
    SendInstallation(std::move(state_));
  }

  void Install() {
    session::SessionState opened = OpenedState();
    opened.rows = std::move(state_.rows);
    SendInstallation(std::move(opened));
  }

  void SendInstallation(session::SessionState state) {
    if (!resident_) registrar_.TellDemoted(call_->key, state.epoch, session::Fenced(call_->id(), state.epoch));
    installation_.state = std::move(state);
    registrar_.Tell(call_->shard, [call = call_, installation = std::move(installation_)](SessionOwner& owner) mutable {
      owner.Install(*call, std::move(installation));
    });
    entry_.owner = call_->shard;
    registrar_.Finish(entry_);
  }

  void Refuse(const session::Refusal& refusal) {
    registrar_.Tell(call_->shard,
                    [call = call_, refusal](SessionOwner& owner) { owner.RefuseOpen(call->ticket, refusal); });
    registrar_.Finish(entry_);
  }

  Impl& registrar_;
  Impl::Entry& entry_;
  const std::shared_ptr<const OpenCall> call_;
  uint64_t epoch_ = 0;
  uint64_t held_epoch_ = 0;  // that the store was to hold
  uint64_t newest_seq_ = 0;  // of the saves of a session at rest, as they were loaded
  bool resident_ = false;    // it was in a shard
  std::optional<store::SessionRecord> record_;
  std::optional<std::tuple<session::SessionState, Installation>>
      before_;  // what a resident session had when it was taken
  session::SessionState state_;
  Installation installation_;
};

}  // namespace

void RunOpen(Registrar::Impl& registrar, Registrar::Impl::Entry& entry, std::shared_ptr<const OpenCall> call) {
  std::make_shared<OpenOperation>(registrar, entry, std::move(call))->Begin();
}

}  // namespace aaren::registrar
