#include "server/sessions/shard/handles/handles.h"

#include <utility>

#include "server/sessions/session/refusal.h"

namespace aaren::shard {
namespace {

void CountPending(queue::Attachment& stream, size_t& of_stream) {
  ++of_stream;
  ++stream.tenant.pending;
}

void UncountPending(queue::Attachment& stream, size_t& of_stream) {
  --of_stream;
  --stream.tenant.pending;
}

template <typename Table>
auto TakeFrom(Table& table, uint64_t ticket) {
  const auto found = table.find(ticket);
  auto taken = std::move(found->second);
  table.erase(found);
  return taken;
}

}  // namespace

queue::Attachment& Handles::Of(session::Peer& peer) {
  if (peer.notes == nullptr) {
    auto stream = std::make_unique<queue::Attachment>(peer, queue_.room().LineOf(peer.account));
    peer.notes = stream.get();
    streams_[&peer] = std::move(stream);
  }
  return *static_cast<queue::Attachment*>(peer.notes);
}

std::unique_ptr<queue::Attachment> Handles::Take(session::Peer& peer) {
  const auto found = streams_.find(&peer);
  if (found == streams_.end()) return nullptr;
  std::unique_ptr<queue::Attachment> stream = std::move(found->second);
  streams_.erase(found);
  peer.notes = nullptr;
  return stream;
}

void Handles::Forget(queue::Attachment& stream) {
  refused_.Forget(stream);
  stream.tenant.pending -= stream.openings + stream.closings;
  queue_.turns().Leave(stream);
}

// A stream may take half of the remaining number, a tenant half of the number left by the rest of the tenants.
bool Handles::AdmitsOpen(session::Peer& peer) {
  const size_t most = core_.options.max_pending_opens, pending = openings_.size() + closings_.size();
  if (pending >= most) return false;
  const queue::Attachment& stream = Of(peer);
  if (queue_.room().HasItsPart(stream.tenant.pending, pending, most)) return false;
  const size_t own = stream.openings + stream.closings;
  return own == 0 || own < (most - pending) / 2;
}

// Flows in a step count, too. A half-closed stream ends once the shard owes no answer.
bool Handles::Owes(session::Peer& peer) {
  const queue::Attachment& stream = Of(peer);
  return stream.openings + stream.closings + stream.promotions > 0 || stream.bytes.queued + stream.bytes.aside > 0;
}

StreamUse Handles::UseOf(const session::Peer& peer) {
  if (peer.notes == nullptr) return {};
  const auto& stream = *static_cast<const queue::Attachment*>(peer.notes);
  return {stream.open_handles(), stream.bytes.queued + stream.bytes.aside};
}

// The client waits for an answer to the Close of a refused handle.
void Handles::CloseUnused(queue::Attachment& stream, session::Handle handle) {
  if (stream.handles.Find(handle) == nullptr) {
    return stream.peer.OnCloseRefused(handle, session::HandleNotFound(handle));
  }
  refused_.Erase(stream, handle);
  stream.peer.OnClosed(handle, 0, 0);
}

// The handle is bound before the registrar answers: tokens and a Close behind the Open wait with the Open.
void Handles::Begin(uint64_t ticket, std::unique_ptr<Opening> opening) {
  queue::Attachment& stream = *opening->stream;
  CountPending(stream, stream.openings);
  stream.Bind(opening->handle, opening.get());
  openings_[ticket] = std::move(opening);
}

std::unique_ptr<Opening> Handles::TakeOpening(uint64_t ticket) {
  std::unique_ptr<Opening> opening = TakeFrom(openings_, ticket);
  if (opening->stream != nullptr) UncountPending(*opening->stream, opening->stream->openings);
  return opening;
}

void Handles::Begin(uint64_t ticket, std::unique_ptr<Closing> closing) {
  queue::Attachment& stream = *closing->stream;
  stream.Bind(closing->handle, closing.get());
  CountPending(stream, stream.closings);
  closings_[ticket] = std::move(closing);
}

std::unique_ptr<Closing> Handles::TakeClosing(uint64_t ticket) {
  std::unique_ptr<Closing> closing = TakeFrom(closings_, ticket);
  if (closing->stream == nullptr) return closing;
  closing->stream->Unbind(closing->handle);
  UncountPending(*closing->stream, closing->stream->closings);
  return closing;
}

}  // namespace aaren::shard
