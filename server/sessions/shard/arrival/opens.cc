#include "server/sessions/shard/arrival/opens.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/sessions/registrar/open/open_check.h"
#include "server/sessions/session/refusal.h"

namespace aaren::shard {
namespace {

// An Open from another shard is checked twice, by Check and by Take: another Open may come between the two.
std::optional<session::Refusal> CheckCall(const registrar::OpenCall& call, const session::Session& session) {
  if (call.cancelled) return session::OpenCancelled();
  if (call.request.attempt.IsBehind(session.attempt)) return session::StaleOpen(call.id(), session.epoch);
  return registrar::CheckExisting(call.request, *session.model, session.channels, session.epoch, session.incarnation);
}

}  // namespace

// A handle whose Open was refused may be opened again.
std::optional<session::Refusal> Opens::CheckHandle(const queue::Attachment& stream, session::Handle handle) const {
  const session::Binding* binding = stream.handles.Find(handle);
  if (binding != nullptr && binding->kind != session::Binding::Kind::kRefused) {
    return session::InvalidField("open.handle", absl::StrCat(handle, " is open on this stream"));
  }
  const size_t most = core_.options.max_sessions_per_stream;
  if (stream.open_handles() < most) return std::nullopt;
  return session::OverQuota("sessions_per_stream",
                            absl::StrCat("handle ", handle, ": ", stream.open_handles(),
                                         " sessions are open on this stream, the limit is ", most),
                            absl::ZeroDuration());
}

void Opens::Begin(session::Peer& peer, session::Handle handle, session::OpenRequest request) {
  queue::Attachment& stream = parts_.handles.Of(peer);
  const uint64_t number = request.attempt.number;
  if (auto refusal = CheckHandle(stream, handle)) {
    core_.counters.sessions_refused.Add(1);
    return peer.OnOpenRefused(handle, number, *refusal);  // no Fail: the handle may be another session's
  }
  auto refusal = registrar::CheckRequest(request, core_.options.max_channels);
  if (!refusal) refusal = CheckDurability(request);
  if (refusal) return Fail(stream, handle, number, *refusal);
  parts_.handles.refused().Erase(stream, handle);
  if (!stream.TakePlace()) {
    peer.account->NoteLimited(identity::Account::Limit::kSessions);
    return Fail(stream, handle, number, session::TooManySessions(*peer.account));
  }
  Submit(stream, handle, std::move(request));
}

std::optional<session::Refusal> Opens::CheckDurability(const session::OpenRequest& request) const {
  if (request.durability != session::SessionDurability::kEveryToken) return std::nullopt;
  if (!parts_.residents.saver().enabled()) {
    return session::NotDurable(request.session_id, "this server saves nothing (save_interval is 0)");
  }
  if (!core_.options.saves_outlast_server) {
    return session::NotDurable(request.session_id, "what this server saves ends with it (store is MEMORY)");
  }
  return std::nullopt;
}

session::SessionDurability Opens::Resolve(session::SessionDurability asked) const {
  if (!parts_.residents.saver().enabled()) return session::SessionDurability::kNone;
  return asked == session::SessionDurability::kServerDefault ? session::SessionDurability::kInterval : asked;
}

void Opens::Submit(queue::Attachment& stream, session::Handle handle, session::OpenRequest request) {
  auto call = std::make_shared<registrar::OpenCall>();
  call->shard = core_.index;
  call->ticket = core_.next_ticket++;
  call->key = session::SessionKey(request.tenant, request.session_id);
  call->request = std::move(request);
  call->account = stream.peer.account;
  auto opening = std::make_unique<Opening>();
  opening->stream = &stream;
  opening->handle = handle;
  opening->call = call;
  parts_.handles.Begin(call->ticket, std::move(opening));
  core_.directory.Open(std::move(call));
}

void Opens::Fail(queue::Attachment& stream, session::Handle handle, uint64_t number, const session::Refusal& refusal) {
  core_.counters.sessions_refused.Add(1);
  parts_.handles.refused().Remember(stream, handle);
  stream.peer.OnOpenRefused(handle, number, refusal);
}

void Opens::Abandon(Opening& opening) {
  parts_.intake.Drop(opening);
  opening.stream = nullptr;
  opening.call->cancelled = true;
}

registrar::OwnerReply<session::Footprint> Opens::Check(const registrar::OpenCall& call) {
  registrar::OwnerReply<session::Footprint> reply;
  const session::Session* session = parts_.residents.Find(call.key);
  reply.gone = session == nullptr;
  if (reply.gone) return reply;
  reply.outcome.value = {session->model->shared_from_this(), session->channels};
  reply.outcome.refusal = CheckCall(call, *session);
  return reply;
}

// A restarted Open reserves again, perhaps for another model or number of channels.
std::optional<session::Refusal> Opens::Reserve(uint64_t ticket, const session::Footprint& footprint) {
  Opening& opening = parts_.handles.FindOpening(ticket);
  parts_.tiers.FreeReserved(opening);
  if (opening.stream == nullptr) return session::OpenCancelled();
  if (footprint.channels > core_.options.capacity_rows) {  // no session leaves in vain
    return session::OverQuota(
        "session_rows",
        absl::StrCat(footprint.channels, " channels, and a shard has room for ", core_.options.capacity_rows),
        absl::ZeroDuration());
  }
  absl::StatusOr<session::RowSet> rows = parts_.tiers.Allocate(footprint);
  if (!rows.ok()) {
    // By the time of a retry, another session may have been saved and can leave.
    parts_.tiers.WantRoom();
    const absl::Duration retry_after = std::max(absl::Seconds(1), core_.options.save_interval);
    return session::OverQuota("session_rows", rows.status().message(), retry_after);
  }
  opening.rows = *std::move(rows);
  opening.reserved = footprint;
  return std::nullopt;
}

// A session of the same shard keeps rows and place until Install.
registrar::OwnerReply<session::SessionState> Opens::Take(const registrar::OpenCall& call, uint64_t epoch) {
  registrar::OwnerReply<session::SessionState> reply;
  session::Session* session = parts_.steps.FindSettled(call.key);
  reply.gone = session == nullptr;
  if (reply.gone) return reply;
  reply.outcome.refusal = CheckCall(call, *session);
  if (reply.outcome.refusal) return reply;
  const bool leaves = call.shard != core_.index;
  absl::StatusOr<std::string> rows = "";
  if (leaves) rows = parts_.residents.rows().Read(*session->model, session->channels, session->rows);
  if (!rows.ok()) {
    reply.outcome.refusal = session::EngineFailed(rows.status());
    return reply;
  }
  if (session->stream != nullptr) {
    core_.counters.sessions_taken_over.Add(1);
    parts_.departures.Fence(*session, epoch);
  }
  reply.outcome.value = session::StateOf(*session);
  reply.outcome.value.rows = *std::move(rows);
  leaves ? parts_.residents.Remove(*session) : parts_.residents.Hold(*session);
  return reply;
}

void Opens::Install(const registrar::OpenCall& call, registrar::Installation installation) {
  const std::unique_ptr<Opening> opening = parts_.handles.TakeOpening(call.ticket);
  session::Session& session = Place(call, *opening, installation);
  const absl::Status rows = SetRows(session, installation);
  if (!rows.ok()) {
    installation.refusal = session::EngineFailed(rows);
    parts_.departures.Lose(session, rows);
  } else {
    if (installation.moved) core_.counters.sessions_moved.Add(1);
    if (installation.rewound) core_.counters.sessions_rewound.Add(1);
    if (opening->stream == nullptr || installation.refusal) parts_.residents.Rest(session);
  }
  // The stream has gone meanwhile. The earlier writer has lost the session all the same, and the session rests here.
  if (opening->stream == nullptr) return;
  session::Peer& peer = opening->stream->peer;
  if (!installation.refusal) {
    Attach(session, *opening, installation);
  } else {
    AnswerRefused(*opening, *installation.refusal);
  }
  peer.OnRoom();
}

absl::Status Opens::SetRows(session::Session& session, const registrar::Installation& installation) {
  session::RowPool& rows = parts_.residents.rows();
  switch (installation.rows) {
    case registrar::Installation::Rows::kKeep:
      return absl::OkStatus();
    case registrar::Installation::Rows::kReset:
      return rows.Reset(*session.model, session.channels, session.rows);
    case registrar::Installation::Rows::kReplace:
      return rows.Write(*session.model, session.channels, session.rows, installation.state.rows);
  }
  return absl::OkStatus();
}

// The session, if still here, or a new session with the reserved rows.
session::Session& Opens::FindOrMake(const registrar::OpenCall& call, Opening& opening,
                                    const session::SessionState& state) {
  if (session::Session* session = parts_.residents.Find(call.key)) return *session;
  auto made = std::make_unique<session::Session>();
  made->key = session::CompactKey(call.key);
  made->model = state.model.get();
  made->channels = state.channels;
  made->rows = std::move(opening.rows);
  opening.reserved.model = nullptr;  // the session owns the rows now
  return parts_.residents.Add(std::move(made));
}

// Makes the session as the registrar decided, without a stream. SetRows fills the rows afterwards.
session::Session& Opens::Place(const registrar::OpenCall& call, Opening& opening,
                               const registrar::Installation& installation) {
  const session::SessionState& state = installation.state;
  session::Session& session = FindOrMake(call, opening, state);
  const bool stayed = opening.reserved.model != nullptr;
  parts_.tiers.FreeReserved(opening);
  session.held = session.unsavable = false;
  // The session may have been saved meanwhile, and the registrar's state is older.
  if (stayed && installation.refusal) return session;
  session.epoch = state.epoch;
  session.incarnation = state.incarnation;
  session.point = state.point;
  session.delivered_seq = state.delivered_seq;
  session.durable_seq = state.durable_seq;
  session.tracks_delivery = state.tracks_delivery;
  session.attempt = state.attempt;
  session.durability = installation.refusal ? state.durability : Resolve(call.request.durability);
  // Acquiring a session in the store keeps a single save, and no save waits to become durable. After a refusal nothing
  // was acquired, and the client may know of a waiting save.
  const uint64_t pending = state.pending_seq.value_or(session::Session::kNoSave);
  session.pending_seq = installation.refusal ? pending : session::Session::kNoSave;
  session.last_active_ms = session.saved_active_ms = core_.now_ms();
  return session;
}

void Opens::Attach(session::Session& session, Opening& opening, const registrar::Installation& installation) {
  const session::OpenRequest& request = opening.call->request;
  session.stream = opening.stream;
  session.handle = opening.handle;
  session.plan = parts_.residents.plans().Acquire(session.model->conversion->Resolve(request.output).plan);
  session.tracks_delivery = request.delivered_seq.has_value();
  session.regular_times = request.regular_times.has_value();
  if (request.regular_times) {
    session.regular_start_ns = request.regular_times->start_ns;
    session.regular_step_ns = request.regular_times->step_ns;
  }
  (installation.created ? core_.counters.sessions_created : core_.counters.sessions_resumed).Add(1);
  // Until now the handle led tokens behind the Open to the Opening.
  opening.stream->Bind(opening.handle, &session);
  parts_.residents.Attach(session);
  session::OpenedReply reply;
  reply.epoch = session.epoch;
  reply.incarnation = session.incarnation;
  reply.next_seq = session.point.seq;
  reply.durable_seq = session.durable_seq;
  reply.clock = session.point.clock;
  reply.durability = session.durability;
  reply.created = installation.created;
  reply.lost = installation.lost;
  reply.model = session.model;
  reply.channels = session.values_per_token();
  reply.number = request.attempt.number;
  opening.stream->peer.OnOpened(session.handle, reply);
  parts_.intake.Replay(session, opening);
}

void Opens::Refuse(uint64_t ticket, const session::Refusal& refusal) {
  const std::unique_ptr<Opening> opening = parts_.handles.TakeOpening(ticket);
  parts_.tiers.FreeReserved(*opening);
  if (opening->stream == nullptr) return core_.counters.sessions_refused.Add(1);
  session::Peer& peer = opening->stream->peer;
  AnswerRefused(*opening, refusal);
  peer.OnRoom();
}

// Answers the Open and a Close behind the Open; tokens between Open and Close get no answer.
void Opens::AnswerRefused(Opening& opening, const session::Refusal& refusal) {
  parts_.intake.Drop(opening);
  queue::Attachment& stream = *opening.stream;
  Fail(stream, opening.handle, opening.call->request.attempt.number, refusal);
  if (opening.close) parts_.handles.CloseUnused(stream, opening.handle);
}

}  // namespace aaren::shard
