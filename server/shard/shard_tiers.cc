// Sessions on their way between the slab and the store: who leaves when rows are scarce, and how one whose stream still
// holds its handle comes back. README.md, "Where a session is", has the rules.

#include <algorithm>
#include <utility>

#include "server/session/refusal.h"
#include "server/shard/shard.h"

namespace aaren::shard {
namespace {

constexpr int kMostDemotions = 256;             // of a tick: about a millisecond
constexpr int kMostLooks = 64;                  // at sessions that cannot leave now, in search of one that can
constexpr int64_t kPatienceNs = 1'000'000'000;  // of one that comes back, until one that is never saved goes
constexpr int64_t kLingerMs = 30'000;           // a client that lost its connection is back by then
constexpr int64_t kWantsRoomMs = 1000;          // an Open that found no room asks again within about a second

}  // namespace

// The session that may leave and was used least recently; of one model, or of any. Null: there is none.
session::Session* SessionShard::LeastRecentlyUsed(const models::LoadedModel* model) {
  if (!saver_.enabled()) return nullptr;
  session::Session* attached = AttachedToLeave(model);
  session::Session* resting = resting_.Oldest(model);
  if (attached == nullptr || resting == nullptr) return attached != nullptr ? attached : resting;
  return resting->last_active_ms <= attached->last_active_ms ? resting : attached;
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
  directory_.Released(std::move(key));
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
  slab_.Join(*session.model);
  Remove(session);
}

// Forgets it; whoever calls answers for its handle.
void SessionShard::Forget(Demoted& demoted) {
  plans_.Release(demoted.plan);
  EraseDemoted(demoted);
}

void SessionShard::EraseDemoted(Demoted& demoted) {
  slab_.Leave(*rows_.model(demoted.model));
  demoted_.Remove(demoted);
  counters_.sessions_demoted.Set(demoted_.size());
}

// Called every few milliseconds, before the saves.
void SessionShard::KeepTiers() {
  const int64_t now = now_ms();
  for (int i = 0; i < kMostDemotions && slab_.IsOverfull() && EvictOne(nullptr); ++i) {
  }
  promotions_.EndPauses(saver_.hurrying() ? std::numeric_limits<int64_t>::max() : now);
  StartPromotions();
  const bool wanted = promotions_.any_waits() || now < wants_room_until_ms_;
  if (wanted) saver_.Advance(now);
  saver_.LetRest(wanted               ? std::make_optional(absl::ZeroDuration())
                 : slab_.IsOverfull() ? std::make_optional(options_.save_interval)
                                      : std::nullopt);
}

// Of models that are not offered any more. Sessions that nobody has open need not stay here for long: the store has
// them. Those that are open, be it without a row, keep their model until they end.
void SessionShard::LetModelsGo() {
  const int64_t long_ago = now_ms() - kLingerMs;
  for (const models::ModelRef& model : rows_.Retiring()) {
    for (int i = 0; i < kMostDemotions && saver_.enabled(); ++i) {
      session::Session* oldest = resting_.Oldest(model.get());
      if (oldest == nullptr || oldest->last_active_ms > long_ago) break;
      LetGo(*oldest);
    }
    rows_.Drop(*model);
  }
}

void SessionShard::WantRoom() { wants_room_until_ms_ = now_ms() + kWantsRoomMs; }

// Its tokens wait with it from now on.
Promotion& SessionShard::Promote(Demoted& demoted) {
  Promotion& promotion = promotions_.Add(demoted, next_ticket_++, clock_.NowNanos());
  StartPromotions();
  return promotion;
}

// Whether somebody waits for a row, and nobody can leave.
bool SessionShard::RowsKeepOthersWaiting() {
  const bool wanted = now_ms() < wants_room_until_ms_ || promotions_.OneWaitsSince(clock_.NowNanos() - kPatienceNs);
  return wanted && LeastRecentlyUsed(nullptr) == nullptr;
}

void SessionShard::StartPromotions() {
  promotions_.StartAll([this](Promotion& promotion) { return StartPromotion(promotion); });
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
  directory_.Promote(promotion.call);
  return true;
}

// Its rows are free again.
void SessionShard::Unstart(Promotion& promotion) {
  FreeReserved(promotion);
  promotions_.Unstart(promotion);
}

void SessionShard::EndPromotion(uint64_t ticket, const std::string& key, registrar::Promoted promoted) {
  Promotion* found = promotions_.Find(ticket);
  if (found == nullptr) {  // its stream has gone meanwhile
    if (!promoted.refusal) directory_.Released(key);
    return;
  }
  if (promoted.refusal && promoted.passing && !saver_.hurrying()) {
    Unstart(*found);
    return promotions_.Pause(*found, now_ms());
  }
  const std::unique_ptr<Promotion> promotion = promotions_.Take(ticket);
  if (promoted.refusal) {
    FailPromotion(*promotion, *promoted.refusal);
  } else if (const absl::Status status = SetRows(*promotion, promoted.rows); !status.ok()) {
    directory_.Released(key);
    FailPromotion(*promotion, session::EngineFailed(status));
  } else {
    FinishPromotion(*promotion, promoted);
  }
  StartPromotions();
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
  slab_.Join(*session.model);
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
    refused_.Remember(stream, handle);
    stream.peer.OnFailed(handle, refusal, 0);
  }
  stream.peer.OnRoom();
}

void SessionShard::LoseDemoted(const std::string& key, uint64_t epoch, const session::Refusal& refusal) {
  Demoted* demoted = demoted_.Find(key);
  if (demoted == nullptr || demoted->epoch >= epoch) return;
  if (!demoted->promoting) return FailDemoted(*demoted, refusal, /*closing=*/false);
  const uint64_t ticket = static_cast<Promotion*>(demoted->stream->handles.Find(demoted->handle))->ticket;
  FailPromotion(*promotions_.Take(ticket), refusal);
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
  const std::unique_ptr<Promotion> taken = promotions_.Take(promotion.ticket);
  Unstart(*taken);
  DropDeferred(*taken);
  Forget(*taken->demoted);
  counters_.sessions_detached.Add(1);
}

}  // namespace aaren::shard
