#include "server/shard/token_queue.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace aaren::shard {
namespace {

using Turn = Attachment::Turn;

// A session's turn is a tile of the engine, 64 tokens: smaller ones would cost more each. A stream's is half the slice
// if that is more: its answers then leave in few messages.
constexpr int64_t kTurnUnits = 64 * TokenQueue::kForecastUnits;
constexpr int64_t kRefusalUnits = TokenQueue::kForecastUnits / 2;  // its message takes about as long
constexpr size_t kRefusalBytes = sizeof(session::Refusal) + 256;   // with its texts
constexpr size_t kHeldReplyBytes = 192 << 10;                      // a Forecasts item holds as much
constexpr size_t kFlowBytes = 256;                                 // of memory, about
constexpr size_t kKeptItems = 16;                                  // in the queue of a flow that waits to be used again
constexpr size_t kKeptFlows = 4096;                                // of which, when none is in use, so many are kept

// What a token of the item costs, all channels counted.
int64_t UnitsOf(const session::Session& session, const WaitingItem& item) {
  if (item.silent) return session.channels;
  const int64_t every = session.plan->every;
  if (every == 1) return session.channels * TokenQueue::kForecastUnits;
  return session.channels * std::max<int64_t>(1, TokenQueue::kForecastUnits / every);
}

// How many more tokens of the item fit into a reply that is not cut: its results may be all that the model has.
uint32_t MostHeld(const session::Session& session, const WaitingItem& item) {
  if (item.silent) return UINT32_MAX;
  const package::ForecasterConfig& config = session.model->engine->config();
  const size_t floats = static_cast<size_t>(config.horizon) * config.quantiles.size() + 1;
  const size_t bytes = session.channels * floats * sizeof(float) + 2 * sizeof(int64_t);
  return static_cast<uint32_t>(std::max<size_t>(1, kHeldReplyBytes / bytes));
}

bool SavesEvery(const session::Session& session) {
  return session.durability == session::SessionDurability::kEveryToken;
}

// Bytes of memory that an item takes, about.
size_t BytesOf(const session::Session& session, const WaitingItem& item) {
  const size_t token = session.channels * sizeof(float) + (item.timed ? sizeof(int64_t) : 0);
  return sizeof(WaitingItem) + item.tokens * token + (item.kind == WaitingItem::Kind::kRefusal ? kRefusalBytes : 0);
}

}  // namespace

void WaitingItem::SetNumbers(absl::Span<const float> values, absl::Span<const int64_t> times) {
  const size_t time_bytes = times.size() * sizeof(int64_t);
  const size_t value_bytes = values.size() * sizeof(float);
  std::byte* to = few;
  if (time_bytes + value_bytes > sizeof(few)) {
    many = std::make_unique_for_overwrite<std::byte[]>(time_bytes + value_bytes);
    to = many.get();
  }
  timed = !times.empty();
  if (timed) std::memcpy(to, times.data(), time_bytes);
  std::memcpy(to + time_bytes, values.data(), value_bytes);
}

