// Sessions between their tokens: what is saved and expired, and the shard's own upkeep.

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/session/refusal.h"
#include "server/shard/shard.h"

namespace aaren::shard {
namespace {

constexpr int64_t kEvictionMs = 5000;  // a session that is not saved by then stays

}  // namespace

// A session is in one list at most: of those to be saved, or of those at rest. One that is held, or that a save is
// under way of, is in none, so it is not evicted either.
void SessionShard::Settle(session::Session& session) {
  saver_.Remove(session);
  resting_.Remove(session);
  if (session.held || session.save_in_flight || session.under_way) return;
  if (saver_.NeedsSave(session)) return saver_.Queue(session, now_ms());
  if (save::Saver::AwaitsDelivery(session)) {
    may_set_aside_ = true;
    return saver_.AwaitDelivery(session, now_ms());
  }
  session.stream == nullptr ? resting_.PushBack(session) : saver_.Watch(session, now_ms());
}

void SessionShard::Remove(session::Session& session) {
  saver_.Remove(session);
  resting_.Remove(session);
  slab_.Leave(*session.model);
  slab_.Free(*session.model, session.channels, std::move(session.rows));
  sessions_.erase(sessions_.find(session.key.view()));
}

absl::StatusOr<session::RowSet> SessionShard::AllocateEvicting(const session::Footprint& footprint) {
  if (slab_.IsOverfull()) EvictOne(nullptr);
  for (;;) {
    absl::StatusOr<session::RowSet> rows = slab_.Allocate(footprint);
    if (rows.ok() || !EvictOne(footprint.model.get())) return rows;
  }
}

// The store has all of it. REQUIRES: it is at rest.
void SessionShard::LetGo(session::Session& session) {
  counters_.sessions_evicted.Add(1);
  directory_.Released(std::string(session.key.view()));
  Remove(session);
}

void SessionShard::Evict(const std::string& key, Evicted done) {
  session::Session* session = FindSettled(key);
  if (session == nullptr) return done({.gone = true, .outcome = {}});
  if (!saver_.enabled() || session->durability == session::SessionDurability::kNone) {
    return done({.gone = false, .outcome = {session::NothingIsSaved(), {}}});
  }
  if (session->stream != nullptr)
    TakeAway(*session, session::EvictedByRequest(session::SessionId(key)), session->point.seq);
  evictions_.push_back({key, now_ms() + kEvictionMs, std::move(done)});
}

// Detached sessions are saved soon, and rest then. One that has gone for another reason is nobody's to wait for.
void SessionShard::EndEvictions() {
  for (size_t i = 0; i < evictions_.size();) {
    session::Session* session = Find(evictions_[i].key);
    const bool rests = session != nullptr && session->list == session::Session::List::kResting;
    if (session != nullptr && !rests && now_ms() < evictions_[i].deadline_ms) {
      ++i;
      continue;
    }
    Eviction eviction = std::move(evictions_[i]);
    evictions_.erase(evictions_.begin() + static_cast<ptrdiff_t>(i));
    registrar::OwnerReply<std::monostate> reply{.gone = session == nullptr, .outcome = {}};
    if (rests) {
      LetGo(*session);
    } else if (session != nullptr) {
      reply.outcome.refusal = session::NotEvicted(session::SessionId(eviction.key));
    }
    eviction.done(std::move(reply));
  }
}

void SessionShard::SavesDone(const std::vector<save::SaveResult>& results) {
  saver_.BatchDone();
  const bool traced = options_.tracer != nullptr && options_.tracer->follows_saves();
  bool any_stored = false;
  for (const save::SaveResult& result : results) {
    if (traced) options_.tracer->EndSave(result.key, result.seq, result.written.status);
    session::Session* session = absl::IsAborted(result.written.status) ? FindSettled(result.key) : Find(result.key);
    // It has left, or was deleted and made anew under the same name: the result is of the one before.
    if (session == nullptr || session->incarnation != result.incarnation) continue;
    session->save_in_flight = false;
    if (!result.written.status.ok()) {
      OnSaveFailed(*session, result);
      continue;
    }
    any_stored = true;
    OnStored(*session, result);
  }
  if (!any_stored && !results.empty()) saver_.Pause(now_ms());
  if (saver_.leaves() && any_stored) StartSaves();  // else with the next tick
  StartPromotions();
}

void SessionShard::OnStored(session::Session& session, const save::SaveResult& result) {
  counters_.saves.Add(1);
  const uint64_t told = session.told_durable_seq();
  const bool advanced = save::Saver::OnSaved(session, result);
  EndWaitForStore(session);
  Settle(session);
  if (session.stream == nullptr || session.AwaitsSave()) return;
  // With tokens in its flow the next reply tells durable_seq, and needs no message of its own.
  if (session.flow == nullptr && (advanced || session.told_durable_seq() > told)) {
    session.stream->peer.OnAcked(session.handle, session.point.seq, session.told_durable_seq());
  }
  stepper_.Release(session);
  queue_.Unhold(session);
}

void SessionShard::SendSaves(std::vector<store::SaveWrite> saves) {
  if (options_.tracer != nullptr && options_.tracer->follows_saves()) {
    for (const store::SaveWrite& save : saves) options_.tracer->BeginSave(save.header.key);
  }
  directory_.Save(index_, std::move(saves));
}

// Rows are copied between two steps.
void SessionShard::StartSaves() {
  saves_wait_ = stepper_.under_way();
  if (saves_wait_) return;
  do {
    if (saver_.StartDue(now_ms()).ok()) continue;
    return counters_.save_failures.Add(1);
  } while (saver_.MayStartAnother(now_ms()));
}

void SessionShard::OnSaveFailed(session::Session& session, const save::SaveResult& result) {
  counters_.save_failures.Add(1);
  // Whoever holds it meets the same refusal, and decides.
  if (!absl::IsAborted(result.written.status) || session.held) {
    counters_.saves_retried.Add(1);
    session.unsavable = absl::IsDataLoss(result.written.status);
    if (session.unsavable) EndWaitForStore(session);
    Settle(session);
    if (session.list != session::Session::List::kUnsaved && session.list != session::Session::List::kUrgent) return;
    saver_.Remove(session);
    return saver_.QueueLater(session, now_ms());
  }
  // Another server has the session now, or has deleted it: what is here is no longer its state.
  session.stream != nullptr ? Fence(session, result.written.current_epoch) : counters_.sessions_fenced.Add(1);
  directory_.Released(std::string(session.key.view()));
  Remove(session);
}

void SessionShard::Swept(size_t expired) { counters_.sessions_expired.Add(expired); }

bool SessionShard::DrainMailbox(size_t at_most) {
  const bool any = mailbox_.Drain(at_most);
  if (any) UpdateLevels();
  return any;
}

bool SessionShard::DrainMailboxFor(absl::Duration at_most) {
  const bool any = mailbox_.DrainFor(at_most, clock_);
  if (any) UpdateLevels();
  return any;
}

void SessionShard::Tick() {
  KeepTiers();
  if (models_.any_retiring()) LetModelsGo();
  StartSaves();
  WatchStore();
  EndUntold();
  EndEvictions();
  if (options_.session_ttl > absl::ZeroDuration()) ExpireIdle();
  UpdateLevels();
}

// Those whose clients do not tell what they have. Where their held replies or their rows keep others waiting, they go
// sooner. A row comes only once it is saved: so one a tick.
void SessionShard::EndUntold() {
  const auto id = [](const session::Session& session) { return session::SessionId(session.key.view()); };
  while (session::Session* session = saver_.Untold(now_ms(), /*in_the_way=*/false)) {
    TakeAway(*session, session::Untold(id(*session), session->newest_save()), session->point.seq);
  }
  while (!queue_.replies().has_room() && EndUntoldInTheWay()) {
  }
  if (RowsKeepOthersWaiting()) EndUntoldInTheWay();
}

bool SessionShard::EndUntoldInTheWay() {
  session::Session* session = saver_.Untold(now_ms(), /*in_the_way=*/true);
  if (session == nullptr) return false;
  TakeAway(*session, session::GaveWay(session::SessionId(session->key.view())), session->point.seq);
  return true;
}

// One shard asks for all.
void SessionShard::WatchStore() {
  constexpr int64_t kPauseMs = 1000;
  const int64_t now = now_ms();
  if (index_ != 0 || now < next_watch_ms_) return;
  next_watch_ms_ = now + kPauseMs;
  directory_.WatchStore();
}

void SessionShard::ExpireIdle() {
  const int64_t now = now_ms();
  const int64_t ttl_ms = absl::ToInt64Milliseconds(options_.session_ttl);
  while (session::Session* idle = resting_.IdleSince(now - ttl_ms)) Expire(*idle);
  // The sessions at rest are in the one store, so one shard asks for all.
  if (index_ != 0 || now < next_sweep_ms_) return;
  next_sweep_ms_ = now + std::clamp<int64_t>(ttl_ms / 10, 1000, 60000);
  directory_.Sweep(options_.session_ttl);
}

void SessionShard::Expire(session::Session& session) {
  resting_.Remove(session);
  const registrar::DropCondition condition{session.epoch, clock_.Now() - options_.session_ttl};
  const std::string key(session.key.view());
  // The store has to forget it first: else it would come back with its next Open.
  directory_.Delete(key, condition, [this, key](session::Outcome<std::monostate> outcome) {
    mailbox_.Post([this, key, expired = !outcome.refusal] {
      if (expired) counters_.sessions_expired.Add(1);
      session::Session* left = Find(key);
      if (left != nullptr && left->list == session::Session::List::kNone) Settle(*left);
    });
  });
}

bool SessionShard::TokensWait() const {
  return queue_.tokens() > 0 || queue_.replies().bytes() > 0 || !promotions_.empty();
}

bool SessionShard::Busy() const {
  return stepper_.under_way() || !openings_.empty() || !closings_.empty() || promotions_.started() > 0 || saver_.busy();
}

void SessionShard::SaveEarly() {
  saver_.Leave(now_ms());
  StartSaves();
}

void SessionShard::SaveAll() {
  saver_.Hurry();
  StartSaves();
}

void SessionShard::UpdateLevels() {
  counters_.sessions_resident.Set(sessions_.size());
  counters_.sessions_attached.Set(attached_);
  rows_.PublishLevels();
  counters_.slots_used.Set(rows_.used_rows());
  counters_.slots_capacity.Set(rows_.capacity_rows());
  counters_.state_bytes.Set(rows_.used_bytes());
  counters_.queued_tokens.Set(queue_.tokens() + deferred_.tokens());
  counters_.queued_bytes.Set(queue_.room().bytes());
  counters_.held_bytes.Set(queue_.replies().bytes());
  counters_.streams.Set(streams_.size());
  counters_.sessions_stalled.Set(stalled_);
}

}  // namespace aaren::shard
