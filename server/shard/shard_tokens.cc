// Tokens, from a Tokens item to the step that answers it.

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/session/refusal.h"
#include "server/shard/shard.h"
#include "server/shard/token_check.h"

namespace aaren::shard {
bool SessionShard::Tokens(session::Peer& peer, const session::TokensView& tokens) {
  session::Binding* binding = StreamOf(peer).handles.Find(tokens.handle);
  if (binding == nullptr) {
    counters_.tokens_refused.Add(tokens.count(1));  // how many channels its session would have, nobody knows
    const session::Refusal refusal = session::HandleNotFound(tokens.handle);
    NoteRefused(tokens.trace, refusal);
    peer.OnFailed(tokens.handle, refusal, 0);
  } else if (IsClosing(*binding)) {
    return false;
  } else if (binding->kind == session::Binding::Kind::kSession) {
    session::Session& session = *static_cast<session::Session*>(binding);
    if (WaitsForStore(session)) return false;
    Accept(session, tokens);
  } else if (binding->kind == session::Binding::Kind::kOpening) {
    auto& opening = *static_cast<Opening*>(binding);
    Defer(opening, tokens, opening.call->request.channels);
  } else if (binding->kind == session::Binding::Kind::kPromotion) {
    auto& promotion = *static_cast<Promotion*>(binding);
    Defer(promotion, tokens, promotion.demoted->channels);
  } else if (binding->kind == session::Binding::Kind::kDemoted) {
    AcceptDemoted(*static_cast<Demoted*>(binding), tokens);
  } else {
    counters_.tokens_dropped.Add(tokens.count(1));
  }
  return true;
}

// Its client keeps all tokens that are not durable. So it takes no more of them while the store is away, full or slow.
// One that is never saved waits for nothing.
bool SessionShard::WaitsForStore(session::Session& session) {
  if (session.durability == session::SessionDurability::kNone) return false;
  const uint64_t end = session.point.seq + (session.flow != nullptr ? session.flow->tokens : 0);
  if (session.unsavable || !saver_.Lags(session, end, options_.max_undurable_tokens)) return false;
  if (std::exchange(session.stalled, true)) return true;
  ++stalled_;
  Settle(session);  // the interval may be long, and the store well
  return true;
}

// Its stream tries again.
void SessionShard::EndWaitForStore(session::Session& session) {
  if (!std::exchange(session.stalled, false)) return;
  --stalled_;
  session.stream->peer.OnRoom();
}

void SessionShard::Accept(session::Session& session, const session::TokensView& tokens) {
  Deliver(session, tokens.delivered_seq);
  may_set_aside_ = true;
  const uint64_t count = tokens.count(session.channels);
  const uint64_t expected = session.point.seq + (session.flow != nullptr ? session.flow->tokens : 0);
  // One that does not hold the expected token may come from before its client has heard of the refusal.
  if (session.refusing && !tokens.Holds(expected, count)) return counters_.tokens_dropped.Add(count);
  session.refusing = false;
  if (auto refusal = CheckShape(tokens, session, options_.max_tokens_per_item)) {
    return RefuseTokens(session, *std::move(refusal), count, tokens.trace);
  }
  if (auto refusal = CheckPlace(tokens, expected)) {
    return RefuseTokens(session, *std::move(refusal), count, tokens.trace);
  }
  if (expected - tokens.first_seq >= count) {
    counters_.tokens_duplicate.Add(count);
    NoteUse(session);
    if (session.flow != nullptr || session.AwaitsSave()) return queue_.PushAck(session);
    return session.stream->peer.OnAcked(session.handle, session.point.seq, session.told_durable_seq());
  }
  const auto skip = static_cast<uint32_t>(expected - tokens.first_seq);
  store::TokenClock clock = session.flow != nullptr ? session.flow->clock : session.point.clock;
  auto refusal = CheckInFlight(tokens, session, options_.max_in_flight_tokens);
  if (!refusal) refusal = CheckContent(tokens, session, skip, clock);
  if (refusal) {
    return RefuseTokens(session, *std::move(refusal), count, tokens.trace);
  }
  counters_.tokens_duplicate.Add(skip);
  if (arrival_ns_ == 0) arrival_ns_ = clock_.NowNanos();
  queue_.PushTokens(session, tokens, skip, clock, arrival_ns_);
}

// Whoever only repeats itself uses it all the same.
void SessionShard::NoteUse(session::Session& session) {
  session.last_active_ms = now_ms();
  if (session.list == session::Session::List::kQuiet && saver_.NeedsSave(session)) Settle(session);
}

// Of a traced message. What the refusal says in words may name a session, or a value.
void SessionShard::NoteRefused(trace::Mark trace, const session::Refusal& refusal) {
  if (trace == 0) return;
  const std::string code = absl::StatusCodeToString(refusal.status.code());
  options_.tracer->NoteError(trace, refusal.reason.empty() ? code : absl::StrCat(code, " ", refusal.reason));
}

void SessionShard::RefuseTokens(session::Session& session, session::Refusal refusal, uint64_t tokens,
                                trace::Mark trace) {
  counters_.tokens_refused.Add(tokens);
  session.refusing = true;
  NoteRefused(trace, refusal);
  if (session.flow != nullptr) return queue_.PushRefusal(session, std::move(refusal), trace);
  session.stream->peer.OnFailed(session.handle, refusal, session.point.seq);
}

// Behind a refusal others are dropped until they begin anew: they need no row.
void SessionShard::AcceptDemoted(Demoted& demoted, const session::TokensView& tokens) {
  const uint64_t count = tokens.count(demoted.channels);
  if (!demoted.refusing || tokens.Holds(demoted.seq, count)) {
    return Defer(Promote(demoted), tokens, demoted.channels);
  }
  if (tokens.delivered_seq) demoted.OnDelivered(*tokens.delivered_seq);
  counters_.tokens_dropped.Add(count);
}

void SessionShard::Defer(Arrival& arrival, const session::TokensView& tokens, uint32_t channels) {
  deferred_.Defer(arrival, tokens, channels);
  may_set_aside_ = true;
}

// A save that waited for it may begin.
void SessionShard::Deliver(session::Session& session, std::optional<uint64_t> delivered_seq) {
  if (!delivered_seq || !save::Saver::OnDelivered(session, *delivered_seq)) return;
  if (session.AwaitsSave()) Settle(session);
}

// One batch of urgent saves follows the other: what was stepped meanwhile shares the next.
size_t SessionShard::Step() {
  const size_t done = StepSlice();
  if (saver_.urgent()) StartSaves();
  return done;
}

size_t SessionShard::StepSlice() {
  arrival_ns_ = 0;
  if (!stepper_.under_way()) {
    queue_.Unstall();
    if (!queue_.turns().any()) return 0;
    const int64_t most = static_cast<int64_t>(options_.max_step_tokens) * queue::Turns::kForecastUnits;
    slice_.units = slice_.left = std::min(pace_.units(), most);
    slice_.began_ns = clock_.NowNanos();
    BeginStep();
  }
  size_t done = 0;
  while (stepper_.under_way()) {
    if (!stepper_.Poll()) return done;
    done += EndStep();
    if (slice_.left > 0) BeginStep();
  }
  if (done == 0) return 0;
  const int64_t took_ns = clock_.NowNanos() - slice_.began_ns;
  counters_.slice_tokens.Set(done);
  counters_.slice_ns.Set(static_cast<uint64_t>(took_ns));
  pace_.Adapt(slice_.units - slice_.left, took_ns, queue_.turns().any());
  counters_.queued_tokens.Set(queue_.tokens() + deferred_.tokens());
  counters_.queued_bytes.Set(queue_.room().bytes());
  return done;
}

// Submits as much of the slice as fits into one step of the stepper, if there is anything.
void SessionShard::BeginStep() {
  queue::StepRoom room = stepper_.room();
  room.units = slice_.left;
  const absl::Span<queue::Flow* const> flows = queue_.turns().Grant(room);
  slice_.left = room.units;
  if (!flows.empty()) stepper_.Begin(flows);
}

// Answers the step, which is done. Returns the number of its tokens, or of sessions that got other answers.
size_t SessionShard::EndStep() {
  const size_t tokens = stepper_.Finish([this](session::Session& session) { DoItems(session); });
  const size_t sessions = stepper_.finished().size();
  AfterStep();
  queue_.EndStep();
  may_set_aside_ |= queue_.replies().any_stalled();
  if (std::exchange(saves_wait_, false)) StartSaves();
  return tokens > 0 ? tokens : sessions;
}

// Waits for the step under way and answers it. At most a batch's time.
void SessionShard::FinishStep() {
  if (!stepper_.under_way()) return;
  stepper_.Wait();
  EndStep();
}

// What stands at the front of the session's flow, is not tokens, and is granted.
void SessionShard::DoItems(session::Session& session) {
  session::Peer& peer = session.stream->peer;
  while (session.flow != nullptr && session.flow->grant.items > 0) {
    const queue::WaitingItem& item = session.flow->items.front();
    switch (item.kind) {
      case queue::WaitingItem::Kind::kTokens:
        return;
      case queue::WaitingItem::Kind::kAck:
        --session.flow->grant.items;
        queue_.PopFront(*session.flow);
        peer.OnAcked(session.handle, session.point.seq, session.told_durable_seq());
        break;
      case queue::WaitingItem::Kind::kRefusal:
        --session.flow->grant.items;
        peer.OnFailed(session.handle, queue_.PopRefusal(*session.flow), session.point.seq);
        break;
      case queue::WaitingItem::Kind::kClose:
        return FinishClose(session, item.delete_session);
    }
  }
}

void SessionShard::AfterStep() {
  for (const auto& [session, status] : stepper_.failed()) {
    // The store may have the session as it was; here nobody knows any more what its rows hold.
    counters_.tokens_refused.Add(queue_.Forget(*session));
  }
  const int64_t now = now_ms();
  for (session::Session* session : stepper_.finished()) {
    counters_.reuse_seconds.Observe(static_cast<double>(std::max<int64_t>(0, now - session->last_active_ms)) * 1e-3);
    session->last_active_ms = now;
    if (session->list == session::Session::List::kUnsaved) continue;
    if (saver_.enabled() || session->stream == nullptr) Settle(*session);
  }
  for (const auto& [session, status] : stepper_.failed()) Lose(*session, status);
}

// Ends a session whose rows are not to be trusted. Its stream, if it has one, is told.
void SessionShard::Lose(session::Session& session, const absl::Status& status) {
  if (session.stream != nullptr) TakeAway(session, session::EngineFailed(status), session.point.seq);
  directory_.Released(std::string(session.key.view()));
  Remove(session);
}

}  // namespace aaren::shard
