#include "server/queue/token_queue.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace aaren::queue {
namespace {

using Turn = Attachment::Turn;

// A session's turn is a tile of the engine, 64 tokens: smaller ones would cost more each. A stream's is half the slice
// if that is more: its answers then leave in few messages. A tenant's is as long.
constexpr int64_t kTurnUnits = 64 * TokenQueue::kForecastUnits;
constexpr int64_t kRefusalUnits = TokenQueue::kForecastUnits / 2;  // its message takes about as long
constexpr size_t kHeldReplyBytes = 192 << 10;                      // a Forecasts item holds as much

// What a token of the item costs, all channels counted.
int64_t UnitsOf(const session::Session& session, const WaitingItem& item) {
  if (item.silent) return session.channels;
  const int64_t every = session.plan->every;
  if (every == 1) return session.channels * TokenQueue::kForecastUnits;
  return session.channels * std::max<int64_t>(1, TokenQueue::kForecastUnits / every);
}

// For std::push_heap, whose front is the largest.
bool IsLater(const TenantLine* a, const TenantLine* b) { return a->pass > b->pass; }

// How many more tokens of the item fit into a reply that is not cut: its results may be all that the model has.
uint32_t MostHeld(const session::Session& session, const WaitingItem& item) {
  if (item.silent) return UINT32_MAX;
  const size_t floats = session.model->engine->result_floats() + 1;
  const size_t bytes = session.channels * floats * sizeof(float) + 2 * sizeof(int64_t);
  return static_cast<uint32_t>(std::max<size_t>(1, kHeldReplyBytes / bytes));
}

}  // namespace

float* WaitingItem::SetNumbers(absl::Span<const int64_t> times, size_t floats) {
  const size_t time_bytes = times.size() * sizeof(int64_t);
  const size_t input_bytes = floats * sizeof(float);
  std::byte* to = few;
  if (time_bytes + input_bytes > sizeof(few)) {
    many = std::make_unique_for_overwrite<std::byte[]>(time_bytes + input_bytes);
    to = many.get();
  }
  timed = !times.empty();
  if (timed) std::memcpy(to, times.data(), time_bytes);
  return reinterpret_cast<float*>(to + time_bytes);
}

size_t WaitingItem::bytes(size_t floats) const {
  const size_t token = floats * sizeof(float) + (timed ? sizeof(int64_t) : 0);
  const size_t refusal = kind == Kind::kRefusal ? sizeof(session::Refusal) + 256 : 0;  // with its texts
  return sizeof(*this) + tokens * token + refusal;
}

TenantLine& TokenQueue::LineOf(identity::Account* account) {
  std::unique_ptr<TenantLine>& tenant = tenants_[account];
  if (tenant == nullptr) tenant = std::make_unique<TenantLine>(account);
  return *tenant;
}

bool TokenQueue::Admits(const Attachment& stream, size_t bytes) const {
  if (IsFull(stream)) return false;
  // Half of what is left: however many streams are greedy, the next one finds room.
  const size_t held = stream.queued_bytes + stream.deferred_bytes;
  return held == 0 || held + bytes <= (max_bytes_ - bytes_) / 2;
}

void TokenQueue::Defer(Attachment& stream, size_t bytes) {
  stream.deferred_bytes += bytes;
  stream.tenant.bytes += bytes;
  bytes_ += bytes;
}

void TokenQueue::Undefer(Attachment& stream, size_t bytes) {
  stream.deferred_bytes -= bytes;
  stream.tenant.bytes -= bytes;
  bytes_ -= bytes;
}

void TokenQueue::Count(Attachment& stream, ptrdiff_t bytes) {
  stream.queued_bytes += static_cast<size_t>(bytes);
  stream.tenant.bytes += static_cast<size_t>(bytes);
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
  Count(stream, Flow::kBytes);
  // A stream that was idle comes before those that have waited: a ping beside a hot stream is answered at once. What it
  // owes from before stays owed, so pausing for a moment gains nothing.
  if (stream.turn == Turn::kNone) {
    stream.deficit = std::min<int64_t>(stream.deficit, 0) + kTurnUnits;
    Link(stream, Turn::kNew);
  }
  JoinLine(stream.tenant);
  return flow;
}

