// Delete and Evict: a shard is asked about a session in the shard, and the record of a session at rest is deleted.

#include <utility>

#include "server/sessions/registrar/open/open_check.h"
#include "server/sessions/registrar/operations.h"
#include "server/sessions/session/refusal.h"

namespace aaren::registrar {
namespace {

using DeleteDone = Sessions::Callback<std::monostate>;

// A deletion under way. The store comes first: if the store fails, the session stays unchanged.
class DeleteOperation : public std::enable_shared_from_this<DeleteOperation> {
 public:
  DeleteOperation(Desk& desk, Entry& entry, const DropCondition& condition, DeleteDone done)
      : desk_(desk), entry_(entry), condition_(condition), done_(std::move(done)) {}

  void Begin() {
    desk_.epochs.Draw(0, [self = shared_from_this()](absl::StatusOr<uint64_t> epoch) {
      if (!epoch.ok()) return self->End(session::StoreRefusal(epoch.status()));
      self->epoch_ = *epoch;
      self->Drop();
    });
  }

 private:
  void Drop() {
    DropStaleCopy(desk_, entry_, [self = shared_from_this()] {
      self->entry_.owner == kAtRest ? self->DropAtRest() : self->AskToHold();
    });
  }

  void AskToHold() {
    desk_.shards.Ask(
        entry_.owner,
        [key = entry_.name(), condition = condition_](SessionOwner& owner) { return owner.Hold(key, condition); },
        [self = shared_from_this()](const OwnerReply<uint64_t>& reply) {
          if (reply.gone) return self->Drop();
          reply.outcome.refusal ? self->End(reply.outcome.refusal) : self->DropHeld(reply.outcome.value);
        });
  }

  // Another server may have taken the session just now.
  void DropHeld(uint64_t held_epoch) {
    desk_.records.Find(
        entry_.name(), [self = shared_from_this(), held_epoch](const absl::StatusOr<store::SessionRecord>& record) {
          if (record.ok() && self->desk_.records.TakenElsewhere(held_epoch, record->epoch)) return self->Drop();
          self->desk_.records.Delete(self->entry_.name(), record, [self](std::optional<session::Refusal> refusal) {
            self->OnRecordDeleted(std::move(refusal));
          });
        });
  }

  void OnRecordDeleted(std::optional<session::Refusal> refusal) {
    if (entry_.owner == kAtRest) return End(std::move(refusal));  // the shard has lost the session meanwhile
    if (refusal) {
      desk_.shards.Tell(entry_.owner, [key = entry_.name()](SessionOwner& owner) { owner.Unhold(key); });
      return End(std::move(refusal));
    }
    desk_.shards.Ask(
        entry_.owner,
        [key = entry_.name(), epoch = epoch_](SessionOwner& owner) {
          return owner.Drop(key, DropReason::kByRequest, epoch);
        },
        [self = shared_from_this()](const OwnerReply<store::Attempt>& reply) {
          self->entry_.owner = kAtRest;
          self->desk_.deleted.Add(self->entry_.key.view(), reply.outcome.value);
          self->End(std::nullopt);
        });
  }

  void DropAtRest() {
    desk_.records.FindUnexpired(
        entry_.name(), [self = shared_from_this()](const absl::StatusOr<store::SessionRecord>& record) {
          if (std::optional<session::Refusal> refusal = self->CheckAtRest(record)) {
            return self->End(std::move(refusal));
          }
          self->desk_.records.Delete(
              self->entry_.name(), record,
              [self, attempt = record.ok() ? record->attempt : store::Attempt()](
                  std::optional<session::Refusal> refusal) { self->OnDroppedAtRest(attempt, std::move(refusal)); });
        });
  }

  // An unreadable record has no epoch to compare with.
  std::optional<session::Refusal> CheckAtRest(const absl::StatusOr<store::SessionRecord>& record) const {
    if (absl::IsNotFound(record.status())) return session::SessionNotFound(IdOf(entry_));
    if (!record.ok()) {
      return condition_.epoch ? std::make_optional(session::StoreRefusal(record.status())) : std::nullopt;
    }
    const bool other_epoch = condition_.epoch && record->epoch != *condition_.epoch;
    const bool used_since = condition_.idle_since && record->last_active > *condition_.idle_since;
    if (!other_epoch && !used_since) return std::nullopt;
    return session::Fenced(IdOf(entry_), record->epoch);
  }

  void OnDroppedAtRest(const store::Attempt& attempt, std::optional<session::Refusal> refusal) {
    if (!refusal) {
      desk_.deleted.Add(entry_.key.view(), attempt);
      desk_.shards.TellDemoted(entry_.name(), epoch_, session::Fenced(IdOf(entry_), epoch_));
    }
    End(std::move(refusal));
  }

  void End(std::optional<session::Refusal> refusal) {
    // A shard that asks to delete an idle session counts the session as expired.
    const bool counts = !refusal && !condition_.idle_since;
    if (counts) desk_.shards.Tell(0, [](SessionOwner& owner) { owner.Deleted(); });
    done_({std::move(refusal), {}});
    desk_.owners.Finish(entry_);
  }

  Desk& desk_;
  Entry& entry_;
  const DropCondition condition_;
  DeleteDone done_;
  uint64_t epoch_ = 0;  // fences the writer
};

void EvictAtRest(Desk& desk, Entry& entry, DeleteDone done) {
  desk.records.FindUnexpired(entry.name(), [&desk, &entry, done = std::move(done)](
                                               const absl::StatusOr<store::SessionRecord>& record) mutable {
    std::optional<session::Refusal> refusal;
    if (!record.ok()) {
      refusal = session::LoadRefusal(IdOf(entry), record.status());
    } else if (desk.records.LivesElsewhere(*record)) {
      refusal = session::LiveElsewhere(IdOf(entry), record->server);
    }
    done({std::move(refusal), {}});
    desk.owners.Finish(entry);
  });
}

// An eviction is answered when the store has the session, not at once. Opens wait until the answer.
void EvictEntry(Desk& desk, Entry& entry, DeleteDone done) {
  if (entry.owner == kAtRest) return EvictAtRest(desk, entry, std::move(done));
  auto answered = [&desk, &entry, done = std::move(done)](OwnerReply<std::monostate> reply) mutable {
    if (reply.gone) return EvictEntry(desk, entry, std::move(done));
    done(std::move(reply.outcome));
    desk.owners.Finish(entry);
  };
  desk.shards.Tell(
      entry.owner, [&desk, key = entry.name(), answered = std::move(answered)](SessionOwner& owner) mutable {
        owner.Evict(key, [&desk, answered = std::move(answered)](OwnerReply<std::monostate> reply) mutable {
          desk.mail.Post(
              [reply = std::move(reply), answered = std::move(answered)]() mutable { answered(std::move(reply)); });
        });
      });
}

}  // namespace

void Delete(Desk& desk, const std::string& key, const DropCondition& condition, DeleteDone done) {
  desk.owners.Submit(key, [&desk, condition, done = std::move(done)](Entry& entry) mutable {
    std::make_shared<DeleteOperation>(desk, entry, condition, std::move(done))->Begin();
  });
}

void Evict(Desk& desk, const std::string& key, DeleteDone done) {
  desk.owners.Submit(key, [&desk, done = std::move(done)](Entry& entry) mutable {
    DropStaleCopy(desk, entry,
                  [&desk, &entry, done = std::move(done)]() mutable { EvictEntry(desk, entry, std::move(done)); });
  });
}

}  // namespace aaren::registrar
