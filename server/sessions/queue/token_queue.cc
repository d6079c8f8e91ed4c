#include "server/sessions/queue/token_queue.h"

#include <utility>

namespace aaren::queue {
namespace {

constexpr size_t kKeptItems = 16;    // places in the item queue of a free flow
constexpr size_t kKeptFlows = 4096;  // flows to stay allocated while no flow is in use

}  // namespace

Flow& TokenQueue::FlowOf(session::Session& session) {
  if (session.flow != nullptr) return *session.flow;
  if (free_.empty()) free_.push_back(&flows_.emplace_back());
  Flow& flow = *free_.back();
  free_.pop_back();
  flow.session = &session;
  flow.clock = session.point.clock;
  session.flow = &flow;
  room_.Add(*session.stream, Flow::kBytes);
  turns_.Begin(flow);
  return flow;
}

WaitingItem& TokenQueue::Push(session::Session& session, WaitingItem::Kind kind, trace::Mark trace) {
  WaitingItem& item = FlowOf(session).items.emplace_back();
  item.kind = kind;
  item.trace = trace;
  if (trace != 0) tracer_->Hold(trace);
  return item;
}

void TokenQueue::Count(const session::Session& session, const WaitingItem& item) {
  room_.Add(*session.stream, item.bytes(session.inputs_per_token()));
}

void TokenQueue::PushTokens(session::Session& session, const session::TokensView& tokens, uint32_t skip,
                            const store::TokenClock& clock, int64_t arrival_ns) {
  WaitingItem& item = Push(session, WaitingItem::Kind::kTokens, tokens.trace);
  item.silent = tokens.silent;
  item.tokens = static_cast<uint32_t>(tokens.count(session.values_per_token())) - skip;
  item.arrival_ns = arrival_ns;
  const task::TokenNumbers fresh = tokens.From(skip, session.values_per_token());
  float* const inputs = item.SetNumbers(fresh.times_ns, item.tokens * session.inputs_per_token());
  session.model->conversion->CopyInputs(fresh, session.channels, *session.plan, inputs);
  Count(session, item);
  session.flow->clock = clock;
  session.flow->tokens += item.tokens;
  tokens_ += item.tokens;
  if (item.trace != 0) tracer_->NoteTokens(item.trace, item.tokens);
}

// One acknowledgement answers several duplicates in a row: repetitions cost one reply.
void TokenQueue::PushAck(session::Session& session) {
  Flow* flow = session.flow;
  if (flow != nullptr && !flow->items.empty() && flow->items.back().kind == WaitingItem::Kind::kAck) return;
  Count(session, Push(session, WaitingItem::Kind::kAck));
}

void TokenQueue::PushRefusal(session::Session& session, session::Refusal refusal, trace::Mark trace) {
  Count(session, Push(session, WaitingItem::Kind::kRefusal, trace));
  session.flow->refusals.emplace_back() = std::move(refusal);
}

void TokenQueue::PushClose(session::Session& session, bool delete_session) {
  WaitingItem& item = Push(session, WaitingItem::Kind::kClose);
  item.delete_session = delete_session;
  Count(session, item);
}

// Ends the item's part in a traced message. An item leaves with unstepped tokens only where the shard drops them.
void TokenQueue::LetGo(const Flow& flow, const WaitingItem& item) {
  const bool dropped = item.kind == WaitingItem::Kind::kTokens && flow.taken < item.tokens;
  if (dropped) tracer_->NoteError(item.trace, "its tokens were dropped");
  tracer_->Release(item.trace);
}

void TokenQueue::TakeTokens(Flow& flow, uint32_t tokens) {
  flow.taken += tokens;
  flow.tokens -= tokens;
  tokens_ -= tokens;
  flow.session->stream->tenant.answered.Add(tokens);
  if (flow.taken == flow.items.front().tokens) PopFront(flow);
}

void TokenQueue::PopFront(Flow& flow) {
  const session::Session& session = *flow.session;
  const WaitingItem& item = flow.items.front();
  room_.Give(*session.stream, item.bytes(session.inputs_per_token()));
  if (item.trace != 0) LetGo(flow, item);
  flow.items.pop_front();
  flow.taken = 0;
}

session::Refusal TokenQueue::PopRefusal(Flow& flow) {
  session::Refusal refusal = std::move(flow.refusals.front());
  flow.refusals.pop_front();
  PopFront(flow);
  return refusal;
}

// A flow with a held reply waits for Unhold, a stalled flow for Unstall.
void TokenQueue::EndStep() {
  turns_.EndStep([this](Flow& flow) {
    replies_.EndPromise(flow);
    if (flow.session->AwaitsSave() || flow.stalled) return;
    flow.items.empty() ? End(flow) : turns_.Resume(flow);
  });
}

void TokenQueue::Unhold(session::Session& session) {
  if (session.flow == nullptr || session.flow->grant.in_step) return;
  Flow& flow = *session.flow;
  EndAside(flow);
  if (flow.items.empty()) return End(flow);
  if (!flow.stalled) turns_.Resume(flow);
}

void TokenQueue::Unstall() {
  replies_.EndStalls([this](Flow& flow) {
    EndAside(flow);
    turns_.Resume(flow);
  });
}

uint32_t TokenQueue::DropItems(Flow& flow) {
  const uint32_t dropped = std::exchange(flow.tokens, 0);
  tokens_ -= dropped;
  while (!flow.items.empty()) PopFront(flow);
  return dropped;
}

uint32_t TokenQueue::SetAside(session::Session& session, session::Refusal refusal) {
  Flow& flow = *session.flow;
  EndAside(flow);
  uint32_t dropped = 0;
  if (flow.items.size() > 1 || flow.tokens > 0) {
    dropped = DropItems(flow);
    flow.refusals.Clear();
    flow.clock = session.point.clock;
    session.refusing = true;
    PushRefusal(session, std::move(refusal));
  }
  flow.aside = Flow::kBytes;
  if (!flow.items.empty()) flow.aside += flow.items.front().bytes(session.inputs_per_token());
  room_.SetAside(*session.stream, flow.aside);
  return dropped;
}

void TokenQueue::EndAside(Flow& flow) { room_.EndAside(*flow.session->stream, std::exchange(flow.aside, 0)); }

uint32_t TokenQueue::Forget(session::Session& session) {
  if (session.flow == nullptr) return 0;
  Flow& flow = *session.flow;
  EndAside(flow);
  const uint32_t dropped = DropItems(flow);
  turns_.Forget(flow);  // in the middle of a step, perhaps
  End(flow);
  return dropped;
}

void TokenQueue::End(Flow& flow) {
  turns_.Leave(flow);
  EndAside(flow);
  replies_.EndStall(flow);
  replies_.EndPromise(flow);
  replies_.Take(*flow.session);
  room_.Give(*flow.session->stream, Flow::kBytes);
  flow.session->flow = nullptr;
  flow.session = nullptr;
  flow.deficit = 0;
  flow.grant = {};
  flow.refusals.Clear();
  flow.items.ShrinkIfLarge(kKeptItems);
  free_.push_back(&flow);
  if (free_.size() < flows_.size() || flows_.size() <= kKeptFlows) return;
  flows_.clear();  // a burst is over
  free_.clear();
  free_.shrink_to_fit();
}

}  // namespace aaren::queue
