// Import, and the second half of Fork: a session made at rest, new or in the place of another.

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/sessions/registrar/open/open_check.h"
#include "server/sessions/registrar/operations.h"
#include "server/sessions/registrar/refold.h"
#include "server/sessions/session/record.h"
#include "server/sessions/session/refusal.h"
#include "server/store/format/snapshot.h"

namespace aaren::registrar {
namespace {

using PlaceDone = Sessions::Callback<session::SessionInfo>;
using FoundRecord = absl::StatusOr<store::SessionRecord>;

constexpr uint64_t kMostSeq = uint64_t{1} << 61;  // no session has more tokens

// A snapshot's state, or the reason why the snapshot is no state.
session::Outcome<session::SessionState> CheckSnapshot(const Desk& desk, const std::string& bytes,
                                                      absl::string_view id) {
  const auto refused = [](session::Refusal why) { return session::Refused<session::SessionState>(std::move(why)); };
  absl::StatusOr<store::SessionSnapshot> snapshot = store::ParseSnapshot(bytes);
  if (!snapshot.ok()) return refused(session::BadState("import", snapshot.status()));
  const uint32_t channels = snapshot->origin.channels, most = desk.shards.limits().max_channels;
  const session::Outcome<models::ModelRef> model = ModelOfState(desk.models, id, snapshot->origin);
  if (model.refusal) return refused(*model.refusal);
  if (channels < 1 || channels > most) {
    return refused(session::InvalidField("snapshot", absl::StrCat(channels, " channels, the limit is ", most)));
  }
  if (snapshot->point.seq > kMostSeq || snapshot->point.clock.step_ns < 0) {
    return refused(
        session::InvalidField("snapshot", absl::StrCat("seq ", snapshot->point.seq, ", step_ns ",
                                                       snapshot->point.clock.step_ns, ": no session comes to that")));
  }
  if (auto refusal = CheckRows(*model.value, channels, snapshot->point.seq, snapshot->rows)) return refused(*refusal);
  session::Outcome<session::SessionState> outcome;
  outcome.value.model = model.value;
  outcome.value.channels = channels;
  outcome.value.point = snapshot->point;
  outcome.value.rows = std::move(snapshot->rows);
  return outcome;
}

// A placing under way: checks, writes, and ends the replaced session.
class PlaceOperation : public std::enable_shared_from_this<PlaceOperation> {
 public:
  PlaceOperation(Desk& desk, Entry& entry, session::SessionState state, const Replacing& over, PlaceDone done)
      : desk_(desk), entry_(entry), state_(std::move(state)), over_(over), done_(std::move(done)) {}

  // The record of a session in a shard may look as if the session had expired.
  void Begin() {
    DropStaleCopy(desk_, entry_, [self = shared_from_this()] { self->Find(); });
  }

 private:
  void Find() {
    auto found = [self = shared_from_this()](const FoundRecord& held) { self->OnFound(held); };
    entry_.owner == kAtRest ? desk_.records.FindUnexpired(entry_.name(), std::move(found))
                            : desk_.records.Find(entry_.name(), std::move(found));
  }

  absl::string_view id() const { return IdOf(entry_); }

  void Refuse(session::Refusal refusal) { End(session::Refused<session::SessionInfo>(std::move(refusal))); }

  // The shard knows the epoch of a session in the shard: where nothing is saved, the store has no record of the
  // session.
  void OnFound(const FoundRecord& held) {
    if (!over_.epoch) return PlaceOver(held);
    if (entry_.owner == kAtRest) {
      if (!held.ok()) return Refuse(session::LoadRefusal(id(), held.status()));
      return held->epoch == *over_.epoch ? PlaceOver(held) : Refuse(session::Fenced(id(), held->epoch));
    }
    desk_.shards.Ask(
        entry_.owner, [key = entry_.name()](SessionOwner& owner) { return owner.Describe({key}); },
        [self = shared_from_this(), held](const std::vector<std::optional<session::SessionInfo>>& infos) {
          const bool taken = held.ok() && self->desk_.records.TakenElsewhere(*self->over_.epoch, held->epoch);
          if (infos[0] && infos[0]->epoch == *self->over_.epoch && !taken) return self->PlaceOver(held);
          // Without a description the session is opened, or leaves the shard, just now.
          self->Refuse(session::Fenced(self->id(), infos[0] ? infos[0]->epoch : 0));
        });
  }

  void PlaceOver(const FoundRecord& held) {
    // An unreadable record has no epoch to compare with: the old record is deleted, and the new record replaces none.
    if (over_.replace && store::IsUnreadable(held.status())) {
      return desk_.records.Delete(entry_.name(), held,
                                  [self = shared_from_this()](std::optional<session::Refusal> refusal) {
                                    refusal ? self->Refuse(*std::move(refusal)) : self->WriteOver(0);
                                  });
    }
    if (!held.ok() && !absl::IsNotFound(held.status())) return Refuse(session::StoreRefusal(held.status()));
    const bool exists = held.ok() || entry_.owner != kAtRest;
    const uint64_t epoch = held.ok() ? held->epoch : 0;
    if (exists && !over_.replace) return Refuse(session::SessionExists(id(), epoch));
    if (exists) return WriteOver(epoch);
    desk_.stored.Take(entry_.key.view(), over_.account, state_.channels * state_.model->engine->row_bytes(),
                      [self = shared_from_this()](std::optional<session::Refusal> refusal) {
                        refusal ? self->Refuse(*std::move(refusal)) : self->WriteOver(0);
                      });
  }

