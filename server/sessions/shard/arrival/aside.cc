#include "server/sessions/shard/arrival/aside.h"

#include "server/sessions/session/refusal.h"

namespace aaren::shard {
namespace {

constexpr size_t kMostLookedAt = 1024;  // promotions, for the room of one message

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

// True if something came since the last look that may be set aside.
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

// Sets aside no more promotions than make room: first those of the stream, then those of streams with more waiting. The
// newest go first: the sessions that have waited longest keep their tokens, so the line moves on however often others
// send theirs again.
void Aside::SetPromotionsAside(const queue::Attachment& stream, size_t needed, bool own) {
  tiers_.promotions().HandOverNewest(
      kMostLookedAt, [&] { return !steps_.queue().room().Admits(stream, needed); },
      [&](const Promotion& promotion) { return MayMakeRoom(promotion, stream, own); },
      [this](Promotion& promotion) { tiers_.SetAside(promotion); });
}

// A stream with less waiting keeps its tokens. Another tenant's tokens stay where the tenant's own part is full:
// setting them aside would make no room.
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
