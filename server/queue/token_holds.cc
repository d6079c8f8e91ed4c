// Flows that must wait, for the sake of replies that wait for saves; and flows that end.

#include <algorithm>
#include <utility>

#include "server/queue/token_queue.h"

namespace aaren::queue {
namespace {

constexpr size_t kKeptItems = 16;    // in the queue of a flow that waits to be used again
constexpr size_t kKeptFlows = 4096;  // of which, when none is in use, so many are kept

// Of memory, about: what a reply with so many forecasts holds.
size_t ReplyBytes(const session::Session& session, size_t forecasts) {
  return sizeof(HeldReply) + forecasts * session.channels * session.model->engine->result_floats() * sizeof(float);
}

}  // namespace

HeldReply& TokenQueue::Hold(session::Session& session) {
  std::unique_ptr<HeldReply>& reply = session.flow->reply;
  if (reply == nullptr) {
    reply = std::make_unique<HeldReply>();
    CountHeld(session, static_cast<ptrdiff_t>(reply->bytes()));
  }
  return *reply;
}

void TokenQueue::Grown(session::Session& session, size_t bytes) { CountHeld(session, static_cast<ptrdiff_t>(bytes)); }

void TokenQueue::CountHeld(const session::Session& session, ptrdiff_t bytes) {
  session.stream->held_bytes += static_cast<size_t>(bytes);
  held_bytes_ += static_cast<size_t>(bytes);
  freed_ |= bytes < 0;
}

std::unique_ptr<HeldReply> TokenQueue::TakeReply(session::Session& session) {
  if (session.flow == nullptr || session.flow->reply == nullptr) return nullptr;
  CountHeld(session, -static_cast<ptrdiff_t>(session.flow->reply->bytes()));
  return std::move(session.flow->reply);
}

void TokenQueue::Unhold(session::Session& session) {
  if (session.flow == nullptr || session.flow->in_step) return;
  Flow& flow = *session.flow;
  Restore(flow);
  if (flow.items.empty()) return Release(flow);
  if (flow.stalled) return;
  JoinLine(flow);
  Resume(*session.stream);
}

// Whether the flow has no turn for now, for the sake of replies that wait for saves.
bool TokenQueue::MustWait(Flow& flow) {
  if (!flow.session->SavesEveryToken()) return false;
  const bool stalls = !MayHold(*flow.session->stream, 0);
  if (!stalls && !flow.session->AwaitsSave()) return false;
  LeaveLine(flow);
  if (!flow.session->AwaitsSave()) Stall(flow);  // else Unhold
  return true;
}

// Half of what is left, as of tokens that wait; `bytes` of it are spoken for.
bool TokenQueue::MayHold(const Attachment& stream, size_t bytes) const {
  const size_t own = stream.held_bytes + bytes, all = held_bytes_ + bytes;
  return all < max_bytes_ && (own == 0 || own <= (max_bytes_ - all) / 2);
}

void TokenQueue::Stall(Flow& flow) {
  StalledFlows& stalled = flow.session->stream->stalled;
  if (stalled.flows.empty()) stalled_.PushBack(stalled);
  stalled.flows.PushBack(flow);
  flow.stalled = true;
}

void TokenQueue::LeaveStalled(Flow& flow) {
  if (!std::exchange(flow.stalled, false)) return;
  StalledFlows& stalled = flow.session->stream->stalled;
  stalled.flows.Remove(flow);
  if (stalled.flows.empty()) stalled_.Remove(stalled);
}

void TokenQueue::Unstall(Flow& flow) {
  LeaveStalled(flow);
  Restore(flow);
  JoinLine(flow);
  Resume(*flow.session->stream);
}

// What a step will hold counts from when it is granted: a step may have a thousand sessions.
void TokenQueue::Promise(Flow& flow) {
  EndPromise(flow);
  flow.promised = ReplyBytes(*flow.session, FirstTokens(flow).silent ? 0 : flow.granted);
  CountHeld(*flow.session, static_cast<ptrdiff_t>(flow.promised));
}

void TokenQueue::EndPromise(Flow& flow) {
  if (flow.promised > 0) CountHeld(*flow.session, -static_cast<ptrdiff_t>(std::exchange(flow.promised, 0)));
}

// As many as there is room for, if each has one token: more would only stall again.
void TokenQueue::Unstall() {
  if (!std::exchange(freed_, false)) return;
  for (StalledFlows *next = stalled_.front(), *stalled = next; stalled != nullptr; stalled = next) {
    next = stalled->next;
    const Attachment& stream = *stalled->flows.front()->session->stream;
    size_t bytes = 0;
    while (!stalled->flows.empty() && MayHold(stream, bytes)) {
      bytes += ReplyBytes(*stalled->flows.front()->session, 1);
      Unstall(*stalled->flows.front());
    }
  }
}

void TokenQueue::Release(Flow& flow) {
  LeaveLine(flow);
  Restore(flow);
  LeaveStalled(flow);
  EndPromise(flow);
  TakeReply(*flow.session);
  Count(*flow.session->stream, -static_cast<ptrdiff_t>(Flow::kBytes));
  flow.session->flow = nullptr;
  flow.session = nullptr;
  flow.deficit = 0;
  flow.granted = 0;
  flow.granted_items = 0;
  flow.in_step = false;
  flow.refusals.Clear();
  flow.items.ShrinkIfLarge(kKeptItems);
  free_.push_back(&flow);
  if (free_.size() < flows_.size() || flows_.size() <= kKeptFlows) return;
  flows_.clear();  // a burst is over
  free_.clear();
  free_.shrink_to_fit();
}

uint32_t TokenQueue::SetAside(session::Session& session, session::Refusal refusal) {
  Flow& flow = *session.flow;
  Attachment& stream = *session.stream;
  Restore(flow);
  const uint32_t dropped = flow.tokens;
  if (flow.items.size() > 1 || dropped > 0) {
    tokens_ -= dropped;
    flow.tokens = 0;
    while (!flow.items.empty()) PopFront(flow);
    flow.refusals.Clear();
    flow.clock = session.point.clock;
    session.refusing = true;
    PushRefusal(session, std::move(refusal));
  }
  flow.aside = Flow::kBytes;
  if (!flow.items.empty()) flow.aside += flow.items.front().bytes(session.inputs_per_token());
  Count(stream, -static_cast<ptrdiff_t>(flow.aside));
  stream.aside_bytes += flow.aside;
  return dropped;
}

void TokenQueue::Restore(Flow& flow) {
  Attachment& stream = *flow.session->stream;
  stream.aside_bytes -= flow.aside;
  Count(stream, static_cast<ptrdiff_t>(std::exchange(flow.aside, 0)));
}

uint32_t TokenQueue::Forget(session::Session& session) {
  if (session.flow == nullptr) return 0;
  Flow& flow = *session.flow;
  Restore(flow);
  const uint32_t dropped = flow.tokens;
  tokens_ -= dropped;
  flow.tokens = 0;
  while (!flow.items.empty()) PopFront(flow);
  // It may be gone in the middle of a step: its place is kept, and empty.
  if (flow.in_step) std::replace(granted_.begin(), granted_.end(), &flow, static_cast<Flow*>(nullptr));
  Release(flow);
  return dropped;
}

}  // namespace aaren::queue
