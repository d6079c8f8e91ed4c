#include "server/sessions/shard/arrival/intake.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/sessions/session/refusal.h"
#include "server/sessions/shard/arrival/token_check.h"

namespace aaren::shard {
namespace {

// The seq of the session's next new token.
uint64_t ExpectedSeq(const session::Session& session) {
  return session.point.seq + (session.flow != nullptr ? session.flow->tokens : 0);
}

}  // namespace

void Intake::Accept(session::Session& session, const session::TokensView& tokens) {
  residents_.OnDelivered(session, tokens.delivered_seq);
  new_tokens_ = true;
  const uint64_t count = tokens.count(session.values_per_token());
  const uint64_t expected = ExpectedSeq(session);
  // Without the expected token the item may come from before the client has heard of the refusal.
  if (session.refusing && !tokens.Holds(expected, count)) return core_.counters.tokens_dropped.Add(count);
  session.refusing = false;
  auto refusal = CheckShape(tokens, session, core_.options.max_tokens_per_item);
  if (!refusal) refusal = CheckPlace(tokens, expected);
  if (refusal) return Refuse(session, *std::move(refusal), tokens);
  if (expected - tokens.first_seq >= count) return AcceptDuplicate(session, count);
  const auto skip = static_cast<uint32_t>(expected - tokens.first_seq);
  store::TokenClock clock = session.flow != nullptr ? session.flow->clock : session.point.clock;
  refusal = CheckInFlight(tokens, session, core_.options.max_in_flight_tokens);
  if (!refusal) refusal = CheckContent(tokens, session, skip, clock);
  if (refusal) return Refuse(session, *std::move(refusal), tokens);
  core_.counters.tokens_duplicate.Add(skip);
  steps_.queue().PushTokens(session, tokens, skip, clock, steps_.ArrivalNanos());
}

void Intake::AcceptDuplicate(session::Session& session, uint64_t count) {
  core_.counters.tokens_duplicate.Add(count);
  residents_.OnUsed(session);
  if (session.flow != nullptr || session.AwaitsSave()) return steps_.queue().PushAck(session);
  session.stream->peer.OnAcked(session.handle, session.point.seq, session.told_durable_seq());
}

// The handle has no session, hence an unknown number of channels: the tokens count as for one channel.
void Intake::RefuseUnknown(session::Peer& peer, const session::TokensView& tokens) {
  core_.counters.tokens_refused.Add(tokens.count(1));
  const session::Refusal refusal = session::HandleNotFound(tokens.handle);
  NoteRefused(tokens.trace, refusal);
  peer.OnFailed(tokens.handle, refusal, 0);
}

void Intake::Refuse(session::Session& session, session::Refusal refusal, const session::TokensView& tokens) {
  core_.counters.tokens_refused.Add(tokens.count(session.values_per_token()));
  session.refusing = true;
  NoteRefused(tokens.trace, refusal);
  if (session.flow != nullptr) return steps_.queue().PushRefusal(session, std::move(refusal), tokens.trace);
  session.stream->peer.OnFailed(session.handle, refusal, session.point.seq);
}

// A trace gets the code and the reason only: the words of a refusal may name a session, or a value.
void Intake::NoteRefused(trace::Mark trace, const session::Refusal& refusal) {
  if (trace == 0) return;
  const std::string code = absl::StatusCodeToString(refusal.status.code());
  core_.options.ties.tracer->NoteError(trace, refusal.reason.empty() ? code : absl::StrCat(code, " ", refusal.reason));
}

void Intake::Close(session::Session& session, const DeferredClose& close) {
  residents_.OnDelivered(session, close.delivered_seq);
  if (session.flow == nullptr && !session.AwaitsSave()) return departures_.FinishClose(session, close.delete_session);
  session.closing = true;
  steps_.queue().PushClose(session, close.delete_session);
}

void Intake::Defer(Arrival& arrival, const session::TokensView& tokens, uint32_t channels) {
  deferred_.Defer(arrival, tokens, channels);
  new_tokens_ = true;
}

void Intake::Replay(session::Session& session, Arrival& arrival) {
  deferred_.Replay(arrival, [&](const session::TokensView& tokens) { Accept(session, tokens); });
  if (arrival.close) Close(session, *arrival.close);
}

void Intake::Drop(Arrival& arrival) { core_.counters.tokens_dropped.Add(deferred_.Forget(arrival)); }

}  // namespace aaren::shard
