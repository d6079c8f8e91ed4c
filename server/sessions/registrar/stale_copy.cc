// A session that its stream has left stays in its shard. If another server with the same store opens or deletes the
// session then, nobody tells this server: the shard has a stale copy.

#include <utility>

#include "server/sessions/registrar/operations.h"

namespace aaren::registrar {
namespace {

using Descriptions = std::vector<std::optional<session::SessionInfo>>;

void DropFromShard(Desk& desk, Entry& entry, uint64_t epoch, absl::AnyInvocable<void()> then) {
  desk.shards.Ask(
      entry.owner,
      [key = entry.name(), epoch](SessionOwner& owner) { return owner.Drop(key, DropReason::kTakenElsewhere, epoch); },
      [&entry, then = std::move(then)](const OwnerReply<store::Attempt>&) mutable {
        entry.owner = kAtRest;
        then();
      });
}

// A session without a record, but with a stream, ends at the next save.
bool IsStale(const Desk& desk, const session::SessionInfo& here, const absl::StatusOr<store::SessionRecord>& record) {
  return record.ok() ? desk.records.TakenElsewhere(here.epoch, record->epoch) : !here.attached;
}

}  // namespace

void DropStaleCopy(Desk& desk, Entry& entry, absl::AnyInvocable<void()> then) {
  if (entry.owner == kAtRest || !desk.store.shared()) return then();
  desk.records.Find(entry.name(), [&desk, &entry,
                                   then = std::move(then)](const absl::StatusOr<store::SessionRecord>& record) mutable {
    // A silent store, or an unreadable record, says nothing about other servers.
    if (!(record.ok() || absl::IsNotFound(record.status())) || entry.owner == kAtRest) return then();
    desk.shards.Ask(
        entry.owner, [key = entry.name()](SessionOwner& owner) { return owner.Describe({key}); },
        [&desk, &entry, record, then = std::move(then)](const Descriptions& here) mutable {
          if (!here[0] || !IsStale(desk, *here[0], record)) return then();
          DropFromShard(desk, entry, record.ok() ? record->epoch : here[0]->epoch, std::move(then));
        });
  });
}

}  // namespace aaren::registrar
