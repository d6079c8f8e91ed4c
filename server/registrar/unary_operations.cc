// Get, Export, Import, Fork and Delete: on sessions in a shard by asking it, on sessions at rest by their record.

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/registrar/open_check.h"
#include "server/registrar/registrar_impl.h"
#include "server/session/record.h"
#include "server/session/refusal.h"
#include "server/store/snapshot.h"

namespace aaren {
namespace {

template <typename T>
Outcome<T> Refused(Refusal refusal) {
  Outcome<T> outcome;
  outcome.refusal = std::move(refusal);
  return outcome;
}

Refusal LoadRefusal(const std::string& key, const absl::Status& status) {
  return absl::IsNotFound(status) ? SessionNotFound(SessionId(key)) : StoreUnavailable(status);
}

SessionState StateOf(SessionRecord record, const LoadedModel& model) {
  SessionState state;
  state.model = &model;
  state.channels = record.origin.channels;
  state.epoch = record.epoch;
  state.incarnation = record.incarnation;
  SavedRows newest = NewestSave(record, model);
  state.point = newest.point;
  state.rows = std::move(newest.rows);
  return state;
}

Snapshot SnapshotOf(SessionState state) {
  const SessionSnapshot snapshot{OriginOf(state), state.point, std::move(state.rows)};
  return {EncodeSnapshot(snapshot), snapshot.point.seq};
}

// A snapshot's state, or what is wrong with it.
Outcome<SessionState> CheckSnapshot(const std::string& bytes, absl::string_view id, const ModelTable& models,
                                    uint32_t max_channels) {
  absl::StatusOr<SessionSnapshot> snapshot = ParseSnapshot(bytes);
  if (!snapshot.ok()) return Refused<SessionState>(BadState("import", snapshot.status()));
  const Outcome<const LoadedModel*> model = ModelOfState(models, id, snapshot->origin);
  if (model.refusal) return Refused<SessionState>(*model.refusal);
  if (snapshot->origin.channels < 1 || snapshot->origin.channels > max_channels) {
    return Refused<SessionState>(
        InvalidField("snapshot", absl::StrCat(snapshot->origin.channels, " channels, the limit is ", max_channels)));
  }
  if (auto refusal = CheckRows(*model.value, snapshot->origin.channels, snapshot->point.seq, snapshot->rows)) {
    return Refused<SessionState>(*refusal);
  }
  Outcome<SessionState> outcome;
  outcome.value.model = model.value;
  outcome.value.channels = snapshot->origin.channels;
  outcome.value.point = snapshot->point;
  outcome.value.rows = std::move(snapshot->rows);
  return outcome;
}

}  // namespace

void Registrar::Impl::Get(const std::string& key, Callback<SessionInfo> done) {
  Submit(key, [this, done = std::move(done)](Entry& entry) mutable {
    if (entry.owner == kAtRest) {
      absl::StatusOr<SessionRecord> record = Load(entry.name());
      done(record.ok() ? Outcome<SessionInfo>{std::nullopt, InfoOf(*record, models_, clock_)}
                       : Refused<SessionInfo>(LoadRefusal(entry.name(), record.status())));
      return Finish(entry);
    }
    Ask(
        entry.owner, [key = entry.name()](SessionOwner& owner) { return owner.Describe({key}); },
        [this, &entry, done = std::move(done)](std::vector<std::optional<SessionInfo>> infos) mutable {
          if (infos[0]) {
            done({std::nullopt, *infos[0]});
          } else {
            Get(entry.name(), std::move(done));  // it has left that shard meanwhile
          }
          Finish(entry);
        });
  });
}

void Registrar::Impl::Capture(Entry& entry, Callback<SessionState> done) {
  if (entry.owner != kAtRest) {
    Ask(
        entry.owner, [key = entry.name()](SessionOwner& owner) { return owner.Capture(key); },
        [this, &entry, done = std::move(done)](OwnerReply<SessionState> reply) mutable {
          if (reply.gone) return Capture(entry, std::move(done));
          done(std::move(reply.outcome));
        });
    return;
  }
  absl::StatusOr<SessionRecord> record = Load(entry.name());
  if (!record.ok()) return done(Refused<SessionState>(LoadRefusal(entry.name(), record.status())));
  const Outcome<const LoadedModel*> model = ModelOfState(models_, SessionId(entry.key.view()), record->origin);
  if (model.refusal) return done(Refused<SessionState>(*model.refusal));
  done({std::nullopt, StateOf(*std::move(record), *model.value)});
}

// Whether the key is free, or its session may be replaced.
std::optional<Refusal> Registrar::Impl::CheckPlace(const Entry& entry, bool replace) {
  if (replace) return std::nullopt;
  // The record of a session in a shard may look as if it had expired.
  const absl::StatusOr<SessionRecord> record = entry.owner == kAtRest ? Load(entry.name()) : store_.Load(entry.name());
  if (record.ok() || entry.owner != kAtRest) {
    return SessionExists(SessionId(entry.key.view()), record.ok() ? record->epoch : 0);
  }
  if (absl::IsNotFound(record.status())) return std::nullopt;
  return StoreUnavailable(record.status());
}

void Registrar::Impl::Place(const std::string& key, SessionState state, bool replace, Callback<SessionInfo> done) {
  state.attempt = {};  // nobody opened this one yet
  Submit(key, [this, state = std::move(state), replace, done = std::move(done)](Entry& entry) mutable {
    std::optional<Refusal> refusal = CheckPlace(entry, replace);
    Outcome<SessionInfo> placed =
        refusal ? Refused<SessionInfo>(*std::move(refusal)) : WriteNew(entry.name(), std::move(state));
    if (placed.refusal || entry.owner == kAtRest) {
      done(std::move(placed));
      return Finish(entry);
    }
    Ask(
        entry.owner,
        [key = entry.name(), epoch = placed.value.epoch](SessionOwner& owner) { return owner.Drop(key, {}, epoch); },
        [this, &entry, placed, done = std::move(done)](const OwnerReply<Attempt>&) mutable {
          entry.owner = kAtRest;
          done(std::move(placed));
          Finish(entry);
        });
  });
}

// Puts a record of a new incarnation in the place of whatever the store held.
Outcome<SessionInfo> Registrar::Impl::WriteNew(const std::string& key, SessionState state) {
  const absl::StatusOr<uint64_t> epoch = store_.NextEpoch();
  if (!epoch.ok()) return Refused<SessionInfo>(StoreUnavailable(epoch.status()));
  state.epoch = state.incarnation = *epoch;
  state.delivered_seq = state.point.seq;
  SessionRecord record = RecordOf(key, state);
  record.last_active = now();
  record.saves.push_back({state.point, std::move(state.rows)});
  const SessionInfo info = InfoOf(record, models_, clock_);
  if (absl::Status status = store_.Save(std::move(record)); !status.ok()) {
    return Refused<SessionInfo>(absl::IsResourceExhausted(status)
                                    ? OverQuota("memory", status.message(), absl::Seconds(1))
                                    : StoreUnavailable(status));
  }
  return {std::nullopt, info};
}

void Registrar::Impl::Delete(std::string key, DropCondition condition, Callback<std::monostate> done) {
  Post([this, key = std::move(key), condition, done = std::move(done)]() mutable {
    Submit(key, [this, condition, done = std::move(done)](Entry& entry) mutable {
      const absl::StatusOr<uint64_t> epoch = store_.NextEpoch();
      if (!epoch.ok()) {
        done(Refused<std::monostate>(StoreUnavailable(epoch.status())));
        return Finish(entry);
      }
      DropEverywhere(entry, condition, *epoch, std::move(done));
    });
  });
}

void Registrar::Impl::DropEverywhere(Entry& entry, DropCondition condition, uint64_t epoch,
                                     Callback<std::monostate> done) {
  if (entry.owner == kAtRest) {
    done(DropAtRest(entry.name(), condition, epoch, /*dropped_from_shard=*/false));
    return Finish(entry);
  }
  Ask(
      entry.owner,
      [key = entry.name(), condition, epoch](SessionOwner& owner) { return owner.Drop(key, condition, epoch); },
      [this, &entry, condition, epoch, done = std::move(done)](OwnerReply<Attempt> reply) mutable {
        if (reply.gone) return DropEverywhere(entry, condition, epoch, std::move(done));
        if (reply.outcome.refusal) {
          done(Refused<std::monostate>(*reply.outcome.refusal));
          return Finish(entry);
        }
        entry.owner = kAtRest;
        deleted_.Add(entry.name(), reply.outcome.value);
        done(DropAtRest(entry.name(), condition, epoch, /*dropped_from_shard=*/true));
        Finish(entry);
      });
}

Outcome<std::monostate> Registrar::Impl::DropAtRest(const std::string& key, const DropCondition& condition,
                                                    uint64_t epoch, bool dropped_from_shard) {
  const absl::StatusOr<SessionRecord> record = Load(key);
  if (absl::IsNotFound(record.status()) && dropped_from_shard) return {};
  if (!record.ok()) return Refused<std::monostate>(LoadRefusal(key, record.status()));
  const bool other_epoch = condition.epoch && record->epoch != *condition.epoch;
  const bool used_since = condition.idle_since && record->last_active > *condition.idle_since;
  if (!dropped_from_shard && (other_epoch || used_since)) {
    return Refused<std::monostate>(Fenced(SessionId(key), record->epoch));
  }
  if (absl::Status status = store_.Delete(key, epoch); !status.ok()) {
    return Refused<std::monostate>(StoreUnavailable(status));
  }
  if (!dropped_from_shard) deleted_.Add(key, record->attempt);
  return {};
}

void Registrar::Get(std::string tenant, std::string id, Callback<SessionInfo> done) {
  if (auto refusal = CheckSessionId("session_id", id)) return done(Refused<SessionInfo>(*refusal));
  impl_->Post([impl = impl_.get(), key = SessionKey(tenant, id), done = std::move(done)]() mutable {
    impl->Get(key, std::move(done));
  });
}

void Registrar::Export(std::string tenant, std::string id, Callback<Snapshot> done) {
  if (auto refusal = CheckSessionId("session_id", id)) return done(Refused<Snapshot>(*refusal));
  impl_->Post([impl = impl_.get(), key = SessionKey(tenant, id), done = std::move(done)]() mutable {
    impl->Submit(key, [impl, done = std::move(done)](Impl::Entry& entry) mutable {
      impl->Capture(entry, [impl, &entry, done = std::move(done)](Outcome<SessionState> state) mutable {
        done(state.refusal ? Refused<Snapshot>(*state.refusal)
                           : Outcome<Snapshot>{std::nullopt, SnapshotOf(std::move(state.value))});
        impl->Finish(entry);
      });
    });
  });
}

void Registrar::Import(std::string tenant, std::string id, std::string snapshot, bool replace,
                       Callback<SessionInfo> done) {
  if (auto refusal = CheckSessionId("session_id", id)) return done(Refused<SessionInfo>(*refusal));
  impl_->Post([impl = impl_.get(), key = SessionKey(tenant, id), snapshot = std::move(snapshot), replace,
               done = std::move(done)]() mutable {
    Outcome<SessionState> state = CheckSnapshot(snapshot, SessionId(key), impl->models(), impl->max_channels());
    if (state.refusal) return done(Refused<SessionInfo>(*state.refusal));
    impl->Place(key, std::move(state.value), replace, std::move(done));
  });
}

void Registrar::Fork(std::string tenant, std::string id, std::string new_id, Callback<SessionInfo> done) {
  if (auto refusal = CheckSessionId("session_id", id)) return done(Refused<SessionInfo>(*refusal));
  if (auto refusal = CheckSessionId("new_session_id", new_id)) return done(Refused<SessionInfo>(*refusal));
  impl_->Post([impl = impl_.get(), key = SessionKey(tenant, id), new_key = SessionKey(tenant, new_id),
               done = std::move(done)]() mutable {
    impl->Submit(key, [impl, new_key, done = std::move(done)](Impl::Entry& entry) mutable {
      impl->Capture(entry, [impl, new_key, &entry, done = std::move(done)](Outcome<SessionState> state) mutable {
        impl->Finish(entry);
        if (state.refusal) return done(Refused<SessionInfo>(*state.refusal));
        impl->Place(new_key, std::move(state.value), /*replace=*/false, std::move(done));
      });
    });
  });
}

void Registrar::Delete(std::string tenant, std::string id, Callback<std::monostate> done) {
  if (auto refusal = CheckSessionId("session_id", id)) return done(Refused<std::monostate>(*refusal));
  impl_->Delete(SessionKey(tenant, id), {}, std::move(done));
}

}  // namespace aaren