WaitingItem& TokenQueue::Push(session::Session& session, WaitingItem::Kind kind, trace::Mark trace) {
  WaitingItem& item = FlowOf(session).items.emplace_back();
  item.kind = kind;
  item.trace = trace;
  if (trace != 0) tracer_->Hold(trace);
  return item;
}

// The item's message, which is traced. One whose tokens were not all stepped was dropped.
void TokenQueue::LetGo(const Flow& flow, const WaitingItem& item) {
  const bool dropped = item.kind == WaitingItem::Kind::kTokens && flow.taken < item.tokens;
  if (dropped) tracer_->NoteError(item.trace, "its tokens were dropped");
  tracer_->Release(item.trace);
}

void TokenQueue::PushTokens(session::Session& session, const session::TokensView& tokens, uint32_t skip,
                            const store::TokenClock& clock, int64_t arrival_ns) {
  WaitingItem& item = Push(session, WaitingItem::Kind::kTokens, tokens.trace);
  item.silent = tokens.silent;
  item.tokens = static_cast<uint32_t>(tokens.count(session.channels)) - skip;
  item.arrival_ns = arrival_ns;
  const task::TokenNumbers fresh = tokens.From(skip, session.channels);
  float* const inputs = item.SetNumbers(fresh.times_ns, item.tokens * session.inputs_per_token());
  session.model->conversion->CopyInputs(fresh, session.channels, inputs);
  Count(*session.stream, static_cast<ptrdiff_t>(item.bytes(session.inputs_per_token())));
  session.flow->clock = clock;
  session.flow->tokens += item.tokens;
  tokens_ += item.tokens;
  if (item.trace != 0) tracer_->NoteTokens(item.trace, item.tokens);
}

void TokenQueue::PushAck(session::Session& session) {
  // Duplicates one after another are acknowledged once: a client that repeats itself costs one reply.
  Flow* flow = session.flow;
  if (flow != nullptr && !flow->items.empty() && flow->items.back().kind == WaitingItem::Kind::kAck) return;
  const WaitingItem& item = Push(session, WaitingItem::Kind::kAck);
  Count(*session.stream, static_cast<ptrdiff_t>(item.bytes(session.inputs_per_token())));
}

void TokenQueue::PushRefusal(session::Session& session, session::Refusal refusal, trace::Mark trace) {
  const WaitingItem& item = Push(session, WaitingItem::Kind::kRefusal, trace);
  Count(*session.stream, static_cast<ptrdiff_t>(item.bytes(session.inputs_per_token())));
  session.flow->refusals.emplace_back() = std::move(refusal);
}

