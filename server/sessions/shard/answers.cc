#include "server/sessions/shard/answers.h"

#include <utility>

#include "server/sessions/session/record.h"
#include "server/sessions/session/refusal.h"

namespace aaren::shard {
namespace {

// The question is older than the answer: the session may have been opened or used meanwhile.
std::optional<session::Refusal> CheckDrop(const session::Session& session, const registrar::DropCondition& condition) {
  const bool other_epoch = condition.epoch && session.epoch != *condition.epoch;
  const bool used_since =
      condition.idle_since &&
      (session.stream != nullptr || absl::FromUnixMillis(session.last_active_ms) > *condition.idle_since);
  if (!other_epoch && !used_since) return std::nullopt;
  return session::Fenced(session::SessionId(session.key.view()), session.epoch);
}

}  // namespace

registrar::OwnerLimits Answers::limits() const {
  const save::Saver& saver = parts_.residents.saver();
  return {saver.enabled(), parts_.core.options.session_ttl, parts_.core.options.max_channels, saver.lease()};
}

registrar::OwnerReply<session::Footprint> Answers::CheckOpen(const registrar::OpenCall& call) {
  return parts_.opens.Check(call);
}

std::optional<session::Refusal> Answers::Reserve(uint64_t ticket, session::Footprint footprint) {
  return parts_.opens.Reserve(ticket, footprint);
}

registrar::OwnerReply<session::SessionState> Answers::Take(const registrar::OpenCall& call, uint64_t epoch) {
  return parts_.opens.Take(call, epoch);
}

void Answers::Install(const registrar::OpenCall& call, registrar::Installation installation) {
  parts_.opens.Install(call, std::move(installation));
}

void Answers::RefuseOpen(uint64_t ticket, const session::Refusal& refusal) { parts_.opens.Refuse(ticket, refusal); }

// The copy is as of the last step. Waiting tokens were not folded, and the caller of the copy does not know them.
registrar::OwnerReply<session::SessionState> Answers::Capture(const std::string& key) {
  registrar::OwnerReply<session::SessionState> reply;
  const session::Session* session = parts_.steps.FindSettled(key);
  reply.gone = session == nullptr;
  if (reply.gone) return reply;
  absl::StatusOr<std::string> rows = parts_.residents.rows().Read(*session->model, session->channels, session->rows);
  if (!rows.ok()) {
    reply.outcome.refusal = session::EngineFailed(rows.status());
    return reply;
  }
  reply.outcome.value = session::StateOf(*session);
  reply.outcome.value.rows = *std::move(rows);
  return reply;
}

std::vector<std::optional<session::SessionInfo>> Answers::Describe(const std::vector<std::string>& keys) {
  std::vector<std::optional<session::SessionInfo>> infos;
  infos.reserve(keys.size());
  for (const std::string& key : keys) {
    const session::Session* session = parts_.residents.Find(key);
    infos.push_back(session != nullptr ? std::make_optional(InfoOf(*session)) : std::nullopt);
  }
  return infos;
}

// A client without delivered_seq has taken every reply.
session::SessionInfo Answers::InfoOf(const session::Session& session) const {
  session::SessionInfo info;
  info.session_id = std::string(session::SessionId(session.key.view()));
  info.epoch = session.epoch;
  info.incarnation = session.incarnation;
  info.next_seq = session.point.seq;
  info.durable_seq = session.durable_seq;
  info.delivered_seq = session.tracks_delivery ? session.delivered_seq : session.point.seq;
  info.SetRows(*session.model, session.channels);
  info.attached = session.stream != nullptr;
  if (info.attached) info.server = parts_.core.options.advertise;
  info.resident = true;
  info.last_active = parts_.core.clock.WallAt(absl::FromUnixMillis(session.last_active_ms));
  return info;
}

registrar::SessionHere Answers::HereOf(const session::Session& session) const {
  registrar::SessionHere here{.info = InfoOf(session), .shard = parts_.core.index, .stalled = session.stalled};
  if (session.flow != nullptr) here.queued_tokens = session.flow->tokens;
  return here;
}

// The store's record has the rest.
registrar::SessionHere Answers::HereOf(const Demoted& demoted) const {
  const models::ModelRef& model = parts_.residents.rows().model(demoted.model);
  registrar::SessionHere here{.shard = parts_.core.index};
  here.info.session_id = std::string(session::SessionId(demoted.key()));
  here.info.epoch = demoted.epoch;
  here.info.next_seq = demoted.seq;
  here.info.durable_seq = demoted.durable_seq();
  here.info.delivered_seq = demoted.seq - static_cast<uint64_t>(int64_t{demoted.undelivered});
  here.info.SetRows(*model, demoted.channels);
  here.info.attached = true;
  here.info.server = parts_.core.options.advertise;
  return here;
}

registrar::HereReply Answers::DescribeHere(const registrar::HereQuery& query) {
  registrar::HereReply reply;
  for (const std::string& key : query.keys) {
    if (const session::Session* session = parts_.residents.Find(key)) reply.emplace_back(key, HereOf(*session));
  }
  size_t left = query.most_demoted;
  parts_.tiers.demoted().ForEachBehind(query.prefix, query.after, [&](const Demoted& demoted) {
    if (left-- == 0) return false;
    reply.emplace_back(std::string(demoted.key()), HereOf(demoted));
    return true;
  });
  return reply;
}

registrar::OwnerReply<uint64_t> Answers::Hold(const std::string& key, const registrar::DropCondition& condition) {
  registrar::OwnerReply<uint64_t> reply;
  session::Session* session = parts_.residents.Find(key);
  reply.gone = session == nullptr;
  if (reply.gone) return reply;
  reply.outcome.refusal = CheckDrop(*session, condition);
  if (reply.outcome.refusal) return reply;
  reply.outcome.value = session->epoch;
  parts_.residents.Hold(*session);
  return reply;
}

// The store did not let the session go: the session goes on as if nobody had asked.
void Answers::Unhold(const std::string& key) {
  if (session::Session* session = parts_.residents.Find(key)) parts_.residents.EndHold(*session);
}

registrar::OwnerReply<store::Attempt> Answers::Drop(const std::string& key, registrar::DropReason reason,
                                                    uint64_t epoch) {
  registrar::OwnerReply<store::Attempt> reply;
  session::Session* session = parts_.steps.FindSettled(key);
  reply.gone = session == nullptr;
  if (reply.gone) return reply;
  reply.outcome.value = session->attempt;
  if (session->stream != nullptr) {
    const bool elsewhere = reason == registrar::DropReason::kTakenElsewhere;
    SessionCounters& counters = parts_.core.counters;
    (elsewhere ? counters.sessions_fenced : counters.sessions_taken_over).Add(1);
    parts_.departures.Fence(*session, epoch);
  }
  parts_.residents.Remove(*session);
  return reply;
}

void Answers::Evict(const std::string& key, Evicted done) { parts_.departures.Evict(key, std::move(done)); }

void Answers::Swept(size_t expired) { parts_.core.counters.sessions_expired.Add(expired); }

void Answers::Deleted() { parts_.core.counters.sessions_deleted.Add(1); }

void Answers::EndPromotion(uint64_t ticket, const std::string& key, registrar::Promoted promoted) {
  parts_.tiers.EndPromotion(ticket, key, std::move(promoted));
}

void Answers::LoseDemoted(const std::string& key, uint64_t epoch, const session::Refusal& refusal) {
  parts_.tiers.Lose(key, epoch, refusal);
}

std::vector<bool> Answers::HoldsDemoted(const std::vector<std::string>& keys) {
  std::vector<bool> holds;
  holds.reserve(keys.size());
  for (const std::string& key : keys) holds.push_back(parts_.tiers.demoted().Find(key) != nullptr);
  return holds;
}

// A saved session may leave and make room for a promotion.
void Answers::SavesDone(const std::vector<save::SaveResult>& results) {
  parts_.saves.Done(results);
  parts_.tiers.StartPromotions();
}

}  // namespace aaren::shard
