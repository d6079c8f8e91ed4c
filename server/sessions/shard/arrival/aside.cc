#include "server/sessions/shard/arrival/aside.h"

#include "server/sessions/session/refusal.h"

namespace aaren::shard {
namespace {

constexpr size_t kMostLookedAt = 1024;  // promotions that must stay: bounds the search for one message's room

}  // namespace

bool Aside::Admits(session::Peer& peer, size_t bytes) {
  const queue::Attachment& stream = handles_.Of(peer);
  const queue::QueueRoom& room = steps_.queue().room();
  const size_t needed = bytes + sizeof(DeferredTokens);
  if (room.Admits(stream, needed)) return true;
  if (!AnythingNew()) return false;
  MakeRoom(stream, needed);
  return room.Admits(stream, needed);
}

// True if tokens to set aside may have come since the last call.
bool Aside::AnythingNew() {
  const bool tokens = intake_.TakeNewTokens(), untold = residents_.TakeNewUntold(), stalls = steps_.TakeNewStalls();
  return tokens || untold || stalls;
}

void Aside::MakeRoom(const queue::Attachment& stream, size_t needed) {
  const queue::ReplyHolds& replies = steps_.queue().replies();
  session::Session* const untold = residents_.lists().untold.front();
  const bool awaited = untold != nullptr || replies.any_stalled();
  for (session::Session* session = untold; session != nullptr; session = session->next) SetAside(*session);
  replies.ForEachStalled([this](const queue::Flow& flow) {
    if (!flow.grant.in_step) SetAside(*flow.session);
  });
  if (!awaited) return;
  SetPromotionsAside(stream, needed, /*own=*/true);
  SetPromotionsAside(stream, needed, /*own=*/false);
}

void Aside::SetAside(session::Session& session) {
  if (session.closing || session.flow == nullptr) return;
  const uint64_t end = session.point.seq + session.flow->tokens;
  core_.counters.tokens_refused.Add(steps_.queue().SetAside(session, session::SetAside(end, session.point.seq)));
}

// Sets promotions aside until the stream has room: first the stream's own promotions, then promotions of streams
// with more waiting bytes. The newest go first: the sessions at the head of the line keep their tokens, and the line
// moves on however often newer sessions send tokens again.
void Aside::SetPromotionsAside(const queue::Attachment& stream, size_t needed, bool own) {
  tiers_.promotions().HandOverNewest(
      kMostLookedAt, [&] { return !steps_.queue().room().Admits(stream, needed); },
      [&](const Promotion& promotion) { return MayMakeRoom(promotion, stream, own); },
      [this](Promotion& promotion) { tiers_.SetAside(promotion); });
}

// A stream with fewer waiting bytes keeps its tokens. If the tenant's own part of the queue is full, tokens of further
// tenants stay, too: setting such tokens aside would make no room.
bool Aside::MayMakeRoom(const Promotion& promotion, const queue::Attachment& stream, bool own) const {
  const queue::Attachment& other = *promotion.stream;
  if (promotion.close.has_value() || (&other == &stream) != own) return false;
  if (own) return true;
  const queue::QueueRoom& room = steps_.queue().room();
  const bool same_tenant = &other.tenant == &stream.tenant;
  const bool tenants_part = room.HasItsPart(stream.tenant.bytes, room.bytes(), core_.options.max_queued_bytes);
  return (same_tenant || !tenants_part) &&
         other.bytes.queued + other.bytes.deferred > stream.bytes.queued + stream.bytes.deferred;
}

}  // namespace aaren::shard
