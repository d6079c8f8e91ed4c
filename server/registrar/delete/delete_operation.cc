// Delete and Evict: of sessions in a shard by asking it, of sessions at rest by their record.

#include <utility>

#include "server/registrar/desk.h"
#include "server/registrar/open/open_check.h"
#include "server/session/refusal.h"

namespace aaren::registrar {

void Desk::Delete(std::string key, DropCondition condition, Callback<std::monostate> done) {
  Post([this, key = std::move(key), condition, done = std::move(done)]() mutable {
    Submit(key, [this, condition, done = std::move(done)](Entry& entry) mutable {
      DrawEpoch(0, [this, &entry, condition, done = std::move(done)](absl::StatusOr<uint64_t> epoch) mutable {
        if (epoch.ok()) return DropEverywhere(entry, condition, *epoch, std::move(done));
        done(session::Refused<std::monostate>(session::StoreRefusal(epoch.status())));
        Finish(entry);
      });
    });
  });
}

// The store comes first: a session that it does not let go stays what it is.
void Desk::DropEverywhere(Entry& entry, DropCondition condition, uint64_t epoch, Callback<std::monostate> done) {
  if (entry.owner == kAtRest) return DropAtRest(entry, condition, epoch, std::move(done));
  Ask(
      entry.owner, [key = entry.name(), condition](SessionOwner& owner) { return owner.Hold(key, condition); },
      [this, &entry, condition, epoch, done = std::move(done)](const OwnerReply<std::monostate>& reply) mutable {
        if (reply.gone) return DropEverywhere(entry, condition, epoch, std::move(done));
        const DropReason reason = condition.idle_since ? DropReason::kExpired : DropReason::kDeleted;
        if (!reply.outcome.refusal) return DropHeld(entry, reason, epoch, std::move(done));
        done(session::Refused<std::monostate>(*reply.outcome.refusal));
        Finish(entry);
      });
}

void Desk::DropHeld(Entry& entry, DropReason reason, uint64_t epoch, Callback<std::monostate> done) {
  Find(entry.name(), [this, &entry, reason, epoch,
                      done = std::move(done)](const absl::StatusOr<store::SessionRecord>& record) mutable {
    DeleteRecord(
        entry.name(), record,
        [this, &entry, reason, epoch, done = std::move(done)](std::optional<session::Refusal> refusal) mutable {
          if (entry.owner == kAtRest) {  // its engine failed meanwhile
            done({std::move(refusal), {}});
            return Finish(entry);
          }
          if (refusal) {
            Tell(entry.owner, [key = entry.name()](SessionOwner& owner) { owner.Unhold(key); });
            done({std::move(refusal), {}});
            return Finish(entry);
          }
          Ask(
              entry.owner,
              [key = entry.name(), reason, epoch](SessionOwner& owner) { return owner.Drop(key, reason, epoch); },
              [this, &entry, done = std::move(done)](const OwnerReply<store::Attempt>& reply) mutable {
                entry.owner = kAtRest;
                deleted_.Add(entry.name(), reply.outcome.value);
                done({});
                Finish(entry);
              });
        });
  });
}

// Deletes what was loaded: also if it cannot be read, and without complaint if there is nothing.
void Desk::DeleteRecord(const std::string& key, const absl::StatusOr<store::SessionRecord>& record, Ended then) {
  if (absl::IsNotFound(record.status())) return then(std::nullopt);
  if (!record.ok() && !store::IsUnreadable(record.status())) return then(session::StoreRefusal(record.status()));
  const std::optional<uint64_t> epoch = record.ok() ? std::make_optional(record->epoch) : std::nullopt;
  store_.Delete(key, epoch,
                Back<store::WriteResult>([key, then = std::move(then)](const store::WriteResult& result) mutable {
                  if (result.status.ok()) return then(std::nullopt);
                  then(absl::IsAborted(result.status) ? session::Fenced(session::SessionId(key), result.current_epoch)
                                                      : session::StoreRefusal(result.status));
                }));
}

void Desk::DropAtRest(Entry& entry, DropCondition condition, uint64_t epoch, Callback<std::monostate> done) {
  FindUnexpired(entry.name(), [this, &entry, condition, epoch,
                               done = std::move(done)](const absl::StatusOr<store::SessionRecord>& record) mutable {
    const absl::string_view id = session::SessionId(entry.key.view());
    std::optional<session::Refusal> refusal;
    if (absl::IsNotFound(record.status())) {
      refusal = session::SessionNotFound(id);
    } else if (record.ok()) {
      const bool other_epoch = condition.epoch && record->epoch != *condition.epoch;
      const bool used_since = condition.idle_since && record->last_active > *condition.idle_since;
      if (other_epoch || used_since) refusal = session::Fenced(id, record->epoch);
    } else if (condition.epoch) {  // whether it is that one cannot be seen
      refusal = session::StoreRefusal(record.status());
    }
    const store::Attempt attempt = record.ok() ? record->attempt : store::Attempt();
    auto end = [this, &entry, attempt, epoch, done = std::move(done)](std::optional<session::Refusal> why) mutable {
      if (!why) {
        deleted_.Add(entry.key.view(), attempt);
        TellDemoted(entry.name(), epoch, session::Fenced(session::SessionId(entry.key.view()), epoch));
      }
      done({std::move(why), {}});
      Finish(entry);
    };
    if (refusal) return end(std::move(refusal));
    DeleteRecord(entry.name(), record, std::move(end));
  });
}

// Unlike other questions this one is answered later: when the store has the session. Opens of it wait until then.
void Desk::Evict(Entry& entry, Callback<std::monostate> done) {
  if (entry.owner == kAtRest) {
    return FindUnexpired(entry.name(), [this, &entry, done = std::move(done)](
                                           const absl::StatusOr<store::SessionRecord>& record) mutable {
      std::optional<session::Refusal> refusal;
      if (!record.ok()) {
        refusal = session::LoadRefusal(session::SessionId(entry.key.view()), record.status());
      } else if (LivesElsewhere(*record)) {
        refusal = session::LiveElsewhere(session::SessionId(entry.key.view()), record->server);
      }
      done({std::move(refusal), {}});
      Finish(entry);
    });
  }
  auto answered = [this, &entry, done = std::move(done)](OwnerReply<std::monostate> reply) mutable {
    if (reply.gone) return Evict(entry, std::move(done));
    done(std::move(reply.outcome));
    Finish(entry);
  };
  Tell(entry.owner, [this, key = entry.name(), answered = std::move(answered)](SessionOwner& owner) mutable {
    owner.Evict(key, [this, answered = std::move(answered)](OwnerReply<std::monostate> reply) mutable {
      Post([reply = std::move(reply), answered = std::move(answered)]() mutable { answered(std::move(reply)); });
    });
  });
}

}  // namespace aaren::registrar
