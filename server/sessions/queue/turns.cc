#include "server/sessions/queue/turns.h"

#include <algorithm>
#include <utility>

namespace aaren::queue {
namespace {

using Turn = Attachment::Turn;

// A session's turn is a tile of the engine, 64 tokens: a smaller turn would cost more for each token. A stream's turn
// is at least as long, and half of the slice if longer, to send the answers in few messages. A tenant's turn is as long
// as a session's.
constexpr int64_t kTurnUnits = 64 * Turns::kForecastUnits;
constexpr int64_t kRefusalUnits = Turns::kForecastUnits / 2;  // about the cost of the message
constexpr size_t kHeldReplyBytes = 192 << 10;                 // a Forecasts item's most, before rpc/ cuts the item

// A selection of so many numbers costs as much as a forecast.
constexpr int64_t kSelectedNumbers = 1024;

// The cost of a token of the item, for all channels.
int64_t UnitsOf(const session::Session& session, const WaitingItem& item) {
  if (item.silent) return session.channels;
  const int64_t every = session.plan->every;
  const int64_t forecasts = 1 + static_cast<int64_t>(session.plan->selected()) / kSelectedNumbers;
  if (every == 1) return session.channels * Turns::kForecastUnits * forecasts;
  return session.channels * std::max<int64_t>(1, Turns::kForecastUnits * forecasts / every);
}

// For std::push_heap, with the largest at the front.
bool IsLater(const TenantLine* a, const TenantLine* b) { return a->pass > b->pass; }

// How many tokens fit into an uncut reply of rpc/, if a result has all numbers of the model.
uint32_t MostHeld(const session::Session& session, const WaitingItem& item) {
  if (item.silent) return UINT32_MAX;
  const size_t floats = session.result_floats() + 1;
  const size_t bytes = session.channels * floats * sizeof(float) + 2 * sizeof(int64_t);
  return static_cast<uint32_t>(std::max<size_t>(1, kHeldReplyBytes / bytes));
}

// REQUIRES: tokens wait in the flow.
const WaitingItem& FirstTokens(const Flow& flow) {
  size_t i = 0;
  while (flow.items[i].kind != WaitingItem::Kind::kTokens) ++i;
  return flow.items[i];
}

// True if one reply answers the tokens of the item together with the granted tokens of the flow.
bool JoinsReply(const Flow& flow, const WaitingItem& item) {
  const WaitingItem& first = FirstTokens(flow);
  return item.kind == WaitingItem::Kind::kTokens && item.silent == first.silent && item.timed == first.timed &&
         flow.grant.tokens < MostHeld(*flow.session, item);
}

}  // namespace

void Turns::Join(Flow& flow) {
  if (!std::exchange(flow.in_line, true)) flow.session->stream->flows.PushBack(flow);
}

void Turns::Leave(Flow& flow) {
  if (std::exchange(flow.in_line, false)) flow.session->stream->flows.Remove(flow);
}

// An idle stream comes before waiting streams. Overdrawn units from before stay owed, so a stream gains nothing by
// pausing for a moment.
void Turns::Begin(Flow& flow) {
  Join(flow);
  Attachment& stream = *flow.session->stream;
  if (stream.turn == Turn::kNone) {
    stream.deficit = std::min<int64_t>(stream.deficit, 0) + kTurnUnits;
    Link(stream, Turn::kNew);
  }
  Join(stream.tenant);
}

void Turns::Resume(Flow& flow) {
  Join(flow);
  Resume(*flow.session->stream);
}

void Turns::Resume(Attachment& stream) {
  if (stream.turn != Turn::kNone || stream.flows.empty()) return;
  Link(stream, Turn::kOld);
  Join(stream.tenant);
}

void Turns::Link(Attachment& stream, Turn turn) {
  stream.turn = turn;
  stream.tenant.LineOf(turn).PushBack(stream);
}

void Turns::Unlink(Attachment& stream) {
  if (stream.turn == Turn::kNone) return;
  stream.tenant.LineOf(stream.turn).Remove(stream);
  stream.turn = Turn::kNone;
}

// Units unused while a tenant had nothing waiting are lost; units beyond the tenant's share stay owed.
void Turns::Join(TenantLine& tenant) {
  if (std::exchange(tenant.in_line, true)) return;
  tenant.pass = std::max(tenant.pass, pass_);
  line_.push_back(&tenant);
  std::push_heap(line_.begin(), line_.end(), IsLater);
}

// Null: no tenant has a stream with a turn.
TenantLine* Turns::TakeNextTenant() {
  while (!line_.empty()) {
    std::pop_heap(line_.begin(), line_.end(), IsLater);
    TenantLine& tenant = *line_.back();
    line_.pop_back();
    tenant.in_line = false;
    if (tenant.has_streams()) return &tenant;
  }
  return nullptr;
}

Attachment* Turns::NextStream(TenantLine& tenant) const {
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

absl::Span<Flow* const> Turns::Grant(StepRoom& room) {
  stream_turn_ = std::max(kTurnUnits, room.units / 2);
  while (!room.empty()) {
    TenantLine* tenant = TakeNextTenant();
    if (tenant == nullptr) break;
    ServeTenant(*tenant, room);
  }
  return granted_;
}

void Turns::ServeTenant(TenantLine& tenant, StepRoom& room) {
  pass_ = tenant.pass;
  tenant.left = kTurnUnits;
  while (tenant.left > 0 && !room.empty()) {
    Attachment* stream = NextStream(tenant);
    if (stream == nullptr) break;
    ServeStream(*stream, room);
  }
  tenant.pass += static_cast<double>(kTurnUnits - tenant.left) / static_cast<double>(tenant.weight());
  if (tenant.has_streams()) Join(tenant);
}

void Turns::ServeStream(Attachment& stream, StepRoom& room) {
  TenantLine& tenant = stream.tenant;
  // The end of a tenant's turn does not cut a session's turn: the tenant waits for the overdrawn units.
  while (stream.deficit > 0 && tenant.left > 0 && !room.empty() && !stream.flows.empty()) {
    Flow& flow = *stream.flows.front();
    if (MustWait(flow)) continue;
    if (flow.deficit <= 0) flow.deficit += kTurnUnits;
    const int64_t used = GrantTo(flow, std::min(flow.deficit, stream.deficit), room);
    flow.deficit -= used;
    stream.deficit -= used;
    tenant.left -= used;
    const bool holds = flow.grant.tokens > 0 && flow.session->SavesEveryToken();
    if (holds) replies_.Promise(flow, FirstTokens(flow).silent ? 0 : flow.grant.tokens);
    if (flow.grant.reached_item == flow.items.size() || holds) {
      Leave(flow);
    } else if (flow.deficit <= 0) {
      stream.flows.Remove(flow);
      stream.flows.PushBack(flow);
    }
  }
  // After a turn a new stream waits behind the old streams once; otherwise the new stream would always come first.
  if (!stream.flows.empty() || stream.turn != Turn::kNew) return;
  Unlink(stream);
  if (!tenant.old_streams.empty()) Link(stream, Turn::kOld);
}

// True if the flow has no turn for now: the reply waits for a save, or the stream may hold no more replies.
bool Turns::MustWait(Flow& flow) {
  if (!flow.session->SavesEveryToken()) return false;
  const bool awaits_save = flow.session->AwaitsSave();
  if (!awaits_save && replies_.MayHold(*flow.session->stream, 0)) return false;
  Leave(flow);
  if (!awaits_save) replies_.Stall(flow);
  return true;
}

// Returns the used units.
int64_t Turns::GrantTo(Flow& flow, int64_t units, StepRoom& room) {
  StepGrant& grant = flow.grant;
  if (!grant.in_step) {
    granted_.push_back(&flow);
    grant.in_step = true;
    grant.reached_item = 0;
    grant.reached_token = flow.taken;
  }
  int64_t used = 0;
  while (used < units && !room.empty() && grant.reached_item < flow.items.size()) {
    const WaitingItem& item = flow.items[grant.reached_item];
    if (grant.tokens > 0 && flow.session->SavesEveryToken() && !JoinsReply(flow, item)) break;
    if (item.kind == WaitingItem::Kind::kTokens) {
      used += GrantTokens(flow, item, units - used, room);
    } else {
      const int64_t cost = item.kind == WaitingItem::Kind::kRefusal ? kRefusalUnits : 1;
      ++grant.items;
      ++grant.reached_item;
      used += cost;
      room.units -= cost;
    }
  }
  return used;
}

int64_t Turns::GrantTokens(Flow& flow, const WaitingItem& item, int64_t units, StepRoom& room) {
  StepGrant& grant = flow.grant;
  const uint32_t channels = flow.session->channels;
  const int64_t cost = UnitsOf(*flow.session, item);
  const uint32_t values = item.silent ? room.values : std::min(room.values, room.forecasts);
  const uint32_t left = item.tokens - grant.reached_token;
  uint32_t tokens = left;
  units = std::min(units, room.units);
  if (left * cost > units || size_t{left} * channels > values) {  // a part of the item
    tokens = std::min({left, values / channels, static_cast<uint32_t>(std::max<int64_t>(1, units / cost))});
  }
  if (flow.session->SavesEveryToken()) tokens = std::min(tokens, MostHeld(*flow.session, item) - grant.tokens);
  if (tokens == 0) {  // no room for another token: the step is full
    room.values = 0;
    return 0;
  }
  grant.tokens += tokens;
  grant.reached_token += tokens;
  if (tokens == left) {
    ++grant.reached_item;
    grant.reached_token = 0;
  }
  room.values -= tokens * channels;
  if (!item.silent) room.forecasts -= tokens * channels;
  room.units -= tokens * cost;
  return tokens * cost;
}

void Turns::Forget(Flow& flow) {
  if (flow.grant.in_step) std::replace(granted_.begin(), granted_.end(), &flow, static_cast<Flow*>(nullptr));
}

void Turns::EndStep(absl::FunctionRef<void(Flow&)> end) {
  for (Flow* flow : granted_) {
    if (flow == nullptr) continue;
    flow->grant = {};
    end(*flow);
  }
  granted_.clear();
}

}  // namespace aaren::queue
