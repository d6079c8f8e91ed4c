#include "server/sessions/queue/queue_room.h"

namespace aaren::queue {

TenantLine& QueueRoom::LineOf(identity::Account* account) {
  std::unique_ptr<TenantLine>& tenant = tenants_[account];
  if (tenant == nullptr) tenant = std::make_unique<TenantLine>(account);
  return *tenant;
}

// Half of the remaining room: however many streams are greedy, the next stream finds room.
bool QueueRoom::Admits(const Attachment& stream, size_t bytes) const {
  if (IsFull(stream)) return false;
  const size_t own = stream.bytes.queued + stream.bytes.deferred;
  return own == 0 || own + bytes <= (max_bytes_ - bytes_) / 2;
}

void QueueRoom::Add(Attachment& stream, size_t bytes) {
  stream.bytes.queued += bytes;
  stream.tenant.bytes += bytes;
  bytes_ += bytes;
}

void QueueRoom::Give(Attachment& stream, size_t bytes) {
  stream.bytes.queued -= bytes;
  stream.tenant.bytes -= bytes;
  bytes_ -= bytes;
}

void QueueRoom::Defer(Attachment& stream, size_t bytes) {
  stream.bytes.deferred += bytes;
  stream.tenant.bytes += bytes;
  bytes_ += bytes;
}

void QueueRoom::Undefer(Attachment& stream, size_t bytes) {
  stream.bytes.deferred -= bytes;
  stream.tenant.bytes -= bytes;
  bytes_ -= bytes;
}

void QueueRoom::SetAside(Attachment& stream, size_t bytes) {
  Give(stream, bytes);
  stream.bytes.aside += bytes;
}

void QueueRoom::EndAside(Attachment& stream, size_t bytes) {
  stream.bytes.aside -= bytes;
  Add(stream, bytes);
}

}  // namespace aaren::queue
