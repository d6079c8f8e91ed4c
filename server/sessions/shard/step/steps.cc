#include "server/sessions/shard/step/steps.h"

#include <algorithm>
#include <utility>

namespace aaren::shard {

Steps::Steps(Core& core, Residents& residents, StepEvents& events)
    : core_(core),
      residents_(residents),
      events_(events),
      queue_(core.options.max_queued_bytes, core.options.ties.tracer),
      stepper_({residents.rows(), queue_, core.counters, core.clock, core.options.ties.watched},
               {core.options.max_channels, core.options.save_interval > absl::ZeroDuration()}),
      pace_(core.options.slice) {}

size_t Steps::Run() {
  arrival_ns_ = 0;
  if (!under_way()) {
    queue_.Unstall();
    if (!queue_.turns().any()) return 0;
    BeginSlice();
  }
  size_t done = 0;
  while (under_way()) {
    if (!stepper_.Poll()) return done;
    done += End();
    if (slice_.left > 0) Begin();
  }
  if (done > 0) EndSlice(done);
  return done;
}

void Steps::BeginSlice() {
  const int64_t most = static_cast<int64_t>(core_.options.max_step_tokens) * queue::Turns::kForecastUnits;
  slice_.units = slice_.left = std::min(pace_.units(), most);
  slice_.began_ns = core_.clock.NowNanos();
  Begin();
}

void Steps::EndSlice(size_t done) {
  const int64_t took_ns = core_.clock.NowNanos() - slice_.began_ns;
  core_.counters.slice_tokens.Set(done);
  core_.counters.slice_ns.Set(static_cast<uint64_t>(took_ns));
  pace_.Adapt(slice_.units - slice_.left, took_ns, queue_.turns().any());
}

// Submits as much of the slice as fits into one step of the stepper, if anything waits.
void Steps::Begin() {
  queue::StepRoom room = stepper_.room();
  room.units = slice_.left;
  const bool any = queue_.turns().any();
  const absl::Span<queue::Flow* const> flows = queue_.turns().Grant(room);
  slice_.left = room.units;
  if (!flows.empty()) {
    stepper_.Begin(flows);
  } else {
    // Every flow with a turn was stalled instead, and no end of a step will tell.
    new_stalls_ |= any && queue_.replies().any_stalled();
  }
}

// Answers the finished step. Returns the number of tokens, or of sessions answered without tokens.
size_t Steps::End() {
  const size_t tokens = stepper_.Finish([this](session::Session& session) { DoItems(session); });
  const size_t sessions = stepper_.finished().size();
  Settle();
  queue_.EndStep();
  new_stalls_ |= queue_.replies().any_stalled();
  events_.OnStepEnded();
  return tokens > 0 ? tokens : sessions;
}

void Steps::Finish() {
  if (!under_way()) return;
  stepper_.Wait();
  End();
}

session::Session* Steps::FindSettled(absl::string_view key) {
  session::Session* session = residents_.Find(key);
  if (session == nullptr || !session->under_way) return session;
  Finish();
  return residents_.Find(key);  // gone if the step has failed
}

void Steps::Forget(session::Session& session) {
  if (session.under_way) stepper_.Abandon(session);
  core_.counters.tokens_dropped.Add(queue_.Forget(session));
}

int64_t Steps::ArrivalNanos() {
  if (arrival_ns_ == 0) arrival_ns_ = core_.clock.NowNanos();
  return arrival_ns_;
}

// Answers the granted items in front of the session's next tokens. A Close ends the flow.
void Steps::DoItems(session::Session& session) {
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
        return events_.OnClose(session, item.delete_session);
    }
  }
}

// The sessions of the step go into the lists. A failed session ends: the store may have the session before the step,
// and the content of the rows in memory is unknown.
void Steps::Settle() {
  for (const auto& [session, status] : stepper_.failed()) core_.counters.tokens_refused.Add(queue_.Forget(*session));
  const int64_t now = core_.now_ms();
  for (session::Session* session : stepper_.finished()) {
    const int64_t unused_ms = std::max<int64_t>(0, now - session->last_active_ms);
    core_.counters.reuse_seconds.Observe(static_cast<double>(unused_ms) * 1e-3);
    residents_.OnStepped(*session, now);
    residents_.ExpectNext(*session);
  }
  for (const auto& [session, status] : stepper_.failed()) events_.OnFailed(*session, status);
}

}  // namespace aaren::shard
