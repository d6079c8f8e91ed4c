// A session that its stream has left stays in its shard. If another server with the same store opens the session then,
// nobody tells this server: the shard has a stale copy.

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

}  // namespace

void DropStaleCopy(Desk& desk, Entry& entry, absl::AnyInvocable<void()> then) {
  if (entry.owner == kAtRest || !desk.store.shared()) return then();
  desk.records.Find(entry.name(), [&desk, &entry,
                                   then = std::move(then)](const absl::StatusOr<store::SessionRecord>& record) mutable {
    // A silent store, or a store that has lost the session, says nothing about other servers.
    if (!record.ok() || entry.owner == kAtRest) return then();
    desk.shards.Ask(
        entry.owner, [key = entry.name()](SessionOwner& owner) { return owner.Describe({key}); },
        [&desk, &entry, epoch = record->epoch, then = std::move(then)](const Descriptions& here) mutable {
          if (!here[0] || !desk.records.TakenElsewhere(here[0]->epoch, epoch)) return then();
          DropFromShard(desk, entry, epoch, std::move(then));
        });
  });
}

}  // namespace aaren::registrar
