#include "server/session/token_queue.h"

#include <algorithm>
#include <utility>

namespace aaren {
namespace {

using Turn = Attachment::Turn;

// A turn is a tile of the engine, 64 tokens: smaller ones would cost more each.
constexpr int64_t kTurnUnits = 64 * TokenQueue::kForecastUnits;
constexpr size_t kMaxFree = 1024;                        // flows kept for the next ones
constexpr size_t kRefusalBytes = sizeof(Refusal) + 256;  // with its texts
constexpr size_t kKeptItems = 32;                        // in the queue of a flow that is kept
constexpr size_t kFlowBytes = 256;                       // of memory, about, with its list's node

// What a token of the item costs, all channels counted.
int64_t UnitsOf(const Session& session, const WaitingItem& item) {
  if (item.silent) return session.channels;
  const int64_t every = session.plan->every;
  return session.channels * std::max<int64_t>(1, TokenQueue::kForecastUnits / every);
}

}  // namespace

bool TokenQueue::Admits(const Attachment& stream, size_t bytes) const {
  if (bytes_ >= max_bytes_) return false;
  const size_t held = stream.queued_bytes + stream.deferred_bytes;
  return held == 0 || held + bytes <= (max_bytes_ - bytes_) / 2;
}

void TokenQueue::Defer(Attachment& stream, size_t bytes) {
  stream.deferred_bytes += bytes;
  bytes_ += bytes;
}

void TokenQueue::Undefer(Attachment& stream, size_t bytes) {
  stream.deferred_bytes -= bytes;
  bytes_ -= bytes;
}

void TokenQueue::Count(Attachment& stream, ptrdiff_t bytes) {
  stream.queued_bytes += static_cast<size_t>(bytes);
  bytes_ += static_cast<size_t>(bytes);
}

Flow& TokenQueue::FlowOf(Session& session) {
  if (session.flow != nullptr) return *session.flow;
  Attachment& stream = *session.stream;
  if (free_.empty()) {
    free_.emplace_back();
    free_.front().self = free_.begin();
  }
  Flow& flow = free_.front();
  stream.flows.splice(stream.flows.end(), free_, flow.self);
  flow.session = &session;
  flow.clock = session.clock;
  session.flow = &flow;
  Count(stream, kFlowBytes);
  if (stream.turn == Turn::kNone) {
    stream.deficit = std::min<int64_t>(stream.deficit, 0) + kTurnUnits;
    Link(stream, Turn::kNew);
  }
  return flow;
}

WaitingItem& TokenQueue::Push(Session& session, WaitingItem::Kind kind, size_t more_bytes) {
  WaitingItem& item = FlowOf(session).items.emplace_back();
  item.kind = kind;
  item.counted = sizeof(WaitingItem) + more_bytes;
  Count(*session.stream, static_cast<ptrdiff_t>(item.counted));
  return item;
}

void TokenQueue::PushTokens(Session& session, const TokensView& tokens, uint32_t skip, const TokenClock& clock,
                            int64_t arrival_ns) {
  const size_t skipped = size_t{skip} * session.channels;
  const size_t times = tokens.times_ns.empty() ? 0 : tokens.times_ns.size() - skip;
  WaitingItem& item = Push(session, WaitingItem::Kind::kTokens,
                           (tokens.values.size() - skipped) * sizeof(float) + times * sizeof(int64_t));
  item.silent = tokens.silent;
  item.arrival_ns = arrival_ns;
  item.tokens = static_cast<uint32_t>((tokens.values.size() - skipped) / session.channels);
  item.values.assign(tokens.values.begin() + skipped, tokens.values.end());
  if (times > 0) item.times_ns.assign(tokens.times_ns.begin() + skip, tokens.times_ns.end());
  session.flow->clock = clock;
  session.flow->tokens += item.tokens;
  tokens_ += item.tokens;
}

void TokenQueue::PushAck(Session& session) {
  if (session.flow != nullptr && session.flow->items.back().kind == WaitingItem::Kind::kAck) return;
  Push(session, WaitingItem::Kind::kAck, 0);
}

void TokenQueue::PushRefusal(Session& session, Refusal refusal) {
  Push(session, WaitingItem::Kind::kRefusal, kRefusalBytes).refusal = std::make_unique<Refusal>(std::move(refusal));
}

void TokenQueue::PushClose(Session& session, bool delete_session) {
  Push(session, WaitingItem::Kind::kClose, 0).delete_session = delete_session;
}

void TokenQueue::TakeTokens(Flow& flow, uint32_t tokens) {
  WaitingItem& item = flow.items.front();
  item.taken += tokens;
  flow.tokens -= tokens;
  tokens_ -= tokens;
  if (item.left() == 0) PopFront(flow);
}

void TokenQueue::PopFront(Flow& flow) {
  Count(*flow.session->stream, -static_cast<ptrdiff_t>(flow.items.front().counted));
  flow.items.pop_front();
}

void TokenQueue::Release(std::list<Flow>& list, Flow& flow) {
  Count(*flow.session->stream, -static_cast<ptrdiff_t>(kFlowBytes));
  flow.items.ShrinkIfLarge(kKeptItems);
  flow.session->flow = nullptr;
  flow.session = nullptr;
  flow.deficit = 0;
  if (free_.size() >= kMaxFree) {
    list.erase(flow.self);
  } else {
    free_.splice(free_.begin(), list, flow.self);
  }
}

void TokenQueue::EndStep() {
  for (Flow* flow : granted_) {
    if (flow == nullptr) continue;
    flow->granted = flow->reached_token = 0;
    flow->reached_item = 0;
    flow->in_step = false;
    if (flow->items.empty()) Release(std::exchange(flow->whole, false) ? whole_ : flow->session->stream->flows, *flow);
  }
  granted_.clear();
}

uint32_t TokenQueue::Forget(Session& session) {
  if (session.flow == nullptr) return 0;
  Flow& flow = *session.flow;
  const uint32_t dropped = flow.tokens;
  tokens_ -= dropped;
  flow.tokens = 0;
  while (!flow.items.empty()) PopFront(flow);
  if (flow.in_step) {
    std::replace(granted_.begin(), granted_.end(), &flow, static_cast<Flow*>(nullptr));
    flow.granted = flow.reached_token = 0;
    flow.reached_item = 0;
    flow.in_step = false;
  }
  Release(std::exchange(flow.whole, false) ? whole_ : session.stream->flows, flow);
  return dropped;
}

void TokenQueue::Link(Attachment& stream, Turn turn) {
  std::list<Attachment*>& list = ListOf(turn);
  stream.turn = turn;
  stream.self = list.insert(list.end(), &stream);
}

void TokenQueue::Unlink(Attachment& stream) {
  if (stream.turn == Turn::kNone) return;
  ListOf(stream.turn).erase(stream.self);
  stream.turn = Turn::kNone;
}

void TokenQueue::Resume(Attachment& stream) {
  if (stream.turn == Turn::kNone && !stream.flows.empty()) Link(stream, Turn::kOld);
}

Attachment* TokenQueue::NextStream() {
  while (has_turns()) {
    Attachment& stream = *(new_.empty() ? old_ : new_).front();
    if (stream.flows.empty() || !stream.peer.HasRoom()) {
      Unlink(stream);
    } else if (stream.deficit <= 0) {
      stream.deficit += kTurnUnits;
      Unlink(stream);
      Link(stream, Turn::kOld);
    } else {
      return &stream;
    }
  }
  return nullptr;
}

absl::Span<Flow* const> TokenQueue::Grant(StepRoom room) {
  while (!room.empty()) {
    Attachment* stream = NextStream();
    if (stream == nullptr) break;
    ServeStream(*stream, room);
  }
  return granted_;
}

void TokenQueue::ServeStream(Attachment& stream, StepRoom& room) {
  while (stream.deficit > 0 && !room.empty() && !stream.flows.empty()) {
    Flow& flow = stream.flows.front();
    if (flow.deficit <= 0) flow.deficit += kTurnUnits;
    const int64_t used = GrantTo(flow, std::min(flow.deficit, stream.deficit), room);
    flow.deficit -= used;
    stream.deficit -= used;
    if (flow.reached_item == flow.items.size()) {
      flow.whole = true;
      whole_.splice(whole_.end(), stream.flows, flow.self);
    } else if (flow.deficit <= 0) {
      stream.flows.splice(stream.flows.end(), stream.flows, flow.self);
    }
  }
  // A stream that was new and is now done waits behind the others once, lest it always come first.
  if (!stream.flows.empty() || stream.turn != Turn::kNew) return;
  Unlink(stream);
  if (!old_.empty()) Link(stream, Turn::kOld);
}

// Returns the units it took.
int64_t TokenQueue::GrantTo(Flow& flow, int64_t units, StepRoom& room) {
  if (!flow.in_step) granted_.push_back(&flow);
  flow.in_step = true;
  int64_t used = 0;
  while (used < units && !room.empty() && flow.reached_item < flow.items.size()) {
    const WaitingItem& item = flow.items[flow.reached_item];
    if (item.kind != WaitingItem::Kind::kTokens) {
      ++flow.reached_item;
      ++used;
      --room.units;
    } else {
      used += GrantTokens(flow, item, units - used, room);
    }
  }
  return used;
}

int64_t TokenQueue::GrantTokens(Flow& flow, const WaitingItem& item, int64_t units, StepRoom& room) {
  const uint32_t channels = flow.session->channels;
  const int64_t cost = UnitsOf(*flow.session, item);
  const uint32_t fits = item.silent ? room.values / channels : std::min(room.values, room.forecasts) / channels;
  const uint32_t left = item.left() - flow.reached_token;
  const auto wanted = static_cast<uint32_t>(std::max<int64_t>(1, std::min(units, room.units) / cost));
  const uint32_t tokens = std::min({left, fits, wanted});
  if (tokens == 0) {  // no room for another token: the step is full
    room.units = 0;
    return 0;
  }
  flow.granted += tokens;
  flow.reached_token += tokens;
  if (flow.reached_token == item.left()) {
    ++flow.reached_item;
    flow.reached_token = 0;
  }
  room.values -= tokens * channels;
  if (!item.silent) room.forecasts -= tokens * channels;
  room.units -= tokens * cost;
  return tokens * cost;
}

}  // namespace aaren
