// One Open, from the request to a session at the shard that asked.
//
//   at rest or new:    reserve rows at the shard                                         -> write record -> install
//   in the same shard: check and hold it there                                           -> write record -> install
//   in another shard:  check it there -> reserve rows here -> take it from there         -> write record -> install
//
// Between two of these the session may leave its shard (evicted, or its engine failed). Then the Open begins again from
// what is true now.
//
// Everything that can refuse the Open comes before the session is taken from its writer, but for a store that fails in
// between: then the session moves all the same and only the Open is refused. An Open whose stream has gone takes
// nothing.

#include <algorithm>
#include <utility>

#include "server/registrar/open_check.h"
#include "server/registrar/registrar_impl.h"
#include "server/session/record.h"
#include "server/session/refusal.h"

namespace aaren {
namespace {

using Impl = Registrar::Impl;
using Rows = Installation::Rows;

class OpenOperation : public std::enable_shared_from_this<OpenOperation> {
 public:
  OpenOperation(Impl& registrar, Impl::Entry& entry, std::shared_ptr<const OpenCall> call)
      : registrar_(registrar), entry_(entry), call_(std::move(call)) {}

  void Begin() {
    if (call_->cancelled) return Refuse(OpenCancelled());
    state_ = {};
    record_.reset();
    installation_ = {};
    if (entry_.owner == Impl::kAtRest) return BeginAtRest();
    if (entry_.owner == call_->shard) return Take();
    registrar_.Ask(
        entry_.owner, [call = call_](SessionOwner& owner) { return owner.CheckOpen(*call); },
        [self = shared_from_this()](OwnerReply<Footprint> reply) { self->OnChecked(std::move(reply)); });
  }

 private:
  const OpenRequest& request() const { return call_->request; }

  void BeginAtRest() {
    absl::StatusOr<SessionRecord> record = registrar_.Load(call_->key);
    if (absl::IsNotFound(record.status())) return BeginNew();
    if (!record.ok()) return Refuse(StoreUnavailable(record.status()));
    const Outcome<const LoadedModel*> model = ModelOfState(registrar_.models(), call_->id(), record->origin);
    if (model.refusal) return Refuse(*model.refusal);
    if (request().attempt.IsBehind(record->attempt)) {
      return Refuse(StaleOpen(call_->id(), record->epoch));
    }
    if (auto refusal =
            CheckExisting(request(), *model.value, record->origin.channels, record->epoch, record->incarnation)) {
      return Refuse(*refusal);
    }
    state_.model = model.value;
    state_.channels = record->origin.channels;
    state_.incarnation = record->incarnation;
    record_ = *std::move(record);
    Reserve();
  }

  void BeginNew() {
    if (registrar_.deleted().IsStale(call_->key, request().attempt)) return Refuse(StaleOpen(call_->id(), 0));
    if (request().mode == OpenMode::kResume) return Refuse(SessionNotFound(call_->id()));
    if (request().incarnation) return Refuse(OtherIncarnation(call_->id(), *request().incarnation, 0));
    const absl::StatusOr<const LoadedModel*> model = registrar_.models().Find(request().model);
    if (!model.ok()) return Refuse(ModelNotFound(model.status()));
    if (auto refusal = CheckCreation(request(), **model)) return Refuse(*refusal);
    state_.model = *model;
    state_.channels = std::max(1u, request().channels);
    installation_.created = true;
    Reserve();
  }

  void OnChecked(OwnerReply<Footprint> reply) {
    if (reply.gone) return Begin();
    if (reply.outcome.refusal) return Refuse(*reply.outcome.refusal);
    static_cast<Footprint&>(state_) = reply.outcome.value;
    Reserve();
  }

  void Reserve() {
    registrar_.Ask(
        call_->shard,
        [call = call_, footprint = Footprint(state_)](SessionOwner& owner) {
          return owner.Reserve(call->ticket, footprint);
        },
        [self = shared_from_this()](std::optional<Refusal> refusal) { self->OnReserved(refusal); });
  }

  void OnReserved(const std::optional<Refusal>& refusal) {
    if (refusal) return Refuse(*refusal);
    const bool at_rest = record_.has_value() || installation_.created;
    if (at_rest) return Write();
    if (entry_.owner == Impl::kAtRest) return Begin();  // it has left its shard meanwhile
    Take();
  }

  void Take() {
    if (!DrawEpoch()) return;
    registrar_.Ask(
        entry_.owner, [call = call_, epoch = epoch_](SessionOwner& owner) { return owner.Take(*call, epoch); },
        [self = shared_from_this()](OwnerReply<SessionState> reply) { self->OnTaken(std::move(reply)); });
  }

  void OnTaken(OwnerReply<SessionState> reply) {
    if (reply.gone) return Begin();  // with the epoch that was drawn: it is still the largest
    if (reply.outcome.refusal) return Refuse(*reply.outcome.refusal);
    resident_ = true;
    state_ = std::move(reply.outcome.value);
    installation_.moved = entry_.owner != call_->shard;
    installation_.rows = installation_.moved ? Rows::kReplace : Rows::kKeep;
    Write();
  }

  bool DrawEpoch() {
    const absl::StatusOr<uint64_t> epoch = registrar_.store().NextEpoch();
    if (!epoch.ok()) {
      Refuse(StoreUnavailable(epoch.status()));
      return false;
    }
    epoch_ = *epoch;
    return true;
  }

