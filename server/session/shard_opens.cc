// The shard's side of Opens and of everything else that the registrar asks for.

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/session/open_check.h"
#include "server/session/refusal.h"
#include "server/session/shard_impl.h"

namespace aaren {

void SessionShard::Impl::FailOpen(Peer& peer, Handle handle, const Refusal& refusal) {
  counters_.sessions_refused.Add(1);
  HandlesOf(peer).Set(handle, &refused_);
  peer.OnFailed(handle, refusal, 0);
}

OwnerReply<Footprint> SessionShard::Impl::CheckOpen(const OpenCall& call) {
  OwnerReply<Footprint> reply;
  const Session* session = Find(call.key);
  reply.gone = session == nullptr;
  if (reply.gone) return reply;
  reply.outcome.value = {session->model, session->channels};
  reply.outcome.refusal =
      CheckExisting(call.request, *session->model, session->channels, session->epoch, session->incarnation);
  return reply;
}

std::optional<Refusal> SessionShard::Impl::Reserve(uint64_t ticket, Footprint footprint) {
  Opening& opening = *openings_.at(ticket);
  FreeReserved(opening);
  absl::StatusOr<RowSet> rows = AllocateEvicting(footprint);
  if (!rows.ok()) {
    const absl::Duration retry_after = std::max(absl::Seconds(1), options_.save_interval);
    return OverQuota("session_rows", rows.status().message(), retry_after);
  }
  opening.rows = *std::move(rows);
  opening.reserved = footprint;
  return std::nullopt;
}

absl::StatusOr<RowSet> SessionShard::Impl::AllocateEvicting(Footprint footprint) {
  for (;;) {
    absl::StatusOr<RowSet> rows = rows_.Allocate(*footprint.model, footprint.channels);
    if (rows.ok() || !EvictOne(*footprint.model)) return rows;
  }
}

// Leaves the least recently used session that rests in this model's slab to the store. False if there is none.
bool SessionShard::Impl::EvictOne(const LoadedModel& model) {
  if (!saver_.enabled()) return false;
  Session* session = resting_.front();
  while (session != nullptr && session->model != &model) session = session->next;
  if (session == nullptr) return false;
  counters_.sessions_evicted.Add(1);
  registrar_.Released(std::string(session->key.view()));
  Remove(*session);
  return true;
}

void SessionShard::Impl::FreeReserved(Opening& opening) {
  if (opening.reserved.model == nullptr) return;
  rows_.Free(*opening.reserved.model, opening.reserved.channels, std::move(opening.rows));
  opening.reserved.model = nullptr;
}

OwnerReply<SessionState> SessionShard::Impl::Take(const OpenCall& call, uint64_t epoch) {
  OwnerReply<SessionState> reply;
  Session* session = Find(call.key);
  reply.gone = session == nullptr;
  if (reply.gone) return reply;
  reply.outcome.refusal =
      CheckExisting(call.request, *session->model, session->channels, session->epoch, session->incarnation);
  if (reply.outcome.refusal) return reply;
  reply.gone = !Flush(*session);
  if (reply.gone) return reply;
  const bool leaves = call.shard != index_;
  if (session->peer != nullptr) Fence(*session, epoch);
  reply.outcome.value = StateOf(*session, /*with_rows=*/leaves);
  if (leaves) {
    Remove(*session);
  } else {
    session->held = true;
    Settle(*session);
  }
  return reply;
}

void SessionShard::Impl::Fence(Session& session, uint64_t current_epoch) {
  Peer& peer = *session.peer;
  const Handle handle = session.handle;
  counters_.sessions_fenced.Add(1);
  HandlesOf(peer).Set(handle, &refused_);
  Detach(session);
  peer.OnFailed(handle, Fenced(SessionId(session.key.view()), current_epoch), 0);
}

void SessionShard::Impl::Install(const OpenCall& call, Installation installation) {
  const auto found = openings_.find(call.ticket);
  const std::unique_ptr<Opening> opening = std::move(found->second);
  openings_.erase(found);
  deferred_values_ -= opening->values;
  now_ms_ = std::max(now_ms_, absl::ToUnixMillis(installation.now));
  Session& session = Place(call, *opening, installation);
  if (installation.moved) counters_.sessions_moved.Add(1);
  if (installation.rewound) counters_.sessions_rewound.Add(1);
  if (opening->peer != nullptr && !installation.refusal) return Attach(session, call, *opening, installation);
  Settle(session);
  if (opening->peer != nullptr) FailOpen(*opening->peer, opening->handle, *installation.refusal);
}

// The session, in rows of its own, as the registrar decided that it goes on; detached.
Session& SessionShard::Impl::Place(const OpenCall& call, Opening& opening, Installation& installation) {
  const SessionState& state = installation.state;
  Session* session = Find(call.key);
  if (session == nullptr) {
    auto made = std::make_unique<Session>();
    made->key = CompactKey(call.key);
    made->model = state.model;
    made->channels = state.channels;
    made->rows = std::move(opening.rows);
    opening.reserved.model = nullptr;
    session = sessions_.insert(std::move(made)).first->get();
  }
  if (installation.rows == Installation::Rows::kReset) rows_.Reset(*state.model, state.channels, session->rows);
  if (installation.rows == Installation::Rows::kReplace) {
    rows_.Write(*state.model, state.channels, session->rows, state.rows);
  }
  session->held = false;
  session->epoch = state.epoch;
  session->incarnation = state.incarnation;
  session->next_seq = state.next_seq;
  session->delivered_seq = state.delivered_seq;
  session->durable_seq = state.durable_seq;
  session->pending_seq = Session::kNoSave;
  session->last_time_ns = state.last_time_ns;
  session->step_ns = state.step_ns;
  session->last_active_ms = now_ms_;
  FreeReserved(opening);
  return *session;
}

void SessionShard::Impl::Attach(Session& session, const OpenCall& call, Opening& opening,
                                const Installation& installation) {
  const OpenRequest& request = call.request;
  session.peer = opening.peer;
  session.handle = opening.handle;
  session.plan = plans_.Acquire(ResolveOutput(request.output, session.model->engine->config()).value);
  session.tracks_delivery = request.delivered_seq.has_value();
  session.regular_times = request.regular_times.has_value();
  if (request.regular_times) {
    session.regular_start_ns = request.regular_times->start_ns;
    session.step_ns = request.regular_times->step_ns;
  }
  ++attached_;
  (installation.created ? counters_.sessions_created : counters_.sessions_resumed).Add(1);
  HandlesOf(*opening.peer).Set(opening.handle, &session);
  Settle(session);

  OpenedReply reply;
  reply.epoch = session.epoch;
  reply.incarnation = session.incarnation;
  reply.next_seq = session.next_seq;
  reply.durable_seq = session.durable_seq;
  reply.created = installation.created;
  reply.lost = installation.lost;
  reply.model = session.model;
  reply.channels = session.channels;
  session.peer->OnOpened(session.handle, reply);
  Replay(session, opening);
}

// Handles what came for the session before it was here.
void SessionShard::Impl::Replay(Session& session, Opening& opening) {
  Peer& peer = *opening.peer;
  HandleTable& handles = HandlesOf(peer);
  for (DeferredTokens& deferred : opening.tokens) {
    if (handles.Find(opening.handle) != &session) return;  // its engine failed
    deferred.view.values = deferred.values;
    deferred.view.times_ns = deferred.times_ns;
    Accept(session, deferred.view);
  }
  if (handles.Find(opening.handle) != &session) return;
  if (opening.overflowed) {
    const std::string problem = absl::StrCat("more than ", options_.max_in_flight_tokens, " values before Opened");
    RefuseTokens(session, OverQuota("in_flight_tokens", problem, absl::ZeroDuration()), 0);
  }
  if (opening.close && handles.Find(opening.handle) == &session) CloseSession(session, *opening.close);
}

void SessionShard::Impl::RefuseOpen(uint64_t ticket, const Refusal& refusal) {
  const auto found = openings_.find(ticket);
  const std::unique_ptr<Opening> opening = std::move(found->second);
  openings_.erase(found);
  deferred_values_ -= opening->values;
  counters_.tokens_dropped.Add(opening->values);
  FreeReserved(*opening);
  if (opening->peer == nullptr) return counters_.sessions_refused.Add(1);
  FailOpen(*opening->peer, opening->handle, refusal);
  if (opening->close) Close(*opening->peer, opening->handle, false, std::nullopt);
}

SessionState SessionShard::Impl::StateOf(Session& session, bool with_rows) {
  SessionState state;
  state.model = session.model;
  state.channels = session.channels;
  state.epoch = session.epoch;
  state.incarnation = session.incarnation;
  state.next_seq = session.next_seq;
  state.delivered_seq = session.delivered_seq;
  state.durable_seq = session.durable_seq;
  state.last_time_ns = session.last_time_ns;
  state.step_ns = session.step_ns;
  if (with_rows) state.rows = rows_.Read(*session.model, session.channels, session.rows);
  return state;
}

OwnerReply<SessionState> SessionShard::Impl::Capture(const std::string& key) {
  OwnerReply<SessionState> reply;
  Session* session = Find(key);
  reply.gone = session == nullptr || !Flush(*session);
  if (!reply.gone) reply.outcome.value = StateOf(*session, /*with_rows=*/true);
  return reply;
}

std::vector<std::optional<SessionInfo>> SessionShard::Impl::Describe(const std::vector<std::string>& keys) {
  std::vector<std::optional<SessionInfo>> infos;
  infos.reserve(keys.size());
  for (const std::string& key : keys) {
    Session* session = Find(key);
    infos.push_back(session != nullptr ? std::make_optional(InfoOf(*session)) : std::nullopt);
  }
  return infos;
}

SessionInfo SessionShard::Impl::InfoOf(Session& session) {
  SessionInfo info;
  info.session_id = std::string(SessionId(session.key.view()));
  info.epoch = session.epoch;
  info.incarnation = session.incarnation;
  info.next_seq = session.next_seq;
  info.durable_seq = session.durable_seq;
  info.delivered_seq = session.tracks_delivery ? session.delivered_seq : session.next_seq;
  info.model = session.model->id;
  info.package_digest = session.model->package.digest;
  info.tier = session.model->engine->tier();
  info.numerics_version = kNumericsVersion;
  info.channels = session.channels;
  info.state_bytes = session.model->engine->row_bytes() * session.channels;
  info.attached = session.peer != nullptr;
  info.resident = true;
  info.last_active = absl::FromUnixMillis(session.last_active_ms);
  return info;
}

OwnerReply<std::monostate> SessionShard::Impl::Drop(const std::string& key, const DropCondition& condition,
                                                    uint64_t epoch) {
  OwnerReply<std::monostate> reply;
  Session* session = Find(key);
  reply.gone = session == nullptr || !Flush(*session);
  if (reply.gone) return reply;
  const bool other_epoch = condition.epoch && session->epoch != *condition.epoch;
  const bool used_since =
      condition.idle_since &&
      (session->peer != nullptr || absl::FromUnixMillis(session->last_active_ms) > *condition.idle_since);
  if (other_epoch || used_since) {
    reply.outcome.refusal = Fenced(SessionId(key), session->epoch);
    return reply;
  }
  if (!condition.idle_since) counters_.sessions_deleted.Add(1);
  if (session->peer != nullptr) Fence(*session, epoch);
  Remove(*session);
  return reply;
}

void SessionShard::Impl::SavesDone(const std::vector<SaveResult>& results) {
  saver_.BatchDone();
  for (const SaveResult& result : results) {
    Session* session = Find(result.key);
    if (session == nullptr || session->incarnation != result.incarnation) continue;
    session->save_in_flight = false;
    if (!result.status.ok()) {
      OnSaveFailed(*session, result);
      continue;
    }
    counters_.saves.Add(1);
    const bool advanced = Saver::OnSaved(*session, result);
    Settle(*session);
    if (advanced && session->peer != nullptr && session->queued == 0) {
      session->peer->OnAcked(session->handle, session->next_seq, session->durable_seq);
    }
  }
  if (saver_.hurrying()) saver_.StartDue(now_ms_);
}

void SessionShard::Impl::OnSaveFailed(Session& session, const SaveResult& result) {
  counters_.save_failures.Add(1);
  if (!absl::IsAborted(result.status) || session.held) {
    Settle(session);
    if (session.list != Session::List::kUnsaved) return;
    saver_.Remove(session);
    return saver_.QueueLater(session, now_ms_);
  }
  // Another server has the session now: what is here is no longer its state.
  if (!Flush(session)) return;
  if (session.peer != nullptr) Fence(session, result.current_epoch);
  registrar_.Released(std::string(session.key.view()));
  Remove(session);
}

}  // namespace aaren
