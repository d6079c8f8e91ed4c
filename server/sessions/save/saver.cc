#include "server/sessions/save/saver.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "server/sessions/session/record.h"

namespace aaren::save {
namespace {

constexpr size_t kBatchBytes = 4 << 20;
constexpr size_t kShareBytes = 256 << 10;  // background saves, in a batch with urgent saves
constexpr int kLastBatches = 4;            // a leaving server's, to keep the store busy; together kBatchBytes
constexpr int64_t kPauseMs = 200;
constexpr int64_t kTellMs = 60'000, kTellInTheWayMs = 1'000;

size_t BytesOf(const session::Session& session) { return session.channels * session.model->engine->row_bytes(); }

}  // namespace

bool Saver::NeedsSave(const session::Session& session) const {
  if (!enabled() || session.durability == session::SessionDurability::kNone) return false;
  const bool replaces = session.pending_seq != session::Session::kNoSave && session.pending_seq != session.point.seq;
  if (session.SavesEveryToken() && replaces) return false;  // until OnDelivered
  // An attached session in the quiet list is saved in time. But a session with duplicates only may come back and leave
  // again before.
  const int64_t used_ms = session.last_active_ms - session.saved_active_ms;
  const bool used_since = used_ms > (session.stream == nullptr ? 0 : quiet_ms_);
  return session.point.seq != session.newest_save() || (quiet_ms_ > 0 && used_since);
}

void Saver::Settle(session::Session& session, int64_t now_ms) {
  lists_.Remove(session);
  if (session.held || session.save_in_flight || session.under_way) return;
  if (NeedsSave(session)) return Queue(session, now_ms);
  if (session.AwaitsDelivery()) {
    session.due_ms = now_ms;
    return lists_.untold.PushBack(session);
  }
  session.stream == nullptr ? lists_.resting.PushBack(session) : Watch(session, now_ms);
}

void Saver::Watch(session::Session& session, int64_t now_ms) {
  if (!enabled() || session.AwaitsSave()) return;
  if (session.durability == session::SessionDurability::kNone) return lists_.never_saved.PushBack(session);
  session.due_ms = quiet_ms_ > 0 ? now_ms + quiet_ms_ : std::numeric_limits<int64_t>::max();
  lists_.quiet.PushBack(session);
}

session::Session* Saver::Untold(int64_t now_ms, bool in_the_way) const {
  session::Session* first = lists_.untold.front();
  const int64_t patience = in_the_way ? kTellInTheWayMs : kTellMs;
  return first != nullptr && first->due_ms + patience <= now_ms ? first : nullptr;
}

void Saver::Queue(session::Session& session, int64_t now_ms) {
  if (session.AwaitsSave()) {
    lists_.urgent.PushBack(session);
  } else if (session.stream == nullptr || session.stalled) {
    session.due_ms = 0;
    lists_.unsaved.PushFront(session);
  } else {
    QueueLater(session, now_ms);
  }
}

void Saver::QueueLater(session::Session& session, int64_t now_ms) {
  session.due_ms = now_ms + interval_ms_;
  lists_.unsaved.PushBack(session);
}

void Saver::Retry(session::Session& session, int64_t now_ms) {
  if (session.list != session::Session::List::kUnsaved && session.list != session::Session::List::kUrgent) return;
  lists_.Remove(session);
  QueueLater(session, now_ms);
}

bool Saver::MayRest(const session::Session& session, int64_t now_ms) const {
  if (session.stream == nullptr || hurry_) return true;
  return rest_after_ms_ && session.flow == nullptr && session.last_active_ms + *rest_after_ms_ <= now_ms;
}

bool Saver::MustWait(const session::Session& session, int64_t now_ms) const {
  const bool only_again = session.pending_seq == session.point.seq;  // the same save again
  return session.pending_seq != session::Session::kNoSave && !only_again && !MayRest(session, now_ms);
}

session::Session* Saver::NextDue(int64_t now_ms) const {
  session::Session* unsaved = lists_.unsaved.front();
  if (unsaved != nullptr && (hurry_ || unsaved->due_ms <= std::max(now_ms, advanced_ms_))) return unsaved;
  session::Session* quiet = lists_.quiet.front();
  return quiet != nullptr && quiet->due_ms <= now_ms ? quiet : nullptr;
}

size_t Saver::BatchBytes() const { return leaves() ? kBatchBytes / kLastBatches : kBatchBytes; }

bool Saver::MayStartAnother(int64_t now_ms) const {
  return leaves() && batches_under_way_ < kLastBatches && now_ms >= paused_ms_ &&
         (urgent() || NextDue(now_ms) != nullptr);
}

size_t Saver::TakeUrgent(std::vector<session::Session*>& due) {
  size_t bytes = 0;
  session::SessionList& urgent = lists_.urgent;
  for (session::Session* next = urgent.front(); next != nullptr && bytes < BatchBytes(); next = urgent.front()) {
    urgent.Remove(*next);
    due.push_back(next);
    bytes += BytesOf(*next);
  }
  return bytes;
}

// Takes due sessions out of the lists, as many as fit into a batch.
std::vector<session::Session*> Saver::TakeDue(int64_t now_ms) {
  std::vector<session::Session*> due;
  const bool urgent = TakeUrgent(due) > 0;
  const size_t most = std::exchange(shares_, urgent) || urgent ? kShareBytes : BatchBytes();
  size_t bytes = 0;
  for (session::Session* next = NextDue(now_ms); next != nullptr && bytes < most; next = NextDue(now_ms)) {
    lists_.Remove(*next);
    if (MustWait(*next, now_ms)) {
      QueueLater(*next, now_ms);
      continue;
    }
    due.push_back(next);
    bytes += BytesOf(*next);
  }
  return due;
}

absl::StatusOr<std::vector<store::SaveWrite>> Saver::TakeBatch(int64_t now_ms) {
  std::vector<store::SaveWrite> batch;
  if (batches_under_way_ >= (leaves() ? kLastBatches : 1) || now_ms < paused_ms_) return batch;
  const std::vector<session::Session*> due = TakeDue(now_ms);
  if (due.empty()) return batch;
  std::vector<session::RowsRead> rows;
  batch.reserve(due.size());
  rows.reserve(due.size());
  for (session::Session* session : due) {
    store::SaveWrite& write = batch.emplace_back(WriteOf(*session, now_ms));
    rows.push_back({*session->model, session->channels, session->rows, write.save.rows});
  }
  if (absl::Status status = rows_.Read(rows); !status.ok()) {
    for (session::Session* session : due) QueueLater(*session, now_ms);
    return status;
  }
  for (session::Session* session : due) {
    session->save_in_flight = true;
    // A replaced save is as good as gone: the client's delivered_seq does not make the save durable any more.
    if (session->pending_seq != session->point.seq) session->pending_seq = session::Session::kNoSave;
  }
  ++batches_under_way_;
  return batch;
}

void Saver::Pause(int64_t now_ms) {
  if (leaves()) paused_ms_ = now_ms + kPauseMs;
}

// All of a save but the rows.
store::SaveWrite Saver::WriteOf(session::Session& session, int64_t now_ms) const {
  store::SaveWrite write;
  store::SessionHeader& header = write.header;
  header.key = std::string(session.key.view());
  header.epoch = session.epoch;
  header.incarnation = session.incarnation;
  header.origin = session::OriginOf(*session.model, session.channels);
  header.delivered_seq = session.tracks_delivery ? session.delivered_seq : session.point.seq;
  header.attempt = session.attempt;
  session.saved_active_ms = session.stream != nullptr ? now_ms : session.last_active_ms;
  header.last_active = absl::FromUnixMillis(session.saved_active_ms);
  if (session.stream != nullptr) {
    header.server = lease_.server;
    header.leased_until = absl::FromUnixMillis(now_ms) + lease_.time;
  }
  write.save.point = session.point;
  // The client may go back to the newest save whose replies it has: a save that failed, too, may be stored.
  const uint64_t back = std::max(session.durable_seq, header.delivered_seq);
  if (session.point.seq > back) write.keep_seq = back;
  return write;
}

bool Saver::OnSaved(session::Session& session, const SaveResult& result) {
  if (result.only || !session.tracks_delivery || result.seq <= session.delivered_seq) {
    session.durable_seq = result.seq;
    session.pending_seq = session::Session::kNoSave;
    return true;
  }
  session.pending_seq = result.seq;
  return false;
}

bool Saver::OnDelivered(session::Session& session, uint64_t delivered_seq) {
  session.tracks_delivery = true;
  session.delivered_seq = std::max(session.delivered_seq, delivered_seq);
  if (session.pending_seq == session::Session::kNoSave || session.pending_seq > session.delivered_seq) return false;
  session.durable_seq = session.pending_seq;
  session.pending_seq = session::Session::kNoSave;
  return true;
}

}  // namespace aaren::save