  // Decides where the session goes on, tells the store, and installs it.
  void Write() {
    if (epoch_ == 0 && !DrawEpoch()) return;
    if (installation_.created) state_.incarnation = epoch_;
    const Installation taken = installation_;
    const SessionState before = resident_ ? state_ : SessionState();
    std::optional<Refusal> refusal = Restore();
    if (!refusal) refusal = WriteRecord();
    if (refusal && !resident_) return Refuse(*refusal);
    if (refusal) {  // the session goes on from where it was, whatever it should have gone back to
      state_ = before;
      installation_ = taken;
    }
    installation_.refusal = std::move(refusal);
    Install();
  }

  std::optional<Refusal> Restore() {
    if (resident_) return RestoreResident();
    if (installation_.created) return std::nullopt;
    return RestoreFromRecord(*record_);
  }

  std::optional<Refusal> RestoreResident() {
    const std::optional<uint64_t> delivered = request().delivered_seq;
    const bool behind = delivered && *delivered < state_.point.seq;
    if (!registrar_.saving()) {
      if (behind) installation_.lost = {*delivered, state_.point.seq};
      return std::nullopt;
    }
    absl::StatusOr<SessionRecord> record = registrar_.store().Load(call_->key);
    if (!record.ok() && !absl::IsNotFound(record.status())) return StoreUnavailable(record.status());
    record_ = record.ok() ? *std::move(record) : RecordOf(call_->key, state_);
    record_->delivered_seq = std::max(record_->delivered_seq, state_.delivered_seq);
    if (!behind) return std::nullopt;
    if (auto refusal = RestoreFromRecord(*record_)) return refusal;
    installation_.rewound = true;
    return std::nullopt;
  }

  // Goes on from the newest save that the client's delivered_seq allows; from the oldest, naming what is lost, if none.
  std::optional<Refusal> RestoreFromRecord(SessionRecord& record) {
    std::vector<SavedRows>& saves = record.saves;
    if (const std::optional<uint64_t> delivered = request().delivered_seq) {
      const bool empty_row_counts = saves.empty() || saves.front().point.seq > record.delivered_seq;
      while (!saves.empty() && saves.back().point.seq > *delivered && (saves.size() > 1 || empty_row_counts))
        saves.pop_back();
      if (!saves.empty() && saves.back().point.seq > *delivered)
        installation_.lost = {*delivered, saves.back().point.seq};
    }
    SavedRows from;
    if (!saves.empty()) {
      from = saves.back();
      if (auto refusal = CheckRows(*state_.model, state_.channels, from.point.seq, from.rows)) return refusal;
    }
    installation_.rows = saves.empty() ? Rows::kReset : Rows::kReplace;
    state_.point = from.point;
    state_.rows = std::move(from.rows);
    return std::nullopt;
  }

  // Changes the state only if the store takes it: a session whose Open is refused stays what it was.
  std::optional<Refusal> WriteRecord() {
    SessionState opened = state_;
    opened.rows.clear();
    opened.epoch = epoch_;
    opened.attempt = request().attempt;
    opened.delivered_seq = std::max(request().delivered_seq.value_or(0), state_.point.seq);
    opened.durable_seq = registrar_.saving() ? 0 : state_.point.seq;
    SessionRecord record = RecordOf(entry_.name(), opened);
    record.last_active = registrar_.now();
    // Older saves are of no use any more: delivered_seq is not below the newest.
    if (record_ && registrar_.saving() && !record_->saves.empty()) {
      opened.durable_seq = record_->saves.back().point.seq;
      record.saves.push_back(std::move(record_->saves.back()));
    }
    const absl::Status written = registrar_.saving() ? registrar_.store().Save(std::move(record)) : ForgetRecord();
    if (!written.ok()) return StoreRefusal(written);
    opened.rows = std::move(state_.rows);
    state_ = std::move(opened);
    return std::nullopt;
  }

  // Without saving, a record (from an Import or Fork) would grow old while the session lives here.
  absl::Status ForgetRecord() { return record_ ? registrar_.store().Delete(entry_.name(), epoch_) : absl::OkStatus(); }

  Refusal StoreRefusal(const absl::Status& status) {
    if (absl::IsResourceExhausted(status)) return OverQuota("memory", status.message(), absl::Seconds(1));
    if (!absl::IsAborted(status)) return StoreUnavailable(status);
    const absl::StatusOr<SessionRecord> held = registrar_.store().Load(entry_.name());
    return Fenced(call_->id(), held.ok() ? held->epoch : 0);
  }

  void Install() {
    installation_.state = std::move(state_);
    registrar_.Tell(call_->shard, [call = call_, installation = std::move(installation_)](SessionOwner& owner) mutable {
      owner.Install(*call, std::move(installation));
    });
    entry_.owner = call_->shard;
    registrar_.Finish(entry_);
  }

  void Refuse(const Refusal& refusal) {
    registrar_.Tell(call_->shard,
                    [call = call_, refusal](SessionOwner& owner) { owner.RefuseOpen(call->ticket, refusal); });
    registrar_.Finish(entry_);
  }

  Impl& registrar_;
  Impl::Entry& entry_;
  const std::shared_ptr<const OpenCall> call_;
  uint64_t epoch_ = 0;  // 0: not drawn yet
  bool resident_ = false;
  std::optional<SessionRecord> record_;
  SessionState state_;
  Installation installation_;
};

}  // namespace

void RunOpen(Registrar::Impl& registrar, Registrar::Impl::Entry& entry, std::shared_ptr<const OpenCall> call) {
  std::make_shared<OpenOperation>(registrar, entry, std::move(call))->Begin();
}

}  // namespace aaren