void TokenQueue::PushClose(session::Session& session, bool delete_session) {
  WaitingItem& item = Push(session, WaitingItem::Kind::kClose);
  item.delete_session = delete_session;
  Count(*session.stream, static_cast<ptrdiff_t>(item.bytes(session.inputs_per_token())));
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
  Count(*session.stream, -static_cast<ptrdiff_t>(item.bytes(session.inputs_per_token())));
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

void TokenQueue::JoinLine(Flow& flow) {
  if (!std::exchange(flow.in_line, true)) flow.session->stream->flows.PushBack(flow);
}

void TokenQueue::LeaveLine(Flow& flow) {
  if (std::exchange(flow.in_line, false)) flow.session->stream->flows.Remove(flow);
}

void TokenQueue::EndStep() {
  for (Flow* flow : granted_) {
    if (flow == nullptr) continue;
    flow->granted = 0;
    flow->granted_items = 0;
    flow->in_step = false;
    EndPromise(*flow);
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

void TokenQueue::Link(Attachment& stream, Turn turn) {
  stream.turn = turn;
  stream.tenant.LineOf(turn).PushBack(stream);
}

void TokenQueue::Unlink(Attachment& stream) {
  if (stream.turn == Turn::kNone) return;
  stream.tenant.LineOf(stream.turn).Remove(stream);
  stream.turn = Turn::kNone;
}

// What it did not use while it had nothing waiting is lost, and what it has used beyond its share is still owed.
void TokenQueue::JoinLine(TenantLine& tenant) {
  if (std::exchange(tenant.in_line, true)) return;
  tenant.pass = std::max(tenant.pass, pass_);
  line_.push_back(&tenant);
  std::push_heap(line_.begin(), line_.end(), IsLater);
}

void TokenQueue::Resume(Attachment& stream) {
  if (stream.turn != Turn::kNone || stream.flows.empty()) return;
  Link(stream, Turn::kOld);
  JoinLine(stream.tenant);
}

// Null: there is none.
TenantLine* TokenQueue::TakeNextTenant() {
  while (!line_.empty()) {
    std::pop_heap(line_.begin(), line_.end(), IsLater);
    TenantLine& tenant = *line_.back();
    line_.pop_back();
    tenant.in_line = false;
    if (tenant.has_streams()) return &tenant;
  }
  return nullptr;
}

Attachment* TokenQueue::NextStream(TenantLine& tenant) {
  while (tenant.has_streams()) {
    Attachment& stream = *(tenant.new_streams.empty() ? tenant.old_streams : tenant.new_streams).front();
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
    TenantLine* tenant = TakeNextTenant();
    if (tenant == nullptr) break;
    ServeTenant(*tenant, room);
  }
  return granted_;
}

void TokenQueue::ServeTenant(TenantLine& tenant, StepRoom& room) {
  pass_ = tenant.pass;
  tenant.left = kTurnUnits;
  while (tenant.left > 0 && !room.empty()) {
    Attachment* stream = NextStream(tenant);
    if (stream == nullptr) break;
    ServeStream(*stream, room);
  }
  tenant.pass += static_cast<double>(kTurnUnits - tenant.left) / static_cast<double>(tenant.weight());
  if (tenant.has_streams()) JoinLine(tenant);
}

void TokenQueue::ServeStream(Attachment& stream, StepRoom& room) {
  TenantLine& tenant = stream.tenant;
  // A session's turn is not cut for its tenant's sake: what that overdraws it waits for.
  while (stream.deficit > 0 && tenant.left > 0 && !room.empty() && !stream.flows.empty()) {
    Flow& flow = *stream.flows.front();
    if (MustWait(flow)) continue;
    if (flow.deficit <= 0) flow.deficit += kTurnUnits;
    const int64_t used = GrantTo(flow, std::min(flow.deficit, stream.deficit), room);
    flow.deficit -= used;
    stream.deficit -= used;
    tenant.left -= used;
    const bool holds = flow.granted > 0 && flow.session->SavesEveryToken();
    if (holds) Promise(flow);
    if (flow.reached_item == flow.items.size() || holds) {
      LeaveLine(flow);
    } else if (flow.deficit <= 0) {
      stream.flows.Remove(flow);
      stream.flows.PushBack(flow);
    }
  }
  // A stream that was new and is now done waits behind the others once, lest it always come first.
  if (!stream.flows.empty() || stream.turn != Turn::kNew) return;
  Unlink(stream);
  if (!tenant.old_streams.empty()) Link(stream, Turn::kOld);
}

// REQUIRES: tokens wait in the flow.
const WaitingItem& TokenQueue::FirstTokens(const Flow& flow) {
  size_t i = 0;
  while (flow.items[i].kind != WaitingItem::Kind::kTokens) ++i;
  return flow.items[i];
}

// Whether tokens of the item are answered in one reply with those that are granted of the flow.
bool TokenQueue::JoinsReply(const Flow& flow, const WaitingItem& item) {
  const WaitingItem& first = FirstTokens(flow);
  return item.kind == WaitingItem::Kind::kTokens && item.silent == first.silent && item.timed == first.timed &&
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
    if (flow.granted > 0 && flow.session->SavesEveryToken() && !JoinsReply(flow, item)) break;
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
  if (flow.session->SavesEveryToken()) tokens = std::min(tokens, MostHeld(*flow.session, item) - flow.granted);
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

}  // namespace aaren::queue
