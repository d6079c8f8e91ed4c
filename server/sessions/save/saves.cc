#include "server/sessions/save/saves.h"

#include <utility>

namespace aaren::save {

// Null while no traced message waits for a save.
trace::Tracer* Saves::follower() const {
  trace::Tracer* tracer = parts_.queue.tracer();
  return tracer != nullptr && tracer->follows_saves() ? tracer : nullptr;
}

// Rows are copied between two steps.
void Saves::Start() {
  waiting_ = parts_.sessions.stepping();
  if (waiting_) return;
  do {
    absl::StatusOr<std::vector<store::SaveWrite>> batch = parts_.saver.TakeBatch(now_ms());
    if (!batch.ok()) return parts_.counters.save_failures.Add(1);
    if (batch->empty()) continue;
    if (trace::Tracer* tracer = follower()) {
      for (const store::SaveWrite& save : *batch) tracer->BeginSave(save.header.key);
    }
    send_(*std::move(batch));
  } while (parts_.saver.MayStartAnother(now_ms()));
}

void Saves::OnStepEnded() {
  if (std::exchange(waiting_, false)) Start();
}

void Saves::SaveEarly() {
  parts_.saver.Leave(now_ms());
  Start();
}

void Saves::SaveAll() {
  parts_.saver.Hurry();
  Start();
}

void Saves::Done(const std::vector<SaveResult>& results) {
  parts_.saver.BatchDone();
  trace::Tracer* const tracer = follower();
  bool any_stored = false;
  for (const SaveResult& result : results) {
    if (tracer != nullptr) tracer->EndSave(result.key, result.seq, result.written.status);
    session::Session* session = absl::IsAborted(result.written.status) ? parts_.sessions.FindSettled(result.key)
                                                                       : parts_.sessions.Find(result.key);
    // The session has left; or it was deleted and made anew under the same key, and the result is of the earlier one.
    if (session == nullptr || session->incarnation != result.incarnation) continue;
    session->save_in_flight = false;
    if (!result.written.status.ok()) {
      OnFailed(*session, result);
      continue;
    }
    any_stored = true;
    OnStored(*session, result);
  }
  if (!any_stored && !results.empty()) parts_.saver.Pause(now_ms());
  if (parts_.saver.leaves() && any_stored) Start();  // otherwise with the next tick
}

void Saves::OnStored(session::Session& session, const SaveResult& result) {
  parts_.counters.saves.Add(1);
  const uint64_t told = session.told_durable_seq();
  const bool advanced = Saver::OnSaved(session, result);
  parts_.sessions.EndStall(session);
  parts_.sessions.Settle(session);
  if (session.stream == nullptr || session.AwaitsSave()) return;
  // Where tokens wait, the next reply tells durable_seq without a message of its own.
  if (session.flow == nullptr && (advanced || session.told_durable_seq() > told)) {
    session.stream->peer.OnAcked(session.handle, session.point.seq, session.told_durable_seq());
  }
  Answer(session);
  parts_.queue.Unhold(session);
}

void Saves::OnFailed(session::Session& session, const SaveResult& result) {
  parts_.counters.save_failures.Add(1);
  // The registrar, if it holds the session, meets the same refusal and decides.
  if (absl::IsAborted(result.written.status) && !session.held) {
    return parts_.sessions.Lose(session, result.written.current_epoch);
  }
  parts_.counters.saves_retried.Add(1);
  session.unsavable = absl::IsDataLoss(result.written.status);
  if (session.unsavable) parts_.sessions.EndStall(session);
  parts_.sessions.Settle(session);
  parts_.saver.Retry(session, now_ms());
}

bool Saves::MustWait(session::Session& session) {
  if (session.durability == session::SessionDurability::kNone) return false;
  const uint64_t end = session.point.seq + (session.flow != nullptr ? session.flow->tokens : 0);
  if (session.unsavable || !parts_.saver.Lags(session, end, max_undurable_tokens_)) return false;
  if (!session.stalled) parts_.sessions.Stall(session);
  return true;
}

// Sends the session's held reply, if there is one.
void Saves::Answer(session::Session& session) {
  const std::unique_ptr<queue::HeldReply> held = parts_.queue.replies().Take(session);
  if (held == nullptr) return;
  const uint64_t tokens = held->next_seq - held->first_seq;
  const int64_t now = parts_.clock.NowNanos();
  parts_.counters.token_seconds.Observe(static_cast<double>(now - held->arrival_ns) * 1e-9, tokens);
  parts_.counters.save_seconds.Observe(static_cast<double>(now - held->stepped_ns) * 1e-9, tokens);
  session::Peer& peer = session.stream->peer;
  if (held->results == 0) return peer.OnAcked(session.handle, session.point.seq, session.told_durable_seq());
  const size_t forecasts = held->results * session.channels;
  const size_t floats = held->forecasts.size() / forecasts;
  forecasts_.clear();
  for (size_t i = 0; i < forecasts; ++i) forecasts_.push_back(&held->forecasts[i * floats]);
  session::ForecastsReply reply;
  reply.first_seq = held->first_seq;
  reply.next_seq = session.point.seq;
  reply.durable_seq = session.told_durable_seq();
  reply.results = held->results;
  reply.channels = session.channels;
  reply.forecasts = forecasts_;
  reply.surprises = held->surprises;
  reply.times_ns = held->times_ns;
  reply.steps_ns = held->steps_ns;
  reply.plan = session.plan;
  reply.model = session.model;
  peer.OnForecasts(session.handle, reply);
}

}  // namespace aaren::save
