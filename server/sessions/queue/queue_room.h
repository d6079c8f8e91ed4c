#ifndef AAREN_SERVER_SESSIONS_QUEUE_QUEUE_ROOM_H_
#define AAREN_SERVER_SESSIONS_QUEUE_QUEUE_ROOM_H_

// QueueRoom bounds a shard's waiting bytes. A stream may fill half of the remaining room, so further streams always
// find room. A stream with nothing waiting may always add an item. Among several tenants, a tenant may fill half of the
// room left by the rest of the tenants.
//
// Threading: belongs to one shard.

#include <algorithm>
#include <cstddef>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "server/identity/accounts/account.h"
#include "server/sessions/queue/attachment.h"
#include "server/sessions/queue/tenant_line.h"

namespace aaren::queue {

class QueueRoom {
 public:
  explicit QueueRoom(size_t max_bytes) : max_bytes_(max_bytes) {}

  // The tenant of the account; null: of a server without a list of callers. Valid as long as the QueueRoom.
  TenantLine& LineOf(identity::Account* account);

  // True if the shard has several tenants, and a tenant with `own` of `all` has a full part of at most `most`: half of
  // the room left by the rest of the tenants.
  bool HasItsPart(size_t own, size_t all, size_t most) const {
    return tenants_.size() > 1 && own > 0 && own >= (most - std::min(most, all - own)) / 2;
  }

  // True if the stream may add nothing before tokens are stepped.
  bool IsFull(const Attachment& stream) const {
    return bytes_ >= max_bytes_ || HasItsPart(stream.tenant.bytes, bytes_, max_bytes_);
  }

  // True if the stream may add an item of `bytes` now. Otherwise room comes with steps of the stream's flows.
  bool Admits(const Attachment& stream, size_t bytes) const;

  // Bytes of flows come, and go.
  void Add(Attachment& stream, size_t bytes);
  void Give(Attachment& stream, size_t bytes);

  // Bytes of tokens behind an Open or a promotion come, and go.
  void Defer(Attachment& stream, size_t bytes);
  void Undefer(Attachment& stream, size_t bytes);

  // Bytes of a flow do not count any more, and count again.
  void SetAside(Attachment& stream, size_t bytes);
  void EndAside(Attachment& stream, size_t bytes);

  size_t bytes() const { return bytes_; }

 private:
  const size_t max_bytes_;
  size_t bytes_ = 0;
  absl::flat_hash_map<const identity::Account*, std::unique_ptr<TenantLine>> tenants_;  // looked up as streams begin
};

}  // namespace aaren::queue

#endif  // AAREN_SERVER_SESSIONS_QUEUE_QUEUE_ROOM_H_