  // Puts a record of a new incarnation in the place of the record with `held_epoch`.
  void WriteOver(uint64_t held_epoch) {
    desk_.epochs.Draw(held_epoch, [self = shared_from_this(), held_epoch](absl::StatusOr<uint64_t> epoch) {
      epoch.ok() ? self->Write(*epoch, held_epoch) : self->Refuse(session::StoreRefusal(epoch.status()));
    });
  }

  // No client has tokens from before the snapshot, so no client can ask to go back before the snapshot.
  void Write(uint64_t epoch, uint64_t held_epoch) {
    state_.epoch = state_.incarnation = epoch;
    state_.delivered_seq = state_.point.seq;
    store::Acquisition acquisition{session::RecordOf(entry_.name(), state_), held_epoch, std::nullopt, std::nullopt};
    acquisition.record.last_active = desk_.stamp();
    acquisition.record.saves.push_back({state_.point, std::move(state_.rows)});
    auto written = [self = shared_from_this(), info = session::InfoOf(acquisition.record, desk_.models, desk_.clock)](
                       const store::WriteResult& result) {
      if (absl::IsAborted(result.status)) return self->Refuse(session::Fenced(self->id(), result.current_epoch));
      if (!result.status.ok()) return self->Refuse(session::StoreRefusal(result.status));
      self->End({std::nullopt, info});
    };
    desk_.store.Acquire(std::move(acquisition), desk_.mail.Back<store::WriteResult>(std::move(written)));
  }

  // A shard with the replaced session lets the session go.
  void End(session::Outcome<session::SessionInfo> placed) {
    state_.transit.reset();
    if (placed.refusal || entry_.owner == kAtRest) {
      const uint64_t epoch = placed.value.epoch;
      if (!placed.refusal) desk_.shards.TellDemoted(entry_.name(), epoch, session::Fenced(id(), epoch));
      return Finish(std::move(placed));
    }
    desk_.shards.Ask(
        entry_.owner,
        [key = entry_.name(), epoch = placed.value.epoch](SessionOwner& owner) {
          return owner.Drop(key, DropReason::kByRequest, epoch);
        },
        [self = shared_from_this(), placed](const OwnerReply<store::Attempt>&) {
          self->entry_.owner = kAtRest;
          self->Finish(placed);
        });
  }

  void Finish(session::Outcome<session::SessionInfo> placed) {
    done_(std::move(placed));
    desk_.owners.Finish(entry_);
  }

  Desk& desk_;
  Entry& entry_;
  session::SessionState state_;
  const Replacing over_;
  PlaceDone done_;
};

}  // namespace

// Earlier operations on the session may wait for the room of the rows: in a busy session's line the rows travel without
// a permit.
void Place(Desk& desk, const std::string& key, session::SessionState state, const Replacing& over, PlaceDone done) {
  state.attempt = {};  // nobody has opened the new session yet
  if (desk.owners.IsBusy(key)) state.transit.reset();
  desk.owners.Submit(key, [&desk, state = std::move(state), over, done = std::move(done)](Entry& entry) mutable {
    std::make_shared<PlaceOperation>(desk, entry, std::move(state), over, std::move(done))->Begin();
  });
}

void Import(Desk& desk, const std::string& key, ImportRequest request, PlaceDone done) {
  session::Outcome<session::SessionState> state = CheckSnapshot(desk, request.snapshot, session::SessionId(key));
  if (state.refusal) return done(session::Refused<session::SessionInfo>(*state.refusal));
  if (request.model.empty()) return Place(desk, key, std::move(state.value), request.over, std::move(done));
  const absl::StatusOr<models::ModelRef> model = desk.models.Find(request.model, key);
  if (!model.ok()) return done(session::Refused<session::SessionInfo>(session::ModelNotFound(model.status())));
  const bool other = (*model)->package.digest != state.value.model->package.digest;
  for (const models::LoadedModel* one : {state.value.model.get(), model->get()}) {
    // Only rows of forecasters remember values for another model to begin with.
    if (!other || one->package.kind == package::kForecaster) continue;
    return done(session::Refused<session::SessionInfo>(session::InvalidField(
        "model", absl::StrCat(one->id, " is of the kind \"", one->package.kind,
                              "\": its sessions stay with their model, and it takes no others"))));
  }
  // Rows of plain tiers look alike. Extended rows keep the tier: a plain row has no place for the extension, and the
  // effects of covariates belong to the weights.
  const std::string tier = state.value.model->engine->tier();
  const bool plain = !state.value.model->conversion->extended();
  const models::ModelRef target = plain ? *model : desk.models.FindDigest((*model)->package.digest, tier);
  const bool covariates = state.value.model->conversion->schema().extension.covariates() > 0;
  if (target == nullptr || (covariates && target != state.value.model)) {
    return done(session::Refused<session::SessionInfo>(
        session::OtherSchema(session::SessionId(key), "tier", (*model)->engine->tier(), tier)));
  }
  auto work = [from = std::exchange(state.value.model, target), to = target, channels = state.value.channels,
               rows = std::exchange(state.value.rows, {})]() -> absl::StatusOr<std::string> {
    if (from->package.digest == to->package.digest) return rows;
    return Refold(*from->engine, *to->engine, channels, rows);
  };
  desk.mail.Compute<absl::StatusOr<std::string>>(
      std::move(work), [&desk, key, state = std::move(state.value), over = request.over,
                        done = std::move(done)](absl::StatusOr<std::string> rows) mutable {
        if (!rows.ok()) return done(session::Refused<session::SessionInfo>(session::EngineFailed(rows.status())));
        state.rows = *std::move(rows);
        Place(desk, key, std::move(state), over, std::move(done));
      });
}

}  // namespace aaren::registrar
