// Sessions on their way between the slab and the store: who leaves when rows are scarce, and how one whose stream still
// holds its handle comes back. README.md, "Where a session is", has the rules.

#include <algorithm>
#include <utility>

#include "server/registrar/registrar_impl.h"
#include "server/session/refusal.h"
#include "server/shard/shard.h"

namespace aaren::shard {
namespace {

constexpr int kMostDemotions = 256;             // of a tick: about a millisecond
constexpr int kMostLooks = 64;                  // at sessions that cannot leave now, in search of one that can
constexpr int64_t kPatienceNs = 1'000'000'000;  // of one that comes back, until one that is never saved goes
constexpr size_t kMostPromotions = 1024;        // of a shard at the registrar: each has its rows set aside
constexpr size_t kBesideCell = 24;              // of a Demoted: its places in the tables
constexpr absl::Duration kFirstRetry = absl::Milliseconds(50);
constexpr absl::Duration kLastRetry = absl::Seconds(5);
constexpr int64_t kLingerMs = 30'000;   // a client that lost its connection is back by then
constexpr int64_t kWantsRoomMs = 1000;  // an Open that found no room asks again within about a second

size_t CostOf(const Demoted& demoted) { return CellPool::Rounded(demoted.bytes()) + kBesideCell; }

const session::Session& Older(const session::Session& a, const session::Session& b) {
  return a.last_active_ms <= b.last_active_ms ? a : b;
}

}  // namespace

// The session that may leave and was used least recently; of one model, or of any. Null: there is none.
session::Session* SessionShard::LeastRecentlyUsed(const models::LoadedModel* model) {
  if (!saver_.enabled()) return nullptr;
  session::Session* found = AttachedToLeave(model);
  for (size_t i = 0; i < resting_.size(); ++i) {
    if (model != nullptr && model->index != static_cast<int>(i)) continue;
    session::Session* resting = resting_[i].front();
    if (resting == nullptr) continue;
    found = found == nullptr || &Older(*resting, *found) == resting ? resting : found;
  }
  return found;
}

// Those that are attached and saved stand in the order in which they were saved. Tokens of one may wait all the same:
// it is about to be stepped, or its client does not read.
session::Session* SessionShard::AttachedToLeave(const models::LoadedModel* model) {
  session::SessionList& saved = saver_.attached_and_saved();
  session::Session* next = saved.front();
  for (int looks = 0; looks < kMostLooks && next != nullptr; ++looks) {
    session::Session& session = *std::exchange(next, next->next);
    if (session.flow != nullptr || session.under_way || !Demoted::CanHold(session)) {
      saved.Remove(session);
      saved.PushBack(session);
    } else if (model == nullptr || session.model == model) {
      return &session;
    }
  }
  return nullptr;
}

bool SessionShard::EvictOne(const models::LoadedModel* model) {
  session::Session* session = LeastRecentlyUsed(model);
  if (session == nullptr) return false;
  if (session->stream == nullptr) {
    LetGo(*session);
    return true;
  }
  std::string key(session->key.view());
  Demote(*session);
  // Not before it counts as demoted: who takes it from the store must see whom to tell.
  registrar_.Released(std::move(key));
  return true;
}

// The row goes, the handle stays.
void SessionShard::Demote(session::Session& session) {
  Demoted& demoted = demoted_.Add(session);
  counters_.sessions_demoted.Set(demoted_.size());
  counters_.demotions.Add(1);
  session.stream->Bind(session.handle, &demoted);
  session.stream = nullptr;
  session.plan = nullptr;
  --attached_;
  if (options_.budget != nullptr) options_.budget->Take(memory::MemoryBudget::Use::kSessions, CostOf(demoted));
  Count(*session.model, 1);
  Remove(session);
}

// Forgets it; whoever calls answers for its handle.
void SessionShard::Forget(Demoted& demoted) {
  plans_.Release(demoted.plan);
  EraseDemoted(demoted);
}

void SessionShard::EraseDemoted(Demoted& demoted) {
  if (options_.budget != nullptr) options_.budget->Give(memory::MemoryBudget::Use::kSessions, CostOf(demoted));
  Count(*rows_.model(demoted.model), -1);
  demoted_.Remove(demoted);
  counters_.sessions_demoted.Set(demoted_.size());
}

bool SessionShard::IsOverfull() const { return rows_.used_bytes() > options_.max_resident_bytes; }

// Called every few milliseconds, before the saves.
void SessionShard::KeepTiers() {
  const int64_t now = now_ms();
  for (int i = 0; i < kMostDemotions && IsOverfull() && EvictOne(nullptr); ++i) {
  }
  while (!retries_.empty() && (retries_.begin()->first <= now || saver_.hurrying())) {
    const auto found = promotions_.find(retries_.begin()->second);
    if (found != promotions_.end()) PromotionsOf(found->second->demoted->model).push_back(found->first);
    retries_.erase(retries_.begin());
  }
  StartPromotions();
  const bool wanted = PromotionsWait() || now < wants_room_until_ms_;
  if (wanted) saver_.Advance(now);
  saver_.LetRest(wanted         ? std::make_optional(absl::ZeroDuration())
                 : IsOverfull() ? std::make_optional(options_.save_interval)
                                : std::nullopt);
}

// Of models that are not offered any more. Sessions that nobody has open need not stay here for long: the store has
// them. Those that are open, be it without a row, keep their model until they end.
void SessionShard::LetModelsGo() {
  const int64_t long_ago = now_ms() - kLingerMs;
  for (const models::ModelRef& model : rows_.Retiring()) {
    session::SessionList& resting = Resting(*model);
    for (int i = 0; i < kMostDemotions && saver_.enabled() && resting.front() != nullptr; ++i) {
      if (resting.front()->last_active_ms > long_ago) break;
      LetGo(*resting.front());
    }
    rows_.Drop(*model);
  }
}

void SessionShard::WantRoom() { wants_room_until_ms_ = now_ms() + kWantsRoomMs; }

// Its tokens wait with it from now on.
SessionShard::Promotion& SessionShard::Promote(Demoted& demoted) {
  const uint64_t ticket = next_ticket_++;
  auto owned = std::make_unique<Promotion>();
  Promotion& promotion = *owned;
  promotion.stream = demoted.stream;
  promotion.handle = demoted.handle;
  promotion.demoted = &demoted;
  promotion.ticket = ticket;
  promotion.began_ns = clock_.NowNanos();
  promotion.backoff = kFirstRetry;
  demoted.promoting = true;
  ++demoted.stream->promotions;
  demoted.stream->Bind(demoted.handle, &promotion);
  promotions_[ticket] = std::move(owned);
  PromotionsOf(demoted.model).push_back(ticket);
  StartPromotions();
  return promotion;
}

std::deque<uint64_t>& SessionShard::PromotionsOf(size_t model) {
  if (model >= promotions_waiting_.size()) promotions_waiting_.resize(model + 1);
  return promotions_waiting_[model];
}

bool SessionShard::PromotionsWait() const {
  return std::any_of(promotions_waiting_.begin(), promotions_waiting_.end(),
                     [](const std::deque<uint64_t>& waiting) { return !waiting.empty(); });
}

// Whether somebody waits for a row, and nobody can leave.
bool SessionShard::RowsKeepOthersWaiting() {
  const auto waits_long = [this](const std::deque<uint64_t>& waiting) {
    const auto found = waiting.empty() ? promotions_.end() : promotions_.find(waiting.front());
    return found != promotions_.end() && clock_.NowNanos() - found->second->began_ns >= kPatienceNs;
  };
  const bool wanted = now_ms() < wants_room_until_ms_ ||
                      std::any_of(promotions_waiting_.begin(), promotions_waiting_.end(), waits_long);
  return wanted && LeastRecentlyUsed(nullptr) == nullptr;
}

// Those that have waited longest, of each model in turn: one whose rows are all in use keeps no other waiting.
void SessionShard::StartPromotions() {
  bool started = true;
  while (started) {
    started = false;
    for (std::deque<uint64_t>& waiting : promotions_waiting_) started |= StartNextOf(waiting);
  }
}

// False if there is none, or no row for it.
bool SessionShard::StartNextOf(std::deque<uint64_t>& waiting) {
  if (waiting.empty() || promotions_started_ >= kMostPromotions) return false;
  const auto found = promotions_.find(waiting.front());
  if (found != promotions_.end() && !StartPromotion(*found->second)) return false;
  waiting.pop_front();
  return true;
}

// Nothing else can leave: the one used least recently of those that nobody promised to keep. It rests now, and goes.
bool SessionShard::EndNeverSaved(const models::LoadedModel& model) {
  for (session::Session* next = saver_.never_saved().front(); next != nullptr; next = next->next) {
    if (next->model != &model || next->under_way || next->held) continue;
    TakeAway(*next, session::EvictedForRoom(session::SessionId(next->key.view())), next->point.seq);
    return true;
  }
  return false;
}

bool SessionShard::StartPromotion(Promotion& promotion) {
  const Demoted& demoted = *promotion.demoted;
  const session::Footprint footprint{rows_.model(demoted.model), demoted.channels};
  absl::StatusOr<session::RowSet> rows = AllocateEvicting(footprint);
  // Others are saved and leave meanwhile, unless there are none.
  const bool patient = clock_.NowNanos() - promotion.began_ns < kPatienceNs;
  while (!rows.ok() && !patient && EndNeverSaved(*footprint.model)) rows = AllocateEvicting(footprint);
  if (!rows.ok()) return false;
  promotion.rows = *std::move(rows);
  promotion.reserved = footprint;
  promotion.call = std::make_shared<registrar::PromoteCall>();
  registrar::PromoteCall& call = *promotion.call;
  call.shard = index_;
  call.ticket = promotion.ticket;
  call.key = std::string(demoted.key());
  call.epoch = demoted.epoch;
  call.seq = demoted.seq;
  call.footprint = footprint;
  const size_t saves = demoted.undurable > 0 && demoted.durable_seq() > 0 ? 2 : 1;
  call.bytes = saves * footprint.channels * footprint.model->engine->row_bytes();
  ++promotions_started_;
  registrar_.Promote(promotion.call);
  return true;
}

// It is not at the registrar any more, or nobody waits for what comes from there.
void SessionShard::Unstart(Promotion& promotion) {
  FreeReserved(promotion);
  if (promotion.call == nullptr) return;
  promotion.call->cancelled = true;
  promotion.call.reset();
  --promotions_started_;
}

std::unique_ptr<SessionShard::Promotion> SessionShard::TakePromotion(uint64_t ticket) {
  const auto found = promotions_.find(ticket);
  if (found == promotions_.end()) return nullptr;
  std::unique_ptr<Promotion> promotion = std::move(found->second);
  promotions_.erase(found);
  --promotion->stream->promotions;
  return promotion;
}

void SessionShard::EndPromotion(uint64_t ticket, const std::string& key, registrar::Promoted promoted) {
  const auto found = promotions_.find(ticket);
  if (found == promotions_.end()) {  // its stream has gone meanwhile
    if (!promoted.refusal) registrar_.Released(key);
    return;
  }
  if (promoted.refusal && promoted.passing && !saver_.hurrying()) return RetryPromotion(*found->second);
  const std::unique_ptr<Promotion> promotion = TakePromotion(ticket);
  if (promoted.refusal) {
    FailPromotion(*promotion, *promoted.refusal);
  } else if (const absl::Status status = SetRows(*promotion, promoted.rows); !status.ok()) {
    registrar_.Released(key);
    FailPromotion(*promotion, session::EngineFailed(status));
  } else {
    FinishPromotion(*promotion, promoted);
  }
  StartPromotions();
}

void SessionShard::RetryPromotion(Promotion& promotion) {
  Unstart(promotion);
  retries_.emplace(now_ms() + absl::ToInt64Milliseconds(promotion.backoff), promotion.ticket);
  promotion.backoff = std::min(2 * promotion.backoff, kLastRetry);
}

absl::Status SessionShard::SetRows(const Promotion& promotion, absl::string_view bytes) {
  const session::Footprint& footprint = promotion.reserved;
  if (bytes.empty()) return rows_.Reset(*footprint.model, footprint.channels, promotion.rows);
  return rows_.Write(*footprint.model, footprint.channels, promotion.rows, bytes);
}

void SessionShard::FinishPromotion(Promotion& promotion, const registrar::Promoted& promoted) {
  Demoted& demoted = *promotion.demoted;
  auto made = std::make_unique<session::Session>();
  made->key = session::CompactKey(demoted.key());
  made->model = promotion.reserved.model.get();
  made->channels = promotion.reserved.channels;
  made->rows = std::move(promotion.rows);
  promotion.reserved.model = nullptr;
  Unstart(promotion);
  made->point = {demoted.seq, promoted.clock};
  made->incarnation = promoted.incarnation;
  made->attempt = promoted.attempt;
  made->last_active_ms = made->saved_active_ms = std::min(absl::ToUnixMillis(promoted.last_active), now_ms());
  demoted.Restore(*made);
  made->stream = promotion.stream;
  made->handle = promotion.handle;
  EraseDemoted(demoted);
  session::Session& session = **sessions_.insert(std::move(made)).first;
  Count(*session.model, 1);
  session.stream->Bind(session.handle, &session);
  ++attached_;
  counters_.promotions.Add(1);
  counters_.promotion_seconds.Observe(static_cast<double>(clock_.NowNanos() - promotion.began_ns) * 1e-9);
  Settle(session);
  session::Peer& peer = session.stream->peer;
  Replay(session, promotion);  // it may be closed by that
  peer.OnRoom();
}

// The session is over for its stream: what waited is dropped, and a Close that waits is answered too.
void SessionShard::FailPromotion(Promotion& promotion, const session::Refusal& refusal) {
  Unstart(promotion);
  for (const DeferredTokens& deferred : promotion.tokens) queue_.Undefer(*promotion.stream, deferred.bytes());
  DropDeferred(promotion);
  FailDemoted(*promotion.demoted, refusal, promotion.close.has_value());
}

void SessionShard::FailDemoted(Demoted& demoted, const session::Refusal& refusal, bool closing) {
  if (absl::IsAborted(refusal.status)) counters_.sessions_fenced.Add(1);
  queue::Attachment& stream = *demoted.stream;
  const session::Handle handle = demoted.handle;
  Forget(demoted);
  counters_.sessions_detached.Add(1);
  if (closing) {
    stream.Unbind(handle);
    stream.peer.OnCloseRefused(handle, refusal);
  } else {
    DropItems(stream, handle);
    stream.peer.OnFailed(handle, refusal, 0);
  }
  stream.peer.OnRoom();
}

void SessionShard::LoseDemoted(const std::string& key, uint64_t epoch, const session::Refusal& refusal) {
  Demoted* demoted = demoted_.Find(key);
  if (demoted == nullptr || demoted->epoch >= epoch) return;
  if (!demoted->promoting) return FailDemoted(*demoted, refusal, /*closing=*/false);
  const uint64_t ticket = static_cast<Promotion*>(demoted->stream->handles.Find(demoted->handle))->ticket;
  FailPromotion(*TakePromotion(ticket), refusal);
}

std::vector<bool> SessionShard::HoldsDemoted(const std::vector<std::string>& keys) {
  std::vector<bool> holds;
  for (const std::string& key : keys) holds.push_back(demoted_.Find(key) != nullptr);
  return holds;
}

void SessionShard::CloseDemoted(Demoted& demoted, const DeferredClose& close) {
  if (close.delivered_seq) demoted.OnDelivered(*close.delivered_seq);
  // Where sessions expire, the store must know that it was used until now: a session at rest tells it.
  if (options_.session_ttl > absl::ZeroDuration() && !close.delete_session) {
    Promote(demoted).close = close;
    return;
  }
  queue::Attachment& stream = *demoted.stream;
  const Closable closable{&stream,       demoted.handle, std::string(demoted.key()),
                          demoted.epoch, demoted.seq,    demoted.told_durable_seq()};
  Forget(demoted);
  counters_.sessions_detached.Add(1);
  if (close.delete_session) return DeleteClosed(closable);
  stream.Unbind(closable.handle);
  stream.peer.OnClosed(closable.handle, closable.next_seq, closable.durable_seq);
  stream.peer.OnRoom();
}

// Its stream has gone.
void SessionShard::Abandon(Promotion& promotion) {
  const std::unique_ptr<Promotion> taken = TakePromotion(promotion.ticket);
  Unstart(*taken);
  DropDeferred(*taken);
  Forget(*taken->demoted);
  counters_.sessions_detached.Add(1);
}

}  // namespace aaren::shard