bool TokenQueue::Admits(const Attachment& stream, size_t bytes) const {
  if (bytes_ >= max_bytes_) return false;
  // Half of what is left: however many streams are greedy, the next one finds room.
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

Flow& TokenQueue::FlowOf(session::Session& session) {
  if (session.flow != nullptr) return *session.flow;
  Attachment& stream = *session.stream;
  if (free_.empty()) free_.push_back(&flows_.emplace_back());
  Flow& flow = *free_.back();
  free_.pop_back();
  flow.session = &session;
  flow.clock = session.point.clock;
  JoinLine(flow);
  session.flow = &flow;
  Count(stream, kFlowBytes);
  // A stream that was idle comes before those that have waited: a ping beside a hot stream is answered at once. What it
  // owes from before stays owed, so pausing for a moment gains nothing.
  if (stream.turn == Turn::kNone) {
    stream.deficit = std::min<int64_t>(stream.deficit, 0) + kTurnUnits;
    Link(stream, Turn::kNew);
  }
  return flow;
}

WaitingItem& TokenQueue::Push(session::Session& session, WaitingItem::Kind kind) {
  WaitingItem& item = FlowOf(session).items.emplace_back();
  item.kind = kind;
  return item;
}

void TokenQueue::PushTokens(session::Session& session, const session::TokensView& tokens, uint32_t skip,
                            const store::TokenClock& clock, int64_t arrival_ns) {
  const absl::Span<const float> values = tokens.values.subspan(size_t{skip} * session.channels);
  WaitingItem& item = Push(session, WaitingItem::Kind::kTokens);
  item.silent = tokens.silent;
  item.tokens = static_cast<uint32_t>(tokens.count(session.channels)) - skip;
  item.arrival_ns = arrival_ns;
  item.SetNumbers(values, tokens.times_ns.empty() ? tokens.times_ns : tokens.times_ns.subspan(skip));
  Count(*session.stream, static_cast<ptrdiff_t>(BytesOf(session, item)));
  session.flow->clock = clock;
  session.flow->tokens += item.tokens;
  tokens_ += item.tokens;
}

void TokenQueue::PushAck(session::Session& session) {
  // Duplicates one after another are acknowledged once: a client that repeats itself costs one reply.
  Flow* flow = session.flow;
  if (flow != nullptr && !flow->items.empty() && flow->items.back().kind == WaitingItem::Kind::kAck) return;
  const WaitingItem& item = Push(session, WaitingItem::Kind::kAck);
  Count(*session.stream, static_cast<ptrdiff_t>(BytesOf(session, item)));
}

void TokenQueue::PushRefusal(session::Session& session, session::Refusal refusal) {
  const WaitingItem& item = Push(session, WaitingItem::Kind::kRefusal);
  Count(*session.stream, static_cast<ptrdiff_t>(BytesOf(session, item)));
  session.flow->refusals.emplace_back() = std::move(refusal);
}

void TokenQueue::PushClose(session::Session& session, bool delete_session) {
  WaitingItem& item = Push(session, WaitingItem::Kind::kClose);
  item.delete_session = delete_session;
  Count(*session.stream, static_cast<ptrdiff_t>(BytesOf(session, item)));
}

void TokenQueue::TakeTokens(Flow& flow, uint32_t tokens) {
  flow.taken += tokens;
  flow.tokens -= tokens;
  tokens_ -= tokens;
  if (flow.taken == flow.items.front().tokens) PopFront(flow);
}

void TokenQueue::PopFront(Flow& flow) {
  const session::Session& session = *flow.session;
  Count(*session.stream, -static_cast<ptrdiff_t>(BytesOf(session, flow.items.front())));
  flow.items.pop_front();
  flow.taken = 0;
}

session::Refusal TokenQueue::PopRefusal(Flow& flow) {
  session::Refusal refusal = std::move(flow.refusals.front());
  flow.refusals.pop_front();
  PopFront(flow);
  return refusal;
}

void TokenQueue::JoinLine(Flow& flow) {
  if (!std::exchange(flow.in_line, true)) flow.session->stream->flows.PushBack(flow);
}

void TokenQueue::LeaveLine(Flow& flow) {
  if (std::exchange(flow.in_line, false)) flow.session->stream->flows.Remove(flow);
}

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
  if (!SavesEvery(*flow.session)) return false;
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
  Count(*flow.session->stream, -static_cast<ptrdiff_t>(kFlowBytes));
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

void TokenQueue::EndStep() {
  for (Flow* flow : granted_) {
    if (flow == nullptr) continue;
    flow->granted = 0;
    flow->granted_items = 0;
    flow->in_step = false;
    if (flow->session->AwaitsSave() || flow->stalled) continue;  // Unhold, Unstall
    if (flow->items.empty()) {
      Release(*flow);
    } else {
      JoinLine(*flow);
      Resume(*flow->session->stream);
    }
  }
  granted_.clear();
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
  flow.aside = kFlowBytes;
  if (!flow.items.empty()) flow.aside += BytesOf(session, flow.items.front());
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

void TokenQueue::Link(Attachment& stream, Turn turn) {
  stream.turn = turn;
  LineOf(turn).PushBack(stream);
}

void TokenQueue::Unlink(Attachment& stream) {
  if (stream.turn == Turn::kNone) return;
  LineOf(stream.turn).Remove(stream);
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
      stream.deficit += stream_turn_;
      Unlink(stream);
      Link(stream, Turn::kOld);
    } else {
      return &stream;
    }
  }
  return nullptr;
}

