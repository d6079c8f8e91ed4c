// What the registrar asks of a shard beside Opens: states, descriptions, and to let sessions go.

#include <utility>

#include "server/session/record.h"
#include "server/session/refusal.h"
#include "server/shard/shard.h"

namespace aaren::shard {

// All but its rows. They are most of a state, and copied only for those who take them elsewhere.
session::SessionState SessionShard::StateOf(const session::Session& session) const {
  session::SessionState state;
  state.model = session.model->shared_from_this();
  state.channels = session.channels;
  state.epoch = session.epoch;
  state.incarnation = session.incarnation;
  state.point = session.point;
  state.delivered_seq = session.delivered_seq;
  state.durable_seq = session.durable_seq;
  if (session.pending_seq != session::Session::kNoSave) state.pending_seq = session.pending_seq;
  state.tracks_delivery = session.tracks_delivery;
  state.attempt = session.attempt;
  state.durability = session.durability;
  return state;
}

// As of the last step. What waits in the flow was not folded, and whoever continues the copy has not sent it.
registrar::OwnerReply<session::SessionState> SessionShard::Capture(const std::string& key) {
  registrar::OwnerReply<session::SessionState> reply;
  const session::Session* session = FindSettled(key);
  reply.gone = session == nullptr;
  if (reply.gone) return reply;
  absl::StatusOr<std::string> rows = rows_.Read(*session->model, session->channels, session->rows);
  if (!rows.ok()) {
    reply.outcome.refusal = session::EngineFailed(rows.status());
    return reply;
  }
  reply.outcome.value = StateOf(*session);
  reply.outcome.value.rows = *std::move(rows);
  return reply;
}

std::vector<std::optional<session::SessionInfo>> SessionShard::Describe(const std::vector<std::string>& keys) {
  std::vector<std::optional<session::SessionInfo>> infos;
  infos.reserve(keys.size());
  for (const std::string& key : keys) {
    session::Session* session = Find(key);
    infos.push_back(session != nullptr ? std::make_optional(InfoOf(*session)) : std::nullopt);
  }
  return infos;
}

session::SessionInfo SessionShard::InfoOf(session::Session& session) {
  session::SessionInfo info;
  info.session_id = std::string(session::SessionId(session.key.view()));
  info.epoch = session.epoch;
  info.incarnation = session.incarnation;
  info.next_seq = session.point.seq;
  info.durable_seq = session.durable_seq;
  // A client that tells no delivered_seq has taken every reply.
  info.delivered_seq = session.tracks_delivery ? session.delivered_seq : session.point.seq;
  info.origin = session::OriginOf(*session.model, session.channels);
  info.state_bytes = session.model->engine->row_bytes() * session.channels;
  info.attached = session.stream != nullptr;
  if (info.attached) info.server = options_.advertise;
  info.resident = true;
  info.last_active = clock_.WallAt(absl::FromUnixMillis(session.last_active_ms));
  return info;
}

registrar::SessionHere SessionShard::HereOf(session::Session& session) {
  registrar::SessionHere here{.info = InfoOf(session), .shard = index_, .stalled = session.stalled};
  if (session.flow != nullptr) here.queued_tokens = session.flow->tokens;
  return here;
}

// What it does not remember, the store's record has.
registrar::SessionHere SessionShard::HereOf(const Demoted& demoted) {
  const models::ModelRef& model = rows_.model(demoted.model);
  registrar::SessionHere here{.shard = index_};
  here.info.session_id = std::string(session::SessionId(demoted.key()));
  here.info.epoch = demoted.epoch;
  here.info.next_seq = demoted.seq;
  here.info.durable_seq = demoted.durable_seq();
  here.info.delivered_seq = demoted.seq - static_cast<uint64_t>(int64_t{demoted.undelivered});
  here.info.origin = session::OriginOf(*model, demoted.channels);
  here.info.state_bytes = model->engine->row_bytes() * demoted.channels;
  here.info.attached = true;
  here.info.server = options_.advertise;
  return here;
}

registrar::HereReply SessionShard::DescribeHere(const registrar::HereQuery& query) {
  registrar::HereReply reply;
  for (const std::string& key : query.keys) {
    if (session::Session* session = Find(key)) reply.emplace_back(key, HereOf(*session));
  }
  size_t left = query.most_demoted;
  demoted_.ForEachBehind(query.prefix, query.after, [&](const Demoted& demoted) {
    if (left-- == 0) return false;
    reply.emplace_back(std::string(demoted.key()), HereOf(demoted));
    return true;
  });
  return reply;
}

// The question is older than the answer: the session may have been opened or used since it was asked.
std::optional<session::Refusal> SessionShard::CheckDrop(const session::Session& session,
                                                        const registrar::DropCondition& condition) const {
  const bool other_epoch = condition.epoch && session.epoch != *condition.epoch;
  const bool used_since =
      condition.idle_since &&
      (session.stream != nullptr || absl::FromUnixMillis(session.last_active_ms) > *condition.idle_since);
  if (!other_epoch && !used_since) return std::nullopt;
  return session::Fenced(session::SessionId(session.key.view()), session.epoch);
}

registrar::OwnerReply<std::monostate> SessionShard::Hold(const std::string& key,
                                                         const registrar::DropCondition& condition) {
  registrar::OwnerReply<std::monostate> reply;
  session::Session* session = Find(key);
  reply.gone = session == nullptr;
  if (reply.gone) return reply;
  reply.outcome.refusal = CheckDrop(*session, condition);
  if (reply.outcome.refusal) return reply;
  session->held = true;
  Settle(*session);
  return reply;
}

// The store did not let it go: the session goes on as if nobody had asked.
void SessionShard::Unhold(const std::string& key) {
  session::Session* session = Find(key);
  if (session == nullptr) return;
  session->held = false;
  Settle(*session);
}

registrar::OwnerReply<store::Attempt> SessionShard::Drop(const std::string& key, registrar::DropReason reason,
                                                         uint64_t epoch) {
  registrar::OwnerReply<store::Attempt> reply;
  session::Session* session = FindSettled(key);
  reply.gone = session == nullptr;
  if (reply.gone) return reply;
  reply.outcome.value = session->attempt;
  if (reason == registrar::DropReason::kDeleted) counters_.sessions_deleted.Add(1);
  if (session->stream != nullptr) Fence(*session, epoch);
  Remove(*session);
  return reply;
}

}  // namespace aaren::shard
