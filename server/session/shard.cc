#include "server/session/shard.h"

#include <utility>

#include "server/session/shard_impl.h"

namespace aaren {

SessionShard::SessionShard(int index, ShardOptions options, const ModelTable& models, Registrar& registrar)
    : impl_(std::make_unique<Impl>(index, options, models, *registrar.impl_)) {}
SessionShard::~SessionShard() = default;

void SessionShard::Open(Peer& peer, Handle handle, OpenRequest request) {
  impl_->Open(peer, handle, std::move(request));
}
void SessionShard::Tokens(Peer& peer, const TokensView& tokens) { impl_->Tokens(peer, tokens); }
void SessionShard::Close(Peer& peer, Handle handle, bool delete_session, std::optional<uint64_t> delivered_seq) {
  impl_->Close(peer, handle, delete_session, delivered_seq);
}
void SessionShard::Disconnect(Peer& peer) { impl_->Disconnect(peer); }
bool SessionShard::DrainMailbox() { return impl_->DrainMailbox(); }
size_t SessionShard::Step() { return impl_->Step(); }
void SessionShard::Tick(absl::Time now) { impl_->Tick(now); }
bool SessionShard::Full() const { return impl_->Full(); }
bool SessionShard::Busy() const { return impl_->Busy(); }
void SessionShard::SaveAll() { impl_->SaveAll(); }
Mailbox& SessionShard::mailbox() { return impl_->mailbox(); }
const ShardCounters& SessionShard::counters() const { return impl_->counters(); }

}  // namespace aaren