absl::Span<Flow* const> TokenQueue::Grant(StepRoom& room) {
  stream_turn_ = std::max(kTurnUnits, room.units / 2);
  while (!room.empty()) {
    Attachment* stream = NextStream();
    if (stream == nullptr) break;
    ServeStream(*stream, room);
  }
  return granted_;
}

void TokenQueue::ServeStream(Attachment& stream, StepRoom& room) {
  while (stream.deficit > 0 && !room.empty() && !stream.flows.empty()) {
    Flow& flow = *stream.flows.front();
    if (MustWait(flow)) continue;
    if (flow.deficit <= 0) flow.deficit += kTurnUnits;
    const int64_t used = GrantTo(flow, std::min(flow.deficit, stream.deficit), room);
    flow.deficit -= used;
    stream.deficit -= used;
    if (flow.reached_item == flow.items.size() || (flow.granted > 0 && SavesEvery(*flow.session))) {
      LeaveLine(flow);
    } else if (flow.deficit <= 0) {
      stream.flows.Remove(flow);
      stream.flows.PushBack(flow);
    }
  }
  // A stream that was new and is now done waits behind the others once, lest it always come first.
  if (!stream.flows.empty() || stream.turn != Turn::kNew) return;
  Unlink(stream);
  if (!old_.empty()) Link(stream, Turn::kOld);
}

// Whether tokens of the item are answered in one reply with those that are granted of the flow.
bool TokenQueue::JoinsReply(const Flow& flow, const WaitingItem& item) {
  const WaitingItem* first = nullptr;
  for (size_t i = 0; first == nullptr || first->kind != WaitingItem::Kind::kTokens; ++i) first = &flow.items[i];
  return item.kind == WaitingItem::Kind::kTokens && item.silent == first->silent && item.timed == first->timed &&
         flow.granted < MostHeld(*flow.session, item);
}

// Returns the units it took.
int64_t TokenQueue::GrantTo(Flow& flow, int64_t units, StepRoom& room) {
  if (!flow.in_step) {
    granted_.push_back(&flow);
    flow.in_step = true;
    flow.reached_item = 0;
    flow.reached_token = flow.taken;
  }
  int64_t used = 0;
  while (used < units && !room.empty() && flow.reached_item < flow.items.size()) {
    const WaitingItem& item = flow.items[flow.reached_item];
    if (flow.granted > 0 && SavesEvery(*flow.session) && !JoinsReply(flow, item)) break;
    if (item.kind == WaitingItem::Kind::kTokens) {
      used += GrantTokens(flow, item, units - used, room);
    } else {
      const int64_t cost = item.kind == WaitingItem::Kind::kRefusal ? kRefusalUnits : 1;
      ++flow.granted_items;
      ++flow.reached_item;
      used += cost;
      room.units -= cost;
    }
  }
  return used;
}

int64_t TokenQueue::GrantTokens(Flow& flow, const WaitingItem& item, int64_t units, StepRoom& room) {
  const uint32_t channels = flow.session->channels;
  const int64_t cost = UnitsOf(*flow.session, item);
  const uint32_t values = item.silent ? room.values : std::min(room.values, room.forecasts);
  const uint32_t left = item.tokens - flow.reached_token;
  uint32_t tokens = left;
  units = std::min(units, room.units);
  if (left * cost > units || size_t{left} * channels > values) {  // not all of it
    tokens = std::min({left, values / channels, static_cast<uint32_t>(std::max<int64_t>(1, units / cost))});
  }
  if (SavesEvery(*flow.session)) tokens = std::min(tokens, MostHeld(*flow.session, item) - flow.granted);
  if (tokens == 0) {  // no room for another token: the step is full
    room.values = 0;
    return 0;
  }
  flow.granted += tokens;
  flow.reached_token += tokens;
  if (tokens == left) {
    ++flow.reached_item;
    flow.reached_token = 0;
  }
  room.values -= tokens * channels;
  if (!item.silent) room.forecasts -= tokens * channels;
  room.units -= tokens * cost;
  return tokens * cost;
}

}  // namespace aaren::shard
