// Get, Export and Fork: a shard answers for a session that it has, and the record for a session at rest.

#include <algorithm>
#include <utility>

#include "server/sessions/registrar/open/open_check.h"
#include "server/sessions/registrar/operations.h"
#include "server/sessions/session/record.h"
#include "server/sessions/session/refusal.h"
#include "server/store/format/snapshot.h"

namespace aaren::registrar {
namespace {

using CaptureDone = Sessions::Callback<session::SessionState>;

session::SessionState NewestState(store::SessionRecord record, const models::ModelRef& model) {
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

// The bytes of the largest session, whatever the model.
size_t LargestSession(const Desk& desk) { return desk.shards.limits().max_channels * desk.models.LargestRow(); }

void GetAtRest(Desk& desk, Entry& entry, session::SessionInfo info, Sessions::Callback<session::SessionInfo> done) {
  desk.shards.AskDemoted({entry.name()}, [&desk, &entry, info = std::move(info),
                                          done = std::move(done)](const std::vector<bool>& attached) mutable {
    info.attached = info.attached || attached[0];
    done({std::nullopt, std::move(info)});
    desk.owners.Finish(entry);
  });
}

void CaptureRows(Desk& desk, Entry& entry, const store::SessionRecord& record, const models::ModelRef& model,
                 CaptureDone done) {
  auto loaded = [&entry, model, done = std::move(done)](absl::StatusOr<LoadedRecord> rows) mutable {
    absl::Status status = rows.status();
    if (status.ok() && rows->record.damaged_seq > session::NewestSeq(rows->record)) status = rows->record.damage;
    if (!status.ok()) {
      return done(session::Refused<session::SessionState>(session::LoadRefusal(IdOf(entry), status)));
    }
    session::SessionState state = NewestState(std::move(rows->record), model);
    state.transit = std::move(rows->permit);
    done({std::nullopt, std::move(state)});
  };
  desk.records.Load(record, model->engine->row_bytes(), nullptr, std::move(loaded));
}

void CaptureAtRest(Desk& desk, Entry& entry, CaptureDone done) {
  desk.records.FindUnexpired(entry.name(), [&desk, &entry, done = std::move(done)](
                                               const absl::StatusOr<store::SessionRecord>& record) mutable {
    if (!record.ok()) {
      return done(session::Refused<session::SessionState>(session::LoadRefusal(IdOf(entry), record.status())));
    }
    if (desk.records.LivesElsewhere(*record)) {
      return done(session::Refused<session::SessionState>(session::LiveElsewhere(IdOf(entry), record->server)));
    }
    const session::Outcome<models::ModelRef> model = ModelOfState(desk.models, IdOf(entry), record->origin);
    if (model.refusal) return done(session::Refused<session::SessionState>(*model.refusal));
    CaptureRows(desk, entry, *record, model.value, std::move(done));
  });
}

void GetEntry(Desk& desk, Entry& entry, Sessions::Callback<session::SessionInfo> done) {
  if (entry.owner == kAtRest) {
    return desk.records.FindUnexpired(entry.name(), [&desk, &entry, done = std::move(done)](
                                                        const absl::StatusOr<store::SessionRecord>& record) mutable {
      if (record.ok()) return GetAtRest(desk, entry, desk.records.Describe(*record), std::move(done));
      done(session::Refused<session::SessionInfo>(session::LoadRefusal(IdOf(entry), record.status())));
      desk.owners.Finish(entry);
    });
  }
  desk.shards.Ask(
      entry.owner, [key = entry.name()](SessionOwner& owner) { return owner.Describe({key}); },
      [&desk, &entry, done = std::move(done)](std::vector<std::optional<session::SessionInfo>> infos) mutable {
        if (infos[0]) {
          done({std::nullopt, *std::move(infos[0])});
        } else {
          Get(desk, entry.name(), std::move(done));  // the session has left the shard meanwhile
        }
        desk.owners.Finish(entry);
      });
}

// Only the shard knows how large a session in a shard is.
void CaptureEntry(Desk& desk, Entry& entry, CaptureDone done) {
  if (entry.owner == kAtRest) return CaptureAtRest(desk, entry, std::move(done));
  desk.transit.Enter(LargestSession(desk), [&desk, &entry, done = std::move(done)](Transit::Permit permit) mutable {
    if (entry.owner == kAtRest) return CaptureAtRest(desk, entry, std::move(done));
    desk.shards.Ask(
        entry.owner, [key = entry.name()](SessionOwner& owner) { return owner.Capture(key); },
        [&desk, &entry, permit = std::move(permit),
         done = std::move(done)](OwnerReply<session::SessionState> reply) mutable {
          if (reply.gone) return Capture(desk, entry, std::move(done));
          reply.outcome.value.transit = std::move(permit);
          done(std::move(reply.outcome));
        });
  });
}

}  // namespace

void Get(Desk& desk, const std::string& key, Sessions::Callback<session::SessionInfo> done) {
  desk.owners.Submit(key, [&desk, done = std::move(done)](Entry& entry) mutable {
    DropStaleCopy(desk, entry,
                  [&desk, &entry, done = std::move(done)]() mutable { GetEntry(desk, entry, std::move(done)); });
  });
}

void Capture(Desk& desk, Entry& entry, CaptureDone done) {
  DropStaleCopy(desk, entry,
                [&desk, &entry, done = std::move(done)]() mutable { CaptureEntry(desk, entry, std::move(done)); });
}

void Export(Desk& desk, const std::string& key, Sessions::Callback<Snapshot> done) {
  desk.owners.Submit(key, [&desk, done = std::move(done)](Entry& entry) mutable {
    Capture(desk, entry,
            [&desk, &entry, done = std::move(done)](session::Outcome<session::SessionState> state) mutable {
              done(state.refusal ? session::Refused<Snapshot>(*state.refusal)
                                 : session::Outcome<Snapshot>{std::nullopt, SnapshotOf(std::move(state.value))});
              desk.owners.Finish(entry);
            });
  });
}

// The source is free as soon as the copy is made. The new session is an operation of its own, under its own key.
void Fork(Desk& desk, const std::string& key, const std::string& new_key, identity::Account* account,
          Sessions::Callback<session::SessionInfo> done) {
  desk.owners.Submit(key, [&desk, new_key, account, done = std::move(done)](Entry& entry) mutable {
    Capture(desk, entry,
            [&desk, new_key, account, &entry,
             done = std::move(done)](session::Outcome<session::SessionState> state) mutable {
              desk.owners.Finish(entry);
              if (state.refusal) return done(session::Refused<session::SessionInfo>(*state.refusal));
              Place(desk, new_key, std::move(state.value), {.replace = false, .epoch = {}, .account = account},
                    std::move(done));
            });
  });
}

}  // namespace aaren::registrar
