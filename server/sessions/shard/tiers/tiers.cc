#include "server/sessions/shard/tiers/tiers.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "server/sessions/session/refusal.h"

namespace aaren::shard {
namespace {

constexpr int kMostDemotions = 256;             // in a tick: about a millisecond
constexpr int kMostLooks = 64;                  // at sessions unable to leave now, in one search
constexpr int64_t kLingerMs = 30'000;           // a client with a lost connection is back by then
constexpr int64_t kWantsRoomMs = 1000;          // an Open refused for want of room asks again within about a second
constexpr int64_t kPatienceNs = 1'000'000'000;  // how long a returning session waits before a never saved session ends

}  // namespace

absl::StatusOr<session::RowSet> Tiers::Allocate(const session::Footprint& footprint) {
  Slab& slab = residents_.slab();
  if (slab.IsOverfull()) EvictOne(nullptr);
  for (;;) {
    absl::StatusOr<session::RowSet> rows = slab.Allocate(footprint);
    if (rows.ok() || !EvictOne(footprint.model.get())) return rows;
  }
}

void Tiers::FreeReserved(Arrival& arrival) {
  if (arrival.reserved.model == nullptr) return;
  residents_.slab().Free(*arrival.reserved.model, arrival.reserved.channels, std::move(arrival.rows));
  arrival.reserved.model = nullptr;
}

// The least recently used session able to leave, of a model or of any model. Null: no session may leave.
session::Session* Tiers::LeastRecentlyUsed(const models::LoadedModel* model) {
  if (!residents_.saver().enabled()) return nullptr;
  session::Session* attached = AttachedToLeave(model);
  session::Session* resting = residents_.resting().Oldest(model);
  if (attached == nullptr || resting == nullptr) return attached != nullptr ? attached : resting;
  return resting->last_active_ms <= attached->last_active_ms ? resting : attached;
}

// Quiet sessions stand in the order of their saves. Tokens of a quiet session may wait all the same: a step is about to
// take the tokens, or the client does not read.
session::Session* Tiers::AttachedToLeave(const models::LoadedModel* model) {
  session::Session* next = residents_.lists().quiet.front();
  for (int looks = 0; looks < kMostLooks && next != nullptr; ++looks) {
    session::Session& session = *std::exchange(next, next->next);
    if (session.flow != nullptr || session.under_way || !Demoted::CanHold(session)) {
      residents_.MoveBack(session);
    } else if (model == nullptr || session.model == model) {
      return &session;
    }
  }
  return nullptr;
}

// Leaves a session to the store. False if no session may leave.
bool Tiers::EvictOne(const models::LoadedModel* model) {
  session::Session* session = LeastRecentlyUsed(model);
  if (session == nullptr) return false;
  if (session->stream == nullptr) {
    departures_.LetGo(*session);
    return true;
  }
  std::string key(session->key.view());
  Demote(*session);
  // Not before the session counts as demoted: the session's next taker must find the stream to tell.
  core_.directory.Released(std::move(key));
  return true;
}

// The row goes, the handle stays.
void Tiers::Demote(session::Session& session) {
  Demoted& demoted = demoted_.Add(session);
  core_.counters.sessions_demoted.Set(demoted_.size());
  core_.counters.demotions.Add(1);
  session.stream->Bind(session.handle, &demoted);
  residents_.slab().Join(*session.model);
  residents_.RemoveDemoted(session);
}

// Forgets the demoted session. The caller answers for the handle.
void Tiers::Forget(Demoted& demoted) {
  residents_.plans().Release(demoted.plan);
  residents_.overdue().Forget(demoted.epoch);
  Erase(demoted);
}

void Tiers::Erase(Demoted& demoted) {
  residents_.slab().Leave(*residents_.rows().model(demoted.model));
  demoted_.Remove(demoted);
  core_.counters.sessions_demoted.Set(demoted_.size());
}

void Tiers::Tick() {
  const int64_t now = core_.now_ms();
  save::Saver& saver = residents_.saver();
  const Slab& slab = residents_.slab();
  for (int i = 0; i < kMostDemotions && slab.IsOverfull() && EvictOne(nullptr); ++i) {
  }
  promotions_.EndPauses(saver.hurrying() ? std::numeric_limits<int64_t>::max() : now);
  StartPromotions();
  const bool wanted = promotions_.any_waits() || now < wants_room_until_ms_;
  if (wanted) saver.Advance(now);
  saver.LetRest(wanted              ? std::make_optional(absl::ZeroDuration())
                : slab.IsOverfull() ? std::make_optional(core_.options.save_interval)
                                    : std::nullopt);
  if (core_.models.any_retiring()) LetModelsGo();
}

// Resting sessions of a retired model leave soon: the store has the rows. Open sessions keep the model until the end,
// even without a row.
void Tiers::LetModelsGo() {
  const int64_t long_ago = core_.now_ms() - kLingerMs;
  for (const models::ModelRef& model : residents_.rows().Retiring()) {
    for (int i = 0; i < kMostDemotions && residents_.saver().enabled(); ++i) {
      session::Session* oldest = residents_.resting().Oldest(model.get());
      if (oldest == nullptr || oldest->last_active_ms > long_ago) break;
      departures_.LetGo(*oldest);
    }
    residents_.rows().Drop(*model);
  }
}

void Tiers::WantRoom() { wants_room_until_ms_ = core_.now_ms() + kWantsRoomMs; }

bool Tiers::RowsKeepOthersWaiting() {
  const bool wanted =
      core_.now_ms() < wants_room_until_ms_ || promotions_.OneWaitsSince(core_.clock.NowNanos() - kPatienceNs);
  return wanted && LeastRecentlyUsed(nullptr) == nullptr;
}

// Takes the least recently used session with durability NONE away from the stream. The session rests afterwards, and
// can leave. False if the model has none.
bool Tiers::EndNeverSaved(const models::LoadedModel& model) {
  for (session::Session* next = residents_.lists().never_saved.front(); next != nullptr; next = next->next) {
    if (next->model != &model || next->under_way || next->held) continue;
    departures_.TakeAway(*next, session::EvictedForRoom(session::SessionId(next->key.view())), next->point.seq);
    return true;
  }
  return false;
}

uint32_t Tiers::values_per_token(const Demoted& demoted) const {
  return demoted.channels * residents_.rows().model(demoted.model)->conversion->values_per_series();
}

void Tiers::Accept(Demoted& demoted, const session::TokensView& tokens) {
  const uint32_t values = values_per_token(demoted);
  const uint64_t count = tokens.count(values);
  if (!demoted.refusing || tokens.Holds(demoted.seq, count)) {
    return intake_.Defer(Promote(demoted), tokens, values);
  }
  if (tokens.delivered_seq) demoted.OnDelivered(*tokens.delivered_seq);
  core_.counters.tokens_dropped.Add(count);
}

void Tiers::Close(Demoted& demoted, const DeferredClose& close) {
  if (close.delivered_seq) demoted.OnDelivered(*close.delivered_seq);
  // Where sessions expire, the store must learn of the use until now: a resting session tells the store.
  if (core_.expires() && !close.delete_session) {
    Promote(demoted).close = close;
    return;
  }
  queue::Attachment& stream = *demoted.stream;
  const Closable closable{&stream,       demoted.handle, std::string(demoted.key()),
                          demoted.epoch, demoted.seq,    demoted.told_durable_seq()};
  Forget(demoted);
  core_.counters.sessions_detached.Add(1);
  if (close.delete_session) return departures_.Delete(closable);
  stream.Unbind(closable.handle);
  stream.peer.OnClosed(closable.handle, closable.next_seq, closable.durable_seq);
  stream.peer.OnRoom();
}

void Tiers::Abandon(Demoted& demoted) {
  core_.counters.sessions_detached.Add(1);
  Forget(demoted);
}

void Tiers::Abandon(Promotion& promotion) {
  const std::unique_ptr<Promotion> taken = promotions_.Take(promotion.ticket);
  Unstart(*taken);
  intake_.Drop(*taken);
  Abandon(*taken->demoted);
}

void Tiers::SetAside(Promotion& promotion) {
  const std::unique_ptr<Promotion> taken = promotions_.Take(promotion.ticket);
  Demoted& demoted = *taken->demoted;
  std::optional<uint64_t> refused_end;
  for (const DeferredTokens& deferred : taken->tokens) {
    if (deferred.view.delivered_seq) demoted.OnDelivered(*deferred.view.delivered_seq);
    if (deferred.tokens > 0) refused_end = deferred.view.first_seq + deferred.tokens;
  }
  intake_.Return(*taken);
  demoted.promoting = false;
  taken->stream->Bind(taken->handle, &demoted);
  session::Peer& peer = taken->stream->peer;
  if (!refused_end) return peer.OnAcked(taken->handle, demoted.seq, demoted.told_durable_seq());
  demoted.refusing = true;
  peer.OnFailed(taken->handle, session::SetAside(*refused_end, demoted.seq), demoted.seq);
}

// Tokens of the session wait with the promotion from now on.
Promotion& Tiers::Promote(Demoted& demoted) {
  Promotion& promotion = promotions_.Add(demoted, core_.next_ticket++, core_.clock.NowNanos());
  StartPromotions();
  return promotion;
}

void Tiers::StartPromotions() {
  promotions_.StartAll([this](Promotion& promotion) { return Start(promotion); });
}

bool Tiers::Start(Promotion& promotion) {
  const Demoted& demoted = *promotion.demoted;
  const session::Footprint footprint{residents_.rows().model(demoted.model), demoted.channels};
  absl::StatusOr<session::RowSet> rows = Allocate(footprint);
  // For a second a returning session waits for saved sessions to leave.
  const bool patient = core_.clock.NowNanos() - promotion.began_ns < kPatienceNs;
  while (!rows.ok() && !patient && EndNeverSaved(*footprint.model)) rows = Allocate(footprint);
  if (!rows.ok()) return false;
  promotion.rows = *std::move(rows);
  promotion.reserved = footprint;
  promotion.call = std::make_shared<registrar::PromoteCall>();
  registrar::PromoteCall& call = *promotion.call;
  call.shard = core_.index;
  call.ticket = promotion.ticket;
  call.key = std::string(demoted.key());
  call.epoch = demoted.epoch;
  call.seq = demoted.seq;
  call.footprint = footprint;
  const size_t saves = demoted.undurable > 0 && demoted.durable_seq() > 0 ? 2 : 1;
  call.bytes = saves * footprint.channels * footprint.model->engine->row_bytes();
  core_.directory.Promote(promotion.call);
  return true;
}

// Frees the rows again.
void Tiers::Unstart(Promotion& promotion) {
  FreeReserved(promotion);
  promotions_.Unstart(promotion);
}

void Tiers::EndPromotion(uint64_t ticket, const std::string& key, registrar::Promoted promoted) {
  Promotion* found = promotions_.Find(ticket);
  if (found == nullptr) {  // the stream has gone meanwhile
    if (!promoted.refusal) core_.directory.Released(key);
    return;
  }
  if (promoted.refusal && promoted.passing && !residents_.saver().hurrying()) {
    Unstart(*found);
    return promotions_.Pause(*found, core_.now_ms());
  }
  const std::unique_ptr<Promotion> promotion = promotions_.Take(ticket);
  if (promoted.refusal) {
    if (absl::IsAborted(promoted.refusal->status)) core_.counters.sessions_fenced.Add(1);
    Fail(*promotion, *promoted.refusal);
  } else if (const absl::Status status = SetRows(*promotion, promoted.rows); !status.ok()) {
    core_.directory.Released(key);
    Fail(*promotion, session::EngineFailed(status));
  } else {
    Finish(*promotion, promoted);
  }
  StartPromotions();
}

absl::Status Tiers::SetRows(const Promotion& promotion, absl::string_view bytes) {
  const session::Footprint& footprint = promotion.reserved;
  session::RowPool& rows = residents_.rows();
  if (bytes.empty()) return rows.Reset(*footprint.model, footprint.channels, promotion.rows);
  return rows.Write(*footprint.model, footprint.channels, promotion.rows, bytes);
}

void Tiers::Finish(Promotion& promotion, const registrar::Promoted& promoted) {
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
  made->last_active_ms = made->saved_active_ms = std::min(absl::ToUnixMillis(promoted.last_active), core_.now_ms());
  demoted.Restore(*made);
  made->stream = promotion.stream;
  made->handle = promotion.handle;
  Erase(demoted);
  session::Session& session = residents_.Add(std::move(made));
  session.stream->Bind(session.handle, &session);
  core_.counters.promotions.Add(1);
  core_.counters.promotion_seconds.Observe(static_cast<double>(core_.clock.NowNanos() - promotion.began_ns) * 1e-9);
  residents_.Attach(session);
  session::Peer& peer = session.stream->peer;
  intake_.Replay(session, promotion);  // a Close among the items may end the session
  peer.OnRoom();
}

// The session is over for its stream: waiting tokens are dropped, and a waiting Close is answered, too.
void Tiers::Fail(Promotion& promotion, const session::Refusal& refusal) {
  Unstart(promotion);
  intake_.Drop(promotion);
  Fail(*promotion.demoted, refusal, promotion.close.has_value());
}

void Tiers::Fail(Demoted& demoted, const session::Refusal& refusal, bool closing) {
  queue::Attachment& stream = *demoted.stream;
  const session::Handle handle = demoted.handle;
  Abandon(demoted);
  if (closing) {
    stream.Unbind(handle);
    stream.peer.OnCloseRefused(handle, refusal);
  } else {
    handles_.refused().Remember(stream, handle);
    stream.peer.OnFailed(handle, refusal, 0);
  }
  stream.peer.OnRoom();
}

void Tiers::Lose(const std::string& key, uint64_t epoch, const session::Refusal& refusal) {
  Demoted* demoted = demoted_.Find(key);
  if (demoted == nullptr || demoted->epoch >= epoch) return;
  if (absl::IsAborted(refusal.status)) core_.counters.sessions_taken_over.Add(1);
  if (!demoted->promoting) return Fail(*demoted, refusal, /*closing=*/false);
  const uint64_t ticket = VisitBinding(*demoted->stream->handles.Find(demoted->handle),
                                       Visitor{[](Promotion& promotion) { return promotion.ticket; },
                                               [](session::Binding&) { return std::numeric_limits<uint64_t>::max(); }});
  Fail(*promotions_.Take(ticket), refusal);
}

}  // namespace aaren::shard
