#include "server/sessions/shard/departure/expiry.h"

#include <algorithm>
#include <string>
#include <utility>

#include "server/sessions/session/refusal.h"

namespace aaren::shard {
namespace {

constexpr int64_t kWatchMs = 1000;                              // between two looks after the store
constexpr int64_t kLeastSweepMs = 1000, kMostSweepMs = 60'000;  // between two sweeps; a tenth of the time to live

absl::string_view IdOf(const session::Session& session) { return session::SessionId(session.key.view()); }

}  // namespace

void Expiry::Tick() {
  WatchStore();
  EndUntold();
  departures_.EndEvictions();
  if (core_.expires()) ExpireIdle();
}

void Expiry::WatchStore() {
  const int64_t now = core_.now_ms();
  if (core_.index != 0 || now < next_watch_ms_) return;
  next_watch_ms_ = now + kWatchMs;
  core_.directory.WatchStore();
}

// A session with a wanted row, or a held reply in a full queue, ends sooner. A row is free only after a save, so at
// most one session a tick ends for a row.
void Expiry::EndUntold() {
  while (session::Session* session = residents_.saver().Untold(core_.now_ms(), /*in_the_way=*/false)) {
    departures_.TakeAway(*session, session::Untold(IdOf(*session), session->newest_save()), session->point.seq);
  }
  while (!steps_.queue().replies().has_room() && EndUntoldInTheWay()) {
  }
  if (tiers_.RowsKeepOthersWaiting()) EndUntoldInTheWay();
}

bool Expiry::EndUntoldInTheWay() {
  session::Session* session = residents_.saver().Untold(core_.now_ms(), /*in_the_way=*/true);
  if (session == nullptr) return false;
  departures_.TakeAway(*session, session::GaveWay(IdOf(*session)), session->point.seq);
  return true;
}

// All sessions at rest are in the same store, so the first shard sweeps for every shard.
void Expiry::ExpireIdle() {
  const int64_t now = core_.now_ms();
  const int64_t ttl_ms = absl::ToInt64Milliseconds(core_.options.session_ttl);
  while (session::Session* idle = residents_.resting().IdleSince(now - ttl_ms)) Expire(*idle);
  if (core_.index != 0 || now < next_sweep_ms_) return;
  next_sweep_ms_ = now + std::clamp(ttl_ms / 10, kLeastSweepMs, kMostSweepMs);
  core_.directory.Sweep(core_.options.session_ttl);
}

// The store forgets the session first: otherwise the next Open would bring the session back.
void Expiry::Expire(session::Session& session) {
  residents_.BeginExpiry(session);
  const registrar::DropCondition condition{session.epoch, core_.clock.Now() - core_.options.session_ttl};
  const std::string key(session.key.view());
  core_.directory.Delete(key, condition, [this, key](session::Outcome<std::monostate> outcome) {
    core_.mailbox.Post([this, key, expired = !outcome.refusal] {
      if (expired) core_.counters.sessions_expired.Add(1);
      if (session::Session* left = residents_.Find(key)) residents_.EndExpiry(*left);
    });
  });
}

}  // namespace aaren::shard
