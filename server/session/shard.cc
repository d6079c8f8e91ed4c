#include "server/session/shard.h"

#include <utility>

#include "server/session/shard_impl.h"

namespace aaren {

SessionShard::SessionShard(int index, ShardOptions options, const ModelTable& models, Registrar& registrar,
                           const Clock& clock)
    : impl_(std::make_unique<Impl>(index, options, models, *registrar.impl_, clock)) {}
SessionShard::~SessionShard() = default;

bool SessionShard::AdmitsOpen(Peer& peer) { return impl_->AdmitsOpen(peer); }
bool SessionShard::AdmitsTokens(Peer& peer, size_t bytes) { return impl_->AdmitsTokens(peer, bytes); }
bool SessionShard::IsClosing(Peer& peer, Handle handle) { return impl_->IsClosing(peer, handle); }
bool SessionShard::QueueIsFull() const { return impl_->QueueIsFull(); }
bool SessionShard::HasHandles(Peer& peer) { return impl_->HasHandles(peer); }
bool SessionShard::Owes(Peer& peer) { return impl_->Owes(peer); }
void SessionShard::Open(Peer& peer, Handle handle, OpenRequest request) {
  impl_->Open(peer, handle, std::move(request));
}
bool SessionShard::Tokens(Peer& peer, const TokensView& tokens) { return impl_->Tokens(peer, tokens); }
void SessionShard::Close(Peer& peer, Handle handle, bool delete_session, std::optional<uint64_t> delivered_seq) {
  impl_->Close(peer, handle, delete_session, delivered_seq);
}
void SessionShard::Disconnect(Peer& peer) { impl_->Disconnect(peer); }
void SessionShard::Resume(Peer& peer) { impl_->Resume(peer); }
bool SessionShard::DrainMailbox(size_t at_most) { return impl_->DrainMailbox(at_most); }
bool SessionShard::DrainMailboxFor(absl::Duration at_most) { return impl_->DrainMailboxFor(at_most); }
size_t SessionShard::Step() { return impl_->Step(); }
void SessionShard::Tick() { impl_->Tick(); }
bool SessionShard::TokensWait() const { return impl_->TokensWait(); }
bool SessionShard::Busy() const { return impl_->Busy(); }
void SessionShard::SaveAll() { impl_->SaveAll(); }
Mailbox& SessionShard::mailbox() { return impl_->mailbox(); }
const ShardCounters& SessionShard::counters() const { return impl_->counters(); }

}  // namespace aaren
