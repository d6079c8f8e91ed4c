// Get, Export, Import and Fork: on sessions in a shard by asking it, on sessions at rest by their record.

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/registrar/desk.h"
#include "server/registrar/open/open_check.h"
#include "server/registrar/refold.h"
#include "server/session/record.h"
#include "server/session/refusal.h"
#include "server/store/format/snapshot.h"

namespace aaren::registrar {
namespace {

constexpr uint64_t kMostSeq = uint64_t{1} << 61;  // a session that is imported there has as many tokens before it

session::SessionState StateOf(store::SessionRecord record, const models::ModelRef& model) {
  session::SessionState state;
  state.model = model;
  state.channels = record.origin.channels;
  state.epoch = record.epoch;
  state.incarnation = record.incarnation;
  store::SavedRows newest = session::NewestSave(record, *model);
  state.point = newest.point;
  state.rows = std::move(newest.rows);
  return state;
}

Snapshot SnapshotOf(session::SessionState state) {
  const store::SessionSnapshot snapshot{session::OriginOf(*state.model, state.channels), state.point,
                                        std::move(state.rows)};
  return {store::EncodeSnapshot(snapshot), snapshot.point.seq};
}

// A snapshot's state, or what is wrong with it.
session::Outcome<session::SessionState> CheckSnapshot(const std::string& bytes, absl::string_view id,
                                                      const models::ModelTable& models, uint32_t max_channels) {
  absl::StatusOr<store::SessionSnapshot> snapshot = store::ParseSnapshot(bytes);
  if (!snapshot.ok()) return session::Refused<session::SessionState>(session::BadState("import", snapshot.status()));
  const session::Outcome<models::ModelRef> model = ModelOfState(models, id, snapshot->origin);
  if (model.refusal) return session::Refused<session::SessionState>(*model.refusal);
  if (snapshot->origin.channels < 1 || snapshot->origin.channels > max_channels) {
    return session::Refused<session::SessionState>(session::InvalidField(
        "snapshot", absl::StrCat(snapshot->origin.channels, " channels, the limit is ", max_channels)));
  }
  if (snapshot->point.seq > kMostSeq || snapshot->point.clock.step_ns < 0) {
    return session::Refused<session::SessionState>(
        session::InvalidField("snapshot", absl::StrCat("seq ", snapshot->point.seq, ", step_ns ",
                                                       snapshot->point.clock.step_ns, ": no session comes to that")));
  }
  if (auto refusal = CheckRows(*model.value, snapshot->origin.channels, snapshot->point.seq, snapshot->rows)) {
    return session::Refused<session::SessionState>(*refusal);
  }
  session::Outcome<session::SessionState> outcome;
  outcome.value.model = model.value;
  outcome.value.channels = snapshot->origin.channels;
  outcome.value.point = snapshot->point;
  outcome.value.rows = std::move(snapshot->rows);
  return outcome;
}

}  // namespace

void Desk::Get(const std::string& key, Callback<session::SessionInfo> done) {
  Submit(key, [this, done = std::move(done)](Entry& entry) mutable {
    if (entry.owner == kAtRest) {
      return FindUnexpired(entry.name(), [this, &entry, done = std::move(done)](
                                             const absl::StatusOr<store::SessionRecord>& record) mutable {
        if (record.ok()) return GetAtRest(entry, Describe(*record), std::move(done));
        done(session::Refused<session::SessionInfo>(
            session::LoadRefusal(session::SessionId(entry.key.view()), record.status())));
        Finish(entry);
      });
    }
    Ask(
        entry.owner, [key = entry.name()](SessionOwner& owner) { return owner.Describe({key}); },
        [this, &entry, done = std::move(done)](std::vector<std::optional<session::SessionInfo>> infos) mutable {
          if (infos[0]) {
            done({std::nullopt, *infos[0]});
          } else {
            Get(entry.name(), std::move(done));  // it has left that shard meanwhile
          }
          Finish(entry);
        });
  });
}

void Desk::GetAtRest(Entry& entry, session::SessionInfo info, Callback<session::SessionInfo> done) {
  AskDemoted({entry.name()},
             [this, &entry, info = std::move(info), done = std::move(done)](std::vector<bool> attached) mutable {
               info.attached = info.attached || attached[0];
               done({std::nullopt, std::move(info)});
               Finish(entry);
             });
}

void Desk::Capture(Entry& entry, Callback<session::SessionState> done) {
  if (entry.owner == kAtRest) return CaptureAtRest(entry, std::move(done));
  // How large the session is only its shard knows.
  transit_.Enter(LargestSession(), [this, &entry, done = std::move(done)](Transit::Permit permit) mutable {
    if (entry.owner == kAtRest) return CaptureAtRest(entry, std::move(done));
    Ask(
        entry.owner, [key = entry.name()](SessionOwner& owner) { return owner.Capture(key); },
        [this, &entry, permit = std::move(permit),
         done = std::move(done)](OwnerReply<session::SessionState> reply) mutable {
          if (reply.gone) return Capture(entry, std::move(done));
          reply.outcome.value.transit = std::move(permit);
          done(std::move(reply.outcome));
        });
  });
}

void Desk::CaptureAtRest(Entry& entry, Callback<session::SessionState> done) {
  FindUnexpired(
      entry.name(), [this, &entry, done = std::move(done)](absl::StatusOr<store::SessionRecord> record) mutable {
        if (!record.ok())
          return done(session::Refused<session::SessionState>(
              session::LoadRefusal(session::SessionId(entry.key.view()), record.status())));
        if (LivesElsewhere(*record)) {
          return done(session::Refused<session::SessionState>(
              session::LiveElsewhere(session::SessionId(entry.key.view()), record->server)));
        }
        const session::Outcome<models::ModelRef> model =
            ModelOfState(models_, session::SessionId(entry.key.view()), record->origin);
        if (model.refusal) return done(session::Refused<session::SessionState>(*model.refusal));
        auto loaded = [&entry, model = model.value, done = std::move(done)](absl::StatusOr<LoadedRecord> rows) mutable {
          if (!rows.ok())
            return done(session::Refused<session::SessionState>(
                session::LoadRefusal(session::SessionId(entry.key.view()), rows.status())));
          if (rows->record.damaged_seq > session::NewestSeq(rows->record)) {
            return done(session::Refused<session::SessionState>(
                session::LoadRefusal(session::SessionId(entry.key.view()), rows->record.damage)));
          }
          session::SessionState state = StateOf(std::move(rows->record), model);
          state.transit = std::move(rows->permit);
          done({std::nullopt, std::move(state)});
        };
        Load(*record, model.value->engine->row_bytes(), nullptr, std::move(loaded));
      });
}

void Desk::Import(const std::string& key, ImportRequest request, Callback<session::SessionInfo> done) {
  const absl::string_view id = session::SessionId(key);
  session::Outcome<session::SessionState> state = CheckSnapshot(request.snapshot, id, models_, max_channels_);
  if (state.refusal) return done(session::Refused<session::SessionInfo>(*state.refusal));
  if (request.model.empty()) return Place(key, std::move(state.value), request.over, std::move(done));
  const absl::StatusOr<models::ModelRef> model = models_.Find(request.model, key);
  if (!model.ok()) return done(session::Refused<session::SessionInfo>(session::ModelNotFound(model.status())));
  auto work = [from = std::exchange(state.value.model, *model), to = *model, channels = state.value.channels,
               rows = std::exchange(state.value.rows, {})]() -> absl::StatusOr<std::string> {
    if (from->package.digest == to->package.digest) return rows;  // of either tier: they look alike
    return Refold(*from->engine, *to->engine, channels, rows);
  };
  Compute<absl::StatusOr<std::string>>(
      std::move(work), [this, key, state = std::move(state.value), over = request.over,
                        done = std::move(done)](absl::StatusOr<std::string> rows) mutable {
        if (!rows.ok()) return done(session::Refused<session::SessionInfo>(session::EngineFailed(rows.status())));
        state.rows = *std::move(rows);
        Place(key, std::move(state), over, std::move(done));
      });
}

void Desk::Place(const std::string& key, session::SessionState state, Replacing over,
                 Callback<session::SessionInfo> done) {
  state.attempt = {};  // nobody opened this one yet
  // What is ahead of it on that session may wait for the room that this one holds.
  if (Busy(key)) state.transit.reset();
  Submit(key, [this, state = std::move(state), over, done = std::move(done)](Entry& entry) mutable {
    auto then = [this, &entry, state = std::move(state), over,
                 done = std::move(done)](const absl::StatusOr<store::SessionRecord>& held) mutable {
      if (!over.epoch) return PlaceOver(entry, std::move(state), over, held, std::move(done));
      CheckEpoch(entry, *over.epoch, held,
                 [this, &entry, state = std::move(state), over, held,
                  done = std::move(done)](std::optional<session::Refusal> refusal) mutable {
                   if (!refusal) return PlaceOver(entry, std::move(state), over, held, std::move(done));
                   EndPlace(entry, session::Refused<session::SessionInfo>(*std::move(refusal)), std::move(done));
                 });
    };
    // The record of a session in a shard may look as if it had expired.
    entry.owner == kAtRest ? FindUnexpired(entry.name(), std::move(then)) : Find(entry.name(), std::move(then));
  });
}

// Of a session in a shard its shard knows best: where nothing is saved, there is no record of it.
void Desk::CheckEpoch(Entry& entry, uint64_t wanted, const absl::StatusOr<store::SessionRecord>& held, Ended then) {
  const std::string id(session::SessionId(entry.key.view()));
  if (entry.owner == kAtRest) {
    if (!held.ok()) return then(session::LoadRefusal(id, held.status()));
    return then(held->epoch == wanted ? std::nullopt : std::optional(session::Fenced(id, held->epoch)));
  }
  Ask(
      entry.owner, [key = entry.name()](SessionOwner& owner) { return owner.Describe({key}); },
      [id, wanted, then = std::move(then)](std::vector<std::optional<session::SessionInfo>> infos) mutable {
        if (infos[0] && infos[0]->epoch == wanted) return then(std::nullopt);
        then(session::Fenced(id, infos[0] ? infos[0]->epoch : 0));  // it is opened, or leaves its shard, just now
      });
}

void Desk::PlaceOver(Entry& entry, session::SessionState state, Replacing over,
                     const absl::StatusOr<store::SessionRecord>& held, Callback<session::SessionInfo> done) {
  const uint64_t epoch = held.ok() ? held->epoch : 0;
  // A record that cannot be read has no epoch to compare with: it is deleted, whatever it was, and the new one written
  // where nothing is.
  if (over.replace && store::IsUnreadable(held.status())) {
    return DeleteRecord(entry.name(), held,
                        [this, &entry, state = std::move(state),
                         done = std::move(done)](std::optional<session::Refusal> refusal) mutable {
                          if (!refusal) return WriteNew(entry, std::move(state), 0, std::move(done));
                          EndPlace(entry, session::Refused<session::SessionInfo>(*std::move(refusal)), std::move(done));
                        });
  }
  if (!held.ok() && !absl::IsNotFound(held.status())) {
    return EndPlace(entry, session::Refused<session::SessionInfo>(session::StoreRefusal(held.status())),
                    std::move(done));
  }
  if (!over.replace && (held.ok() || entry.owner != kAtRest)) {
    return EndPlace(
        entry,
        session::Refused<session::SessionInfo>(session::SessionExists(session::SessionId(entry.key.view()), epoch)),
        std::move(done));
  }
  if (held.ok() || entry.owner != kAtRest) return WriteNew(entry, std::move(state), epoch, std::move(done));
  const uint64_t bytes = state.channels * state.model->engine->row_bytes();
  stored_.Take(entry.key.view(), over.account, bytes,
               [this, &entry, state = std::move(state),
                done = std::move(done)](std::optional<session::Refusal> refusal) mutable {
                 if (!refusal) return WriteNew(entry, std::move(state), 0, std::move(done));
                 EndPlace(entry, session::Refused<session::SessionInfo>(*std::move(refusal)), std::move(done));
               });
}

// Puts a record of a new incarnation in the place of what the store holds.
void Desk::WriteNew(Entry& entry, session::SessionState state, uint64_t held_epoch,
                    Callback<session::SessionInfo> done) {
  DrawEpoch(held_epoch, [this, &entry, state = std::move(state), held_epoch,
                         done = std::move(done)](absl::StatusOr<uint64_t> epoch) mutable {
    if (!epoch.ok())
      return EndPlace(entry, session::Refused<session::SessionInfo>(session::StoreRefusal(epoch.status())),
                      std::move(done));
    state.epoch = state.incarnation = *epoch;
    // Nobody has tokens from before the snapshot, so nobody can ask to go back there.
    state.delivered_seq = state.point.seq;
    store::Acquisition acquisition{session::RecordOf(entry.name(), state), held_epoch, std::nullopt, std::nullopt};
    acquisition.record.last_active = stamp();
    acquisition.record.saves.push_back({state.point, std::move(state.rows)});
    session::Outcome<session::SessionInfo> placed{std::nullopt, session::InfoOf(acquisition.record, models_, clock_)};
    store_.Acquire(
        std::move(acquisition),
        Back<store::WriteResult>([this, &entry, placed = std::move(placed), transit = std::move(state.transit),
                                  done = std::move(done)](const store::WriteResult& result) mutable {
          const absl::string_view id = session::SessionId(entry.key.view());
          if (absl::IsAborted(result.status)) {
            placed.refusal = session::Fenced(id, result.current_epoch);
          } else if (!result.status.ok()) {
            placed.refusal = session::StoreRefusal(result.status);
          }
          EndPlace(entry, std::move(placed), std::move(done));
        }));
  });
}

// A shard that has the session of before lets it go.
void Desk::EndPlace(Entry& entry, session::Outcome<session::SessionInfo> placed, Callback<session::SessionInfo> done) {
  if (placed.refusal || entry.owner == kAtRest) {
    if (!placed.refusal)
      TellDemoted(entry.name(), placed.value.epoch,
                  session::Fenced(session::SessionId(entry.key.view()), placed.value.epoch));
    done(std::move(placed));
    return Finish(entry);
  }
  Ask(
      entry.owner,
      [key = entry.name(), epoch = placed.value.epoch](SessionOwner& owner) {
        return owner.Drop(key, DropReason::kReplaced, epoch);
      },
      [this, &entry, placed, done = std::move(done)](const OwnerReply<store::Attempt>&) mutable {
        entry.owner = kAtRest;
        done(std::move(placed));
        Finish(entry);
      });
}

void Desk::Export(const std::string& key, Callback<Snapshot> done) {
  Submit(key, [this, done = std::move(done)](Entry& entry) mutable {
    Capture(entry, [this, &entry, done = std::move(done)](session::Outcome<session::SessionState> state) mutable {
      done(state.refusal ? session::Refused<Snapshot>(*state.refusal)
                         : session::Outcome<Snapshot>{std::nullopt, SnapshotOf(std::move(state.value))});
      Finish(entry);
    });
  });
}

void Desk::Fork(const std::string& key, const std::string& new_key, identity::Account* account,
                Callback<session::SessionInfo> done) {
  Submit(key, [this, new_key, account, done = std::move(done)](Entry& entry) mutable {
    Capture(entry, [this, new_key, account, &entry,
                    done = std::move(done)](session::Outcome<session::SessionState> state) mutable {
      // The source is free as soon as the copy is made. The new session is an operation of its own, under its own key.
      Finish(entry);
      if (state.refusal) return done(session::Refused<session::SessionInfo>(*state.refusal));
      Place(new_key, std::move(state.value), {.replace = false, .epoch = {}, .account = account}, std::move(done));
    });
  });
}

}  // namespace aaren::registrar
