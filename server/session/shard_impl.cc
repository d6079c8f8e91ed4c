#include "server/session/shard_impl.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/session/open_check.h"
#include "server/session/refusal.h"
#include "server/session/token_check.h"

namespace aaren {

SessionShard::Impl::Impl(int index, ShardOptions options, const ModelTable& models, Registrar::Impl& registrar)
    : index_(index),
      options_(options),
      registrar_(registrar),
      rows_(models, options.capacity_rows),
      stepper_(rows_, counters_, options.max_channels, options.save_interval > absl::ZeroDuration()),
      saver_(index, options.save_interval, rows_, registrar) {}

HandleTable& SessionShard::Impl::HandlesOf(Peer& peer) {
  if (&peer == last_peer_) return *last_handles_;
  std::unique_ptr<HandleTable>& handles = peers_[&peer];
  if (!handles) handles = std::make_unique<HandleTable>();
  last_peer_ = &peer;
  last_handles_ = handles.get();
  return *handles;
}

Session* SessionShard::Impl::Find(absl::string_view key) {
  const auto found = sessions_.find(key);
  return found == sessions_.end() ? nullptr : found->get();
}

void SessionShard::Impl::Open(Peer& peer, Handle handle, OpenRequest request) {
  HandleTable& handles = HandlesOf(peer);
  const Binding* binding = handles.Find(handle);
  if (binding != nullptr && binding->kind != Binding::Kind::kRefused) {
    const auto* session = binding->kind == Binding::Kind::kSession ? static_cast<const Session*>(binding) : nullptr;
    const Refusal refusal = InvalidField("open.handle", absl::StrCat(handle, " is open on this stream"));
    return peer.OnFailed(handle, refusal, session != nullptr ? session->expected_seq() : 0);
  }
  if (binding == nullptr && handles.size() >= options_.max_sessions_per_stream) {
    const std::string problem =
        absl::StrCat("handle ", handle, ": ", handles.size(), " sessions are open on this stream, the limit is ",
                     options_.max_sessions_per_stream);
    return peer.OnFailed(handle, OverQuota("sessions_per_stream", problem, absl::ZeroDuration()), 0);
  }
  if (auto refusal = CheckRequest(request, options_.max_channels)) return FailOpen(peer, handle, *refusal);

  auto call = std::make_shared<OpenCall>();
  call->shard = index_;
  call->ticket = next_ticket_++;
  call->key = SessionKey(request.tenant, request.session_id);
  call->request = std::move(request);
  auto opening = std::make_unique<Opening>();
  opening->peer = &peer;
  opening->handle = handle;
  handles.Set(handle, opening.get());
  openings_[call->ticket] = std::move(opening);
  registrar_.Open(std::move(call));
}

void SessionShard::Impl::Tokens(Peer& peer, const TokensView& tokens) {
  Binding* binding = HandlesOf(peer).Find(tokens.handle);
  if (binding == nullptr) {
    counters_.tokens_refused.Add(tokens.values.size());
    return peer.OnFailed(tokens.handle, HandleNotFound(tokens.handle), 0);
  }
  switch (binding->kind) {
    case Binding::Kind::kSession:
      return Accept(*static_cast<Session*>(binding), tokens);
    case Binding::Kind::kOpening:
      return Defer(*static_cast<Opening*>(binding), tokens);
    case Binding::Kind::kClosing:
    case Binding::Kind::kRefused:
      counters_.tokens_dropped.Add(tokens.values.size());
  }
}

void SessionShard::Impl::Accept(Session& session, const TokensView& tokens) {
  if (tokens.delivered_seq) Saver::OnDelivered(session, *tokens.delivered_seq);
  const uint64_t count = tokens.values.size() / session.channels;
  const uint64_t expected = session.expected_seq();
  if (session.refusing && tokens.first_seq != expected) return counters_.tokens_dropped.Add(count);
  session.refusing = false;
  if (auto refusal = CheckShape(tokens, session, options_.max_tokens_per_item)) {
    return RefuseTokens(session, *refusal, count);
  }
  if (tokens.first_seq > expected) return RefuseTokens(session, SequenceGap(tokens.first_seq, expected), count);
  if (expected - tokens.first_seq >= count) {
    counters_.tokens_duplicate.Add(count);
    if (Flush(session)) session.peer->OnAcked(session.handle, session.next_seq, session.durable_seq);
    return;
  }
  const auto skip = static_cast<uint32_t>(expected - tokens.first_seq);
  TokenClock clock{session.last_time_ns, session.step_ns};
  if (auto refusal = Check(session, tokens, skip, clock)) return RefuseTokens(session, *refusal, count);
  counters_.tokens_duplicate.Add(skip);
  session.last_time_ns = clock.last_time_ns;
  session.step_ns = clock.step_ns;
  queue_.Push(session, tokens, skip, clock.step_ns);
  // Not refused: working off what waits is what slows this client down.
  if (session.queued > options_.max_in_flight_tokens) Flush(session);
}

std::optional<Refusal> SessionShard::Impl::Check(const Session& session, const TokensView& tokens, uint32_t skip,
                                                 TokenClock& clock) const {
  const uint64_t end = tokens.first_seq + tokens.values.size() / session.channels;
  const bool ahead = session.tracks_delivery && end > session.delivered_seq;
  if (ahead && end - session.delivered_seq > options_.max_in_flight_tokens) {
    return OverQuota("in_flight_tokens",
                     absl::StrCat("tokens up to seq ", end, " with delivered_seq ", session.delivered_seq,
                                  ": more than the limit of ", options_.max_in_flight_tokens, " in flight"),
                     absl::ZeroDuration());
  }
  return CheckContent(tokens, session, skip, clock);
}

void SessionShard::Impl::RefuseTokens(Session& session, const Refusal& refusal, uint64_t tokens) {
  counters_.tokens_refused.Add(tokens);
  if (!Flush(session)) return;
  session.refusing = true;
  session.peer->OnFailed(session.handle, refusal, session.expected_seq());
}

void SessionShard::Impl::Defer(Opening& opening, const TokensView& tokens) {
  if (opening.close) {
    counters_.tokens_refused.Add(tokens.values.size());
    return opening.peer->OnFailed(tokens.handle, HandleNotFound(tokens.handle), 0);
  }
  if (opening.overflowed || opening.values + tokens.values.size() > options_.max_in_flight_tokens) {
    opening.overflowed = true;
    return counters_.tokens_dropped.Add(tokens.values.size());
  }
  DeferredTokens& deferred = opening.tokens.emplace_back();
  deferred.view = tokens;
  deferred.values.assign(tokens.values.begin(), tokens.values.end());
  deferred.times_ns.assign(tokens.times_ns.begin(), tokens.times_ns.end());
  opening.values += tokens.values.size();
  deferred_values_ += tokens.values.size();
}

size_t SessionShard::Impl::Step() {
  const absl::Span<QueuedItem> items = queue_.Front(options_.max_step_tokens);
  if (items.empty()) return 0;
  size_t tokens = 0;
  for (const QueuedItem& item : items) tokens += item.tokens;
  stepper_.Step(queue_, items);
  queue_.Pop(items.size());
  AfterStep();
  counters_.queued_tokens.Set(queue_.value_count());
  return tokens;
}

void SessionShard::Impl::AfterStep() {
  for (const auto& [session, status] : stepper_.failed()) {
    // The store may have the session as it was; here nobody knows any more what its rows hold.
    counters_.tokens_refused.Add(session->queued);
    queue_.Forget(*session);
    session->queued = 0;
    if (session->peer != nullptr) {
      HandlesOf(*session->peer).Set(session->handle, &refused_);
      session->peer->OnFailed(session->handle, EngineFailed(status), session->next_seq);
    }
  }
  for (Session* session : stepper_.sessions()) {
    session->last_active_ms = now_ms_;
    if (saver_.enabled() && session->list == Session::List::kNone) Settle(*session);
    if (session->peer == nullptr && session->plan != nullptr && session->queued == 0) LetRest(*session);
  }
  for (const auto& [session, status] : stepper_.failed()) {
    if (session == flushing_) flushing_ = nullptr;
    if (session->peer != nullptr) Detach(*session);
    registrar_.Released(std::string(session->key.view()));
    Remove(*session);
  }
}

bool SessionShard::Impl::Flush(Session& session) {
  flushing_ = &session;
  while (flushing_ != nullptr && session.queued > 0) Step();
  return flushing_ != nullptr;
}

void SessionShard::Impl::Close(Peer& peer, Handle handle, bool delete_session, std::optional<uint64_t> delivered_seq) {
  HandleTable& handles = HandlesOf(peer);
  Binding* binding = handles.Find(handle);
  const Binding::Kind kind = binding != nullptr ? binding->kind : Binding::Kind::kClosing;
  if (kind == Binding::Kind::kSession) {
    return CloseSession(*static_cast<Session*>(binding), {delete_session, delivered_seq});
  }
  if (kind == Binding::Kind::kRefused) {
    handles.Erase(handle);
    return peer.OnClosed(handle, 0, 0);
  }
  auto* opening = kind == Binding::Kind::kOpening ? static_cast<Opening*>(binding) : nullptr;
  if (opening == nullptr || opening->close) return peer.OnFailed(handle, HandleNotFound(handle), 0);
  opening->close = {delete_session, delivered_seq};
}

void SessionShard::Impl::CloseSession(Session& session, const DeferredClose& close) {
  if (close.delivered_seq) Saver::OnDelivered(session, *close.delivered_seq);
  if (!Flush(session)) return;
  Peer& peer = *session.peer;
  const Handle handle = session.handle;
  HandleTable& handles = HandlesOf(peer);
  if (!close.delete_session) {
    handles.Erase(handle);
    Detach(session);
    return peer.OnClosed(handle, session.next_seq, session.durable_seq);
  }
  const uint64_t ticket = next_ticket_++;
  auto closing = std::make_unique<Closing>();
  closing->peer = &peer;
  closing->handle = handle;
  closing->next_seq = session.next_seq;
  closing->durable_seq = session.durable_seq;
  handles.Set(handle, closing.get());
  closings_[ticket] = std::move(closing);
  registrar_.Delete(std::string(session.key.view()), {session.epoch, std::nullopt},
                    [this, ticket](Outcome<std::monostate> outcome) {
                      mailbox_.Post([this, ticket, outcome = std::move(outcome)] { FinishClose(ticket, outcome); });
                    });
  Detach(session);
}

void SessionShard::Impl::FinishClose(uint64_t ticket, const Outcome<std::monostate>& outcome) {
  const auto found = closings_.find(ticket);
  const std::unique_ptr<Closing> closing = std::move(found->second);
  closings_.erase(found);
  if (closing->peer == nullptr) return;
  HandlesOf(*closing->peer).Erase(closing->handle);
  if (outcome.refusal && !absl::IsNotFound(outcome.refusal->status)) {
    return closing->peer->OnFailed(closing->handle, *outcome.refusal, 0);
  }
  closing->peer->OnClosed(closing->handle, closing->next_seq, closing->durable_seq);
}

void SessionShard::Impl::Disconnect(Peer& peer) {
  const auto found = peers_.find(&peer);
  if (found == peers_.end()) return;
  const std::unique_ptr<HandleTable> handles = std::move(found->second);
  peers_.erase(found);
  last_peer_ = nullptr;
  handles->ForEach([this](Binding& binding) {
    if (binding.kind == Binding::Kind::kSession) Detach(static_cast<Session&>(binding));
    if (binding.kind == Binding::Kind::kOpening) static_cast<Opening&>(binding).peer = nullptr;
    if (binding.kind == Binding::Kind::kClosing) static_cast<Closing&>(binding).peer = nullptr;
  });
}

void SessionShard::Impl::Detach(Session& session) {
  session.peer = nullptr;
  session.last_active_ms = now_ms_;
  --attached_;
  counters_.sessions_detached.Add(1);
  if (session.queued == 0) LetRest(session);
}

// What waited is answered by now, or never will be.
void SessionShard::Impl::LetRest(Session& session) {
  plans_.Release(session.plan);
  session.plan = nullptr;
  session.regular_times = false;
  session.refusing = false;
  Settle(session);
}

void SessionShard::Impl::Settle(Session& session) {
  saver_.Remove(session);
  resting_.Remove(session);
  if (session.held || session.save_in_flight) return;
  if (saver_.NeedsSave(session)) return saver_.Queue(session, now_ms_);
  if (session.peer == nullptr) resting_.InsertByActivity(session);
}

void SessionShard::Impl::Remove(Session& session) {
  saver_.Remove(session);
  resting_.Remove(session);
  if (session.plan != nullptr) plans_.Release(session.plan);
  rows_.Free(*session.model, session.channels, std::move(session.rows));
  sessions_.erase(sessions_.find(session.key.view()));
}

bool SessionShard::Impl::DrainMailbox() {
  const bool any = mailbox_.Drain();
  if (any) UpdateLevels();
  return any;
}

void SessionShard::Impl::Tick(absl::Time now) {
  now_ms_ = absl::ToUnixMillis(now);
  saver_.StartDue(now_ms_);
  if (options_.session_ttl > absl::ZeroDuration()) {
    const int64_t ttl_ms = absl::ToInt64Milliseconds(options_.session_ttl);
    while (resting_.front() != nullptr && resting_.front()->last_active_ms + ttl_ms <= now_ms_) {
      Expire(*resting_.front(), now);
    }
    if (index_ == 0 && now_ms_ >= next_sweep_ms_) {
      next_sweep_ms_ = now_ms_ + std::clamp<int64_t>(ttl_ms / 10, 1000, 60000);
      registrar_.Sweep(options_.session_ttl);
    }
  }
  UpdateLevels();
}

void SessionShard::Impl::Expire(Session& session, absl::Time now) {
  resting_.Remove(session);
  const DropCondition condition{session.epoch, now - options_.session_ttl};
  const std::string key(session.key.view());
  registrar_.Delete(key, condition, [this, key](Outcome<std::monostate> outcome) {
    mailbox_.Post([this, key, expired = !outcome.refusal] {
      if (expired) counters_.sessions_expired.Add(1);
      Session* left = Find(key);
      if (left != nullptr && left->list == Session::List::kNone) Settle(*left);
    });
  });
}

bool SessionShard::Impl::Full() const {
  return queue_.value_count() + deferred_values_ >= options_.max_queued_tokens ||
         openings_.size() >= options_.max_pending_opens;
}

bool SessionShard::Impl::Busy() const { return !openings_.empty() || !closings_.empty() || saver_.busy(); }

void SessionShard::Impl::SaveAll() {
  while (Step() > 0) {
  }
  saver_.Hurry();
  for (const auto& session : sessions_) Settle(*session);
  saver_.StartDue(now_ms_);
}

void SessionShard::Impl::UpdateLevels() {
  counters_.sessions_resident.Set(sessions_.size());
  counters_.sessions_attached.Set(attached_);
  counters_.slots_used.Set(rows_.used_rows());
  counters_.slots_capacity.Set(rows_.capacity_rows());
  counters_.state_bytes.Set(rows_.used_bytes());
  counters_.queued_tokens.Set(queue_.value_count());
  counters_.streams.Set(peers_.size());
}

}  // namespace aaren
