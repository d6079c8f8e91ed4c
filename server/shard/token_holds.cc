// Flows that must wait, for the sake of replies that wait for saves; and flows that end.

#include <algorithm>
#include <utility>

#include "server/shard/token_queue.h"

namespace aaren::shard {
namespace {

constexpr size_t kKeptItems = 16;    // in the queue of a flow that waits to be used again
constexpr size_t kKeptFlows = 4096;  // of which, when none is in use, so many are kept

}  // namespace

HeldReply& TokenQueue::Hold(session::Session& session) {
  std::unique_ptr<HeldReply>& reply = session.flow->reply;
  if (reply == nullptr) {
    reply = std::make_unique<HeldReply>();
    held_bytes_ += reply->bytes();
  }
  return *reply;
}

std::unique_ptr<HeldReply> TokenQueue::TakeReply(session::Session& session) {
  if (session.flow == nullptr || session.flow->reply == nullptr) return nullptr;
  held_bytes_ -= session.flow->reply->bytes();
  return std::move(session.flow->reply);
}

void TokenQueue::Unhold(session::Session& session) {
  Unstall();
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
  const bool stalls = held_bytes_ >= max_bytes_;
  if (!stalls && !flow.session->AwaitsSave()) return false;
  LeaveLine(flow);
  if (flow.session->AwaitsSave()) return true;  // Unhold
  flow.stalled = true;
  stalled_.PushBack(flow);
  return true;
}

// There is room for replies again.
void TokenQueue::Unstall() {
  while (!stalled_.empty() && held_bytes_ < max_bytes_) {
    Flow& flow = *stalled_.front();
    stalled_.Remove(flow);
    flow.stalled = false;
    Restore(flow);
    JoinLine(flow);
    Resume(*flow.session->stream);
  }
}

void TokenQueue::Release(Flow& flow) {
  LeaveLine(flow);
  Restore(flow);
  if (std::exchange(flow.stalled, false)) stalled_.Remove(flow);
  if (flow.reply != nullptr) {
    held_bytes_ -= flow.reply->bytes();
    flow.reply.reset();
  }
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
  if (!flow.items.empty()) flow.aside += flow.items.front().bytes(session.channels);
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
  Unstall();
  return dropped;
}

}  // namespace aaren::shard
