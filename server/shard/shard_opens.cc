// The shard's side of an Open, once the registrar has it.

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/registrar/open/open_check.h"
#include "server/session/refusal.h"
#include "server/shard/shard.h"

namespace aaren::shard {

registrar::OwnerReply<session::Footprint> SessionShard::CheckOpen(const registrar::OpenCall& call) {
  registrar::OwnerReply<session::Footprint> reply;
  const session::Session* session = Find(call.key);
  reply.gone = session == nullptr;
  if (reply.gone) return reply;
  reply.outcome.value = {session->model->shared_from_this(), session->channels};
  reply.outcome.refusal = CheckCall(call, *session);
  return reply;
}

// Asked twice of an Open from elsewhere, by CheckOpen and by Take: another Open may have come in between.
std::optional<session::Refusal> SessionShard::CheckCall(const registrar::OpenCall& call,
                                                        const session::Session& session) {
  if (call.cancelled) return session::OpenCancelled();
  if (call.request.attempt.IsBehind(session.attempt)) return session::StaleOpen(call.id(), session.epoch);
  return registrar::CheckExisting(call.request, *session.model, session.channels, session.epoch, session.incarnation);
}

std::optional<session::Refusal> SessionShard::Reserve(uint64_t ticket, session::Footprint footprint) {
  Opening& opening = *openings_.at(ticket);
  // An Open that began again reserves again, perhaps for another model or number of channels.
  FreeReserved(opening);
  if (opening.stream == nullptr) return session::OpenCancelled();
  if (footprint.channels > options_.capacity_rows) {  // nobody leaves for one who can never come
    return session::OverQuota(
        "session_rows",
        absl::StrCat(footprint.channels, " channels, and a shard has room for ", options_.capacity_rows),
        absl::ZeroDuration());
  }
  absl::StatusOr<session::RowSet> rows = AllocateEvicting(footprint);
  if (!rows.ok()) {
    // By then a save may have let another session rest, and that one can leave.
    WantRoom();
    const absl::Duration retry_after = std::max(absl::Seconds(1), options_.save_interval);
    return session::OverQuota("session_rows", rows.status().message(), retry_after);
  }
  opening.rows = *std::move(rows);
  opening.reserved = footprint;
  return std::nullopt;
}

void SessionShard::FreeReserved(Arrival& arrival) {
  if (arrival.reserved.model == nullptr) return;
  slab_.Free(*arrival.reserved.model, arrival.reserved.channels, std::move(arrival.rows));
  arrival.reserved.model = nullptr;
}

registrar::OwnerReply<session::SessionState> SessionShard::Take(const registrar::OpenCall& call, uint64_t epoch) {
  registrar::OwnerReply<session::SessionState> reply;
  session::Session* session = FindSettled(call.key);
  reply.gone = session == nullptr;
  if (reply.gone) return reply;
  reply.outcome.refusal = CheckCall(call, *session);
  if (reply.outcome.refusal) return reply;
  // One that stays keeps its rows, and its place here until Install.
  const bool leaves = call.shard != index_;
  absl::StatusOr<std::string> rows = "";
  if (leaves) rows = rows_.Read(*session->model, session->channels, session->rows);
  if (!rows.ok()) {
    reply.outcome.refusal = session::EngineFailed(rows.status());
    return reply;
  }
  if (session->stream != nullptr) Fence(*session, epoch);
  reply.outcome.value = StateOf(*session);
  reply.outcome.value.rows = *std::move(rows);
  if (leaves) {
    Remove(*session);
  } else {
    session->held = true;
    Settle(*session);
  }
  return reply;
}

void SessionShard::Fence(session::Session& session, uint64_t current_epoch) {
  counters_.sessions_fenced.Add(1);
  TakeAway(session, session::Fenced(session::SessionId(session.key.view()), current_epoch), 0);
}

// Ends what the stream has with the session. A Close that waits is answered too.
void SessionShard::TakeAway(session::Session& session, const session::Refusal& refusal, uint64_t expected_seq) {
  queue::Attachment& stream = *session.stream;
  const session::Handle handle = session.handle;
  const bool closing = session.closing, stalled = session.stalled;
  Detach(session);
  if (!closing) {
    refused_.Remember(stream, handle);
    stream.peer.OnFailed(handle, refusal, expected_seq);
    if (stalled) stream.peer.OnRoom();
    return;
  }
  stream.Unbind(handle);
  stream.peer.OnCloseRefused(handle, refusal);
  stream.peer.OnRoom();
}

std::unique_ptr<Opening> SessionShard::TakeOpening(uint64_t ticket) {
  const auto found = openings_.find(ticket);
  std::unique_ptr<Opening> opening = std::move(found->second);
  openings_.erase(found);
  if (opening->stream != nullptr) {
    --opening->stream->openings;
    --opening->stream->tenant.pending;
  }
  return opening;
}

void SessionShard::Install(const registrar::OpenCall& call, registrar::Installation installation) {
  const std::unique_ptr<Opening> opening = TakeOpening(call.ticket);
  session::Session& session = Place(call, *opening, installation);
  const absl::Status rows = SetRows(session, installation);
  if (!rows.ok()) {
    installation.refusal = session::EngineFailed(rows);
    Lose(session, rows);
  } else {
    if (installation.moved) counters_.sessions_moved.Add(1);
    if (installation.rewound) counters_.sessions_rewound.Add(1);
    if (opening->stream == nullptr || installation.refusal) Settle(session);
  }
  // The stream has gone meanwhile. The session was taken from its writer all the same, and rests here now.
  if (opening->stream == nullptr) return;
  session::Peer& peer = opening->stream->peer;
  if (!installation.refusal) {
    Attach(session, *opening, installation);
  } else {
    AnswerRefused(*opening, *installation.refusal);
  }
  peer.OnRoom();
}

absl::Status SessionShard::SetRows(session::Session& session, const registrar::Installation& installation) {
  switch (installation.rows) {
    case registrar::Installation::Rows::kKeep:
      return absl::OkStatus();
    case registrar::Installation::Rows::kReset:
      return rows_.Reset(*session.model, session.channels, session.rows);
    case registrar::Installation::Rows::kReplace:
      return rows_.Write(*session.model, session.channels, session.rows, installation.state.rows);
  }
  return absl::OkStatus();
}

// The session, as the registrar decided that it goes on; detached. It has rows of its own, but not their content.
session::Session& SessionShard::Place(const registrar::OpenCall& call, Opening& opening,
                                      const registrar::Installation& installation) {
  const session::SessionState& state = installation.state;
  session::Session* session = Find(call.key);
  if (session == nullptr) {
    auto made = std::make_unique<session::Session>();
    made->key = session::CompactKey(call.key);
    made->model = state.model.get();
    made->channels = state.channels;
    made->rows = std::move(opening.rows);
    // The rows are the session's from here on, so nothing is left to give back.
    opening.reserved.model = nullptr;
    session = sessions_.insert(std::move(made)).first->get();
    slab_.Join(*session->model);
  }
  const bool stayed = opening.reserved.model != nullptr;
  FreeReserved(opening);
  session->held = session->unsavable = false;
  // What a save has told meanwhile is newer than what the registrar was given.
  if (stayed && installation.refusal) return *session;
  session->epoch = state.epoch;
  session->incarnation = state.incarnation;
  session->point = state.point;
  session->delivered_seq = state.delivered_seq;
  session->durable_seq = state.durable_seq;
  session->tracks_delivery = state.tracks_delivery;
  session->attempt = state.attempt;
  session->durability = installation.refusal ? state.durability : Resolve(call.request.durability);
  // Acquire kept one save and dropped the others, so none waits to become durable. If nothing was acquired, the client
  // may have been told of such a save.
  const uint64_t pending = state.pending_seq.value_or(session::Session::kNoSave);
  session->pending_seq = installation.refusal ? pending : session::Session::kNoSave;
  session->last_active_ms = session->saved_active_ms = now_ms();
  return *session;
}

void SessionShard::Attach(session::Session& session, Opening& opening, const registrar::Installation& installation) {
  const session::OpenRequest& request = opening.call->request;
  session.stream = opening.stream;
  session.handle = opening.handle;
  session.plan = plans_.Acquire(session.model->conversion->Resolve(request.output).plan);
  session.tracks_delivery = request.delivered_seq.has_value();
  session.regular_times = request.regular_times.has_value();
  if (request.regular_times) {
    session.regular_start_ns = request.regular_times->start_ns;
    session.regular_step_ns = request.regular_times->step_ns;
  }
  ++attached_;
  (installation.created ? counters_.sessions_created : counters_.sessions_resumed).Add(1);
  // The handle was bound to the opening, so that tokens sent behind the Open found it.
  opening.stream->Bind(opening.handle, &session);
  Settle(session);
  session::OpenedReply reply;
  reply.epoch = session.epoch;
  reply.incarnation = session.incarnation;
  reply.next_seq = session.point.seq;
  reply.durable_seq = session.durable_seq;
  reply.durability = session.durability;
  reply.created = installation.created;
  reply.lost = installation.lost;
  reply.model = session.model;
  reply.channels = session.channels;
  reply.number = request.attempt.number;
  opening.stream->peer.OnOpened(session.handle, reply);
  Replay(session, opening);
}

// Handles what came for the session before it was here.
void SessionShard::Replay(session::Session& session, Arrival& arrival) {
  deferred_.Replay(arrival, [&](const session::TokensView& tokens) { Accept(session, tokens); });
  if (arrival.close) CloseSession(session, *arrival.close);
}

void SessionShard::RefuseOpen(uint64_t ticket, const session::Refusal& refusal) {
  const std::unique_ptr<Opening> opening = TakeOpening(ticket);
  FreeReserved(*opening);
  if (opening->stream == nullptr) return counters_.sessions_refused.Add(1);
  session::Peer& peer = opening->stream->peer;
  AnswerRefused(*opening, refusal);
  peer.OnRoom();
}

// An Open, and a Close behind it, get their answers; tokens between them do not.
void SessionShard::AnswerRefused(Opening& opening, const session::Refusal& refusal) {
  DropDeferred(opening);
  const bool closed = opening.close.has_value();
  FailOpen(*opening.stream, opening.handle, opening.call->request.attempt.number, refusal);
  if (closed) Close(opening.stream->peer, opening.handle, false, std::nullopt);
}

}  // namespace aaren::shard
