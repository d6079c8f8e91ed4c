// What streams ask of a shard, but for their tokens: Opens, Closes, and that they come and go.

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/registrar/open/open_check.h"
#include "server/session/refusal.h"
#include "server/shard/shard.h"

namespace aaren::shard {
namespace {

constexpr size_t kMostLookedAt = 1024;  // sessions on their way back, for room that one message needs

}  // namespace

queue::Attachment& SessionShard::StreamOf(session::Peer& peer) {
  if (peer.notes == nullptr) {
    auto stream = std::make_unique<queue::Attachment>(peer, queue_.room().LineOf(peer.account));
    peer.notes = stream.get();
    streams_[&peer] = std::move(stream);
  }
  return *static_cast<queue::Attachment*>(peer.notes);
}

// Like tokens, Opens share what there is: a stream may take half of what is left, a tenant of what others leave.
bool SessionShard::AdmitsOpen(session::Peer& peer) {
  const size_t pending = openings_.size() + closings_.size();
  if (pending >= options_.max_pending_opens) return false;
  const queue::Attachment& stream = StreamOf(peer);
  if (queue_.room().HasItsPart(stream.tenant.pending, pending, options_.max_pending_opens)) return false;
  const size_t own = stream.openings + stream.closings;
  return own == 0 || own < (options_.max_pending_opens - pending) / 2;
}

// A half-closed stream ends once nothing is owed to it any more.
bool SessionShard::Owes(session::Peer& peer) {
  const queue::Attachment& stream = StreamOf(peer);
  return stream.openings + stream.closings + stream.promotions > 0 ||
         stream.bytes.queued + stream.bytes.aside > 0;  // its flows, also those in a step
}

StreamUse SessionShard::UseOf(const session::Peer& peer) const {
  if (peer.notes == nullptr) return {};
  const auto& stream = *static_cast<const queue::Attachment*>(peer.notes);
  return {stream.open_handles(), stream.bytes.queued + stream.bytes.aside};
}

bool SessionShard::AdmitsTokens(session::Peer& peer, size_t bytes) {
  const queue::Attachment& stream = StreamOf(peer);
  const size_t needed = bytes + sizeof(DeferredTokens);
  if (queue_.room().Admits(stream, needed)) return true;
  if (!std::exchange(may_set_aside_, false)) return false;
  SetAside(stream, needed);
  return queue_.room().Admits(stream, needed);
}

// Tokens that wait for a client's word, its delivered_seq, must not keep that word from being read: it comes in an item
// like all others. So they are refused behind what they wait for, and sent again. While nobody waits for one, sessions
// that come back keep their tokens, and streams wait.
void SessionShard::SetAside(const queue::Attachment& stream, size_t needed) {
  const bool awaited = saver_.FirstUntold() != nullptr || queue_.replies().any_stalled();
  for (session::Session* session = saver_.FirstUntold(); session != nullptr; session = session->next)
    SetAside(*session);
  queue_.replies().ForEachStalled([this](const queue::Flow& flow) {
    if (!flow.grant.in_step) SetAside(*flow.session);
  });
  if (!awaited) return;
  SetPromotionsAside(stream, needed, /*own=*/true);
  SetPromotionsAside(stream, needed, /*own=*/false);
}

void SessionShard::SetAside(session::Session& session) {
  if (session.closing || session.flow == nullptr) return;
  const uint64_t end = session.point.seq + session.flow->tokens;
  counters_.tokens_refused.Add(queue_.SetAside(session, session::SetAside(end, session.point.seq)));
}

// The row that one waits for is somebody's who waits for such a word, perhaps. No more than makes room: first the
// stream's own, then those of who has more waiting than it. Of them the newest: whoever has waited longest keeps its
// tokens, so the line moves on however often others send theirs again.
void SessionShard::SetPromotionsAside(const queue::Attachment& stream, size_t needed, bool own) {
  promotions_.HandOverNewest(
      kMostLookedAt, [&] { return !queue_.room().Admits(stream, needed); },
      [&](const Promotion& promotion) { return MayMakeRoom(promotion, stream, own); },
      [this](Promotion& promotion) { SetAside(promotion); });
}

// Nobody's whose part is smaller, and no other tenant's where the tenant's own part is full: that would make no room.
bool SessionShard::MayMakeRoom(const Promotion& promotion, const queue::Attachment& stream, bool own) const {
  const queue::Attachment& other = *promotion.stream;
  if (promotion.close.has_value() || (&other == &stream) != own) return false;
  if (own) return true;
  const bool same_tenant = &other.tenant == &stream.tenant;
  const bool tenants_part =
      queue_.room().HasItsPart(stream.tenant.bytes, queue_.room().bytes(), options_.max_queued_bytes);
  return (same_tenant || !tenants_part) &&
         other.bytes.queued + other.bytes.deferred > stream.bytes.queued + stream.bytes.deferred;
}

// It is demoted again. REQUIRES: it was not started, and waits in no line.
void SessionShard::SetAside(Promotion& promotion) {
  const std::unique_ptr<Promotion> taken = promotions_.Take(promotion.ticket);
  Demoted& demoted = *taken->demoted;
  std::optional<uint64_t> refused_end;
  for (const DeferredTokens& deferred : taken->tokens) {
    if (deferred.view.delivered_seq) demoted.OnDelivered(*deferred.view.delivered_seq);
    if (deferred.tokens > 0) refused_end = deferred.view.first_seq + deferred.tokens;
  }
  counters_.tokens_refused.Add(deferred_.Forget(*taken));
  demoted.promoting = false;
  taken->stream->Bind(taken->handle, &demoted);
  session::Peer& peer = taken->stream->peer;
  if (!refused_end) return peer.OnAcked(taken->handle, demoted.seq, demoted.told_durable_seq());
  demoted.refusing = true;
  peer.OnFailed(taken->handle, session::SetAside(*refused_end, demoted.seq), demoted.seq);
}

bool SessionShard::IsClosing(session::Peer& peer, session::Handle handle) {
  const session::Binding* binding = StreamOf(peer).handles.Find(handle);
  return binding != nullptr && IsClosing(*binding);
}

bool SessionShard::IsClosing(const session::Binding& binding) {
  switch (binding.kind) {
    case session::Binding::Kind::kSession:
      return static_cast<const session::Session&>(binding).closing;
    case session::Binding::Kind::kOpening:
    case session::Binding::Kind::kPromotion:
      return static_cast<const Arrival&>(binding).close.has_value();
    case session::Binding::Kind::kClosing:
      return true;
    case session::Binding::Kind::kDemoted:
    case session::Binding::Kind::kRefused:
      return false;
  }
  return false;
}

void SessionShard::Open(session::Peer& peer, session::Handle handle, session::OpenRequest request) {
  queue::Attachment& stream = StreamOf(peer);
  const session::Binding* binding = stream.handles.Find(handle);
  // A handle whose Open was refused may be opened again.
  if (binding != nullptr && binding->kind != session::Binding::Kind::kRefused) {
    return peer.OnOpenRefused(handle, request.attempt.number,
                              session::InvalidField("open.handle", absl::StrCat(handle, " is open on this stream")));
  }
  if (stream.open_handles() >= options_.max_sessions_per_stream) {
    const std::string problem =
        absl::StrCat("handle ", handle, ": ", stream.open_handles(), " sessions are open on this stream, the limit is ",
                     options_.max_sessions_per_stream);
    return peer.OnOpenRefused(handle, request.attempt.number,
                              session::OverQuota("sessions_per_stream", problem, absl::ZeroDuration()));
  }
  if (auto refusal = registrar::CheckRequest(request, options_.max_channels)) {
    return FailOpen(stream, handle, request.attempt.number, *refusal);
  }
  if (auto refusal = CheckDurability(request)) {
    return FailOpen(stream, handle, request.attempt.number, *refusal);
  }
  refused_.Erase(stream, handle);
  if (!stream.TakePlace()) {
    peer.account->NoteLimited(identity::Account::Limit::kSessions);
    return FailOpen(stream, handle, request.attempt.number, session::TooManySessions(*peer.account));
  }
  BeginOpen(stream, handle, std::move(request));
}

std::optional<session::Refusal> SessionShard::CheckDurability(const session::OpenRequest& request) const {
  if (request.durability != session::SessionDurability::kEveryToken) return std::nullopt;
  if (!saver_.enabled())
    return session::NotDurable(request.session_id, "this server saves nothing (save_interval is 0)");
  if (!options_.saves_outlast_server) {
    return session::NotDurable(request.session_id, "what this server saves ends with it (store is MEMORY)");
  }
  return std::nullopt;
}

session::SessionDurability SessionShard::Resolve(session::SessionDurability asked) const {
  if (!saver_.enabled()) return session::SessionDurability::kNone;
  return asked == session::SessionDurability::kServerDefault ? session::SessionDurability::kInterval : asked;
}

void SessionShard::BeginOpen(queue::Attachment& stream, session::Handle handle, session::OpenRequest request) {
  auto call = std::make_shared<registrar::OpenCall>();
  call->shard = index_;
  call->ticket = next_ticket_++;
  call->key = session::SessionKey(request.tenant, request.session_id);
  call->request = std::move(request);
  call->account = stream.peer.account;
  auto opening = std::make_unique<Opening>();
  opening->stream = &stream;
  opening->handle = handle;
  opening->call = call;
  ++stream.openings;
  ++stream.tenant.pending;
  // Bound before the registrar has answered: tokens and a Close sent behind the Open wait with it.
  stream.Bind(handle, opening.get());
  openings_[call->ticket] = std::move(opening);
  directory_.Open(std::move(call));
}

void SessionShard::FailOpen(queue::Attachment& stream, session::Handle handle, uint64_t number,
                            const session::Refusal& refusal) {
  counters_.sessions_refused.Add(1);
  refused_.Remember(stream, handle);
  stream.peer.OnOpenRefused(handle, number, refusal);
}

void SessionShard::Close(session::Peer& peer, session::Handle handle, bool delete_session,
                         std::optional<uint64_t> delivered_seq) {
  queue::Attachment& stream = StreamOf(peer);
  session::Binding* binding = stream.handles.Find(handle);
  if (binding == nullptr || IsClosing(peer, handle))
    return peer.OnCloseRefused(handle, session::HandleNotFound(handle));
  if (binding->kind == session::Binding::Kind::kSession) {
    CloseSession(*static_cast<session::Session*>(binding), {delete_session, delivered_seq});
  } else if (binding->kind == session::Binding::Kind::kOpening || binding->kind == session::Binding::Kind::kPromotion) {
    // Nothing is here yet that could be closed: Replay does it, or who answers that nothing comes.
    static_cast<Arrival*>(binding)->close = {delete_session, delivered_seq};
  } else if (binding->kind == session::Binding::Kind::kDemoted) {
    CloseDemoted(*static_cast<Demoted*>(binding), {delete_session, delivered_seq});
  } else {
    refused_.Erase(stream, handle);
    // Nothing is open under a refused handle, and a client that closes it waits for an answer.
    peer.OnClosed(handle, 0, 0);
  }
}

void SessionShard::CloseSession(session::Session& session, const DeferredClose& close) {
  Deliver(session, close.delivered_seq);
  if (session.flow == nullptr && !session.AwaitsSave()) return FinishClose(session, close.delete_session);
  session.closing = true;
  queue_.PushClose(session, close.delete_session);
}

// Everything before the Close is answered.
void SessionShard::FinishClose(session::Session& session, bool delete_session) {
  if (delete_session) {
    DeleteClosed({session.stream, session.handle, std::string(session.key.view()), session.epoch, session.point.seq,
                  session.told_durable_seq()});
    return Detach(session);
  }
  queue::Attachment& stream = *session.stream;
  stream.Unbind(session.handle);
  Detach(session);
  stream.peer.OnClosed(session.handle, session.point.seq, session.told_durable_seq());
  stream.peer.OnRoom();
}

void SessionShard::DeleteClosed(Closable closable) {
  const uint64_t ticket = next_ticket_++;
  auto closing = std::make_unique<Closing>();
  closing->stream = closable.stream;
  closing->handle = closable.handle;
  closing->next_seq = closable.next_seq;
  closing->durable_seq = closable.durable_seq;
  closable.stream->Bind(closable.handle, closing.get());
  ++closable.stream->closings;
  ++closable.stream->tenant.pending;
  closings_[ticket] = std::move(closing);
  // The epoch is named: a session that somebody else has opened meanwhile is not deleted.
  directory_.Delete(std::move(closable.key), {closable.epoch, std::nullopt},
                    [this, ticket](session::Outcome<std::monostate> outcome) {
                      mailbox_.Post([this, ticket, outcome = std::move(outcome)] { OnDeleted(ticket, outcome); });
                    });
}

void SessionShard::OnDeleted(uint64_t ticket, const session::Outcome<std::monostate>& outcome) {
  const auto found = closings_.find(ticket);
  const std::unique_ptr<Closing> closing = std::move(found->second);
  closings_.erase(found);
  if (closing->stream == nullptr) return;
  session::Peer& peer = closing->stream->peer;
  closing->stream->Unbind(closing->handle);
  --closing->stream->closings;
  --closing->stream->tenant.pending;
  // One that is gone already is as the client wanted it.
  if (outcome.refusal && !absl::IsNotFound(outcome.refusal->status)) {
    peer.OnCloseRefused(closing->handle, *outcome.refusal);
  } else {
    peer.OnClosed(closing->handle, closing->next_seq, closing->durable_seq);
  }
  peer.OnRoom();
}

void SessionShard::Disconnect(session::Peer& peer) {
  const auto found = streams_.find(&peer);
  if (found == streams_.end()) return;
  const std::unique_ptr<queue::Attachment> stream = std::move(found->second);
  streams_.erase(found);
  peer.notes = nullptr;
  stream->handles.ForEach([this](session::Binding& binding) {
    if (binding.kind == session::Binding::Kind::kSession) Detach(static_cast<session::Session&>(binding));
    if (binding.kind == session::Binding::Kind::kDemoted) {
      counters_.sessions_detached.Add(1);
      Forget(static_cast<Demoted&>(binding));
      return;
    }
    if (binding.kind == session::Binding::Kind::kPromotion) return Abandon(static_cast<Promotion&>(binding));
    if (binding.kind == session::Binding::Kind::kClosing) static_cast<Closing&>(binding).stream = nullptr;
    if (binding.kind != session::Binding::Kind::kOpening) return;
    Opening& opening = static_cast<Opening&>(binding);
    // The registrar may be at work on it, so the Open is not called back: it finds that nobody waits.
    DropDeferred(opening);
    opening.stream = nullptr;
    opening.call->cancelled = true;
  });
  refused_.Forget(*stream);
  stream->tenant.pending -= stream->openings + stream->closings;
  queue_.turns().Leave(*stream);
}

void SessionShard::DropDeferred(Arrival& arrival) { counters_.tokens_dropped.Add(deferred_.Forget(arrival)); }

void SessionShard::Resume(session::Peer& peer) { queue_.turns().Resume(StreamOf(peer)); }

// What waits of the session is dropped: nobody is there to be told, and whoever comes sends it again. What the engine
// has is folded: it cannot be called back.
void SessionShard::Detach(session::Session& session) {
  if (session.under_way) stepper_.Abandon(session);
  counters_.tokens_dropped.Add(queue_.Forget(session));
  if (std::exchange(session.stalled, false)) --stalled_;
  session.stream = nullptr;
  plans_.Release(session.plan);
  session.plan = nullptr;
  session.regular_times = session.refusing = session.closing = false;
  session.last_active_ms = now_ms();
  --attached_;
  counters_.sessions_detached.Add(1);
  Settle(session);
}

}  // namespace aaren::shard
