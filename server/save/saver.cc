#include "server/save/saver.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "server/session/record.h"

namespace aaren {
namespace {

constexpr size_t kBatchBytes = 4 << 20;

}  // namespace

bool Saver::NeedsSave(const Session& session) const {
  if (!enabled()) return false;
  const bool used_since = session.stream == nullptr && session.last_active_ms > session.saved_active_ms;
  return session.point.seq != session.newest_save() || (quiet_ms_ > 0 && used_since);
}

void Saver::Watch(Session& session, int64_t now_ms) {
  if (!enabled() || quiet_ms_ == 0) return;
  session.due_ms = now_ms + quiet_ms_;
  quiet_.PushBack(session);
}

void Saver::Queue(Session& session, int64_t now_ms) {
  if (session.stream == nullptr) {
    session.due_ms = 0;
    unsaved_.PushFront(session);
  } else {
    QueueLater(session, now_ms);
  }
}

void Saver::QueueLater(Session& session, int64_t now_ms) {
  session.due_ms = now_ms + interval_ms_;
  unsaved_.PushBack(session);
}

bool Saver::MustWait(const Session& session) const {
  const bool only_again = session.pending_seq == session.point.seq;  // in the place of the newer one
  return session.pending_seq != Session::kNoSave && !only_again && session.stream != nullptr && !hurry_;
}

Session* Saver::NextDue(int64_t now_ms) const {
  Session* unsaved = unsaved_.front();
  if (unsaved != nullptr && (hurry_ || unsaved->due_ms <= std::max(now_ms, advanced_ms_))) return unsaved;
  Session* quiet = quiet_.front();
  return quiet != nullptr && quiet->due_ms <= now_ms ? quiet : nullptr;
}

// The sessions that are due, as many as fit into a batch; they are in no list any more.
std::vector<Session*> Saver::TakeDue(int64_t now_ms) {
  std::vector<Session*> due;
  size_t bytes = 0;
  for (Session* next = NextDue(now_ms); next != nullptr && bytes < kBatchBytes; next = NextDue(now_ms)) {
    Remove(*next);
    if (MustWait(*next)) {
      QueueLater(*next, now_ms);
      continue;
    }
    due.push_back(next);
    bytes += next->channels * next->model->engine->row_bytes();
  }
  return due;
}

absl::Status Saver::StartDue(int64_t now_ms) {
  if (batch_under_way_) return absl::OkStatus();
  const std::vector<Session*> due = TakeDue(now_ms);
  if (due.empty()) return absl::OkStatus();
  std::vector<SaveWrite> batch;
  std::vector<RowsRead> rows;
  batch.reserve(due.size());
  rows.reserve(due.size());
  for (Session* session : due) {
    SaveWrite& write = batch.emplace_back(WriteOf(*session, now_ms));
    rows.push_back({*session->model, session->channels, session->rows, write.save.rows});
  }
  if (absl::Status status = rows_.Read(rows); !status.ok()) {
    for (Session* session : due) QueueLater(*session, now_ms);
    return status;
  }
  for (Session* session : due) {
    session->save_in_flight = true;
    // A save that this one replaces is as good as gone: its client's delivered_seq does not make it durable any more.
    if (session->pending_seq != session->point.seq) session->pending_seq = Session::kNoSave;
  }
  batch_under_way_ = true;
  send_(std::move(batch));
  return absl::OkStatus();
}

// All but its rows.
SaveWrite Saver::WriteOf(Session& session, int64_t now_ms) {
  SaveWrite write;
  SessionHeader& header = write.header;
  header.key = std::string(session.key.view());
  header.epoch = session.epoch;
  header.incarnation = session.incarnation;
  header.origin = OriginOf({session.model, session.channels});
  header.delivered_seq = session.tracks_delivery ? session.delivered_seq : session.point.seq;
  header.attempt = session.attempt;
  session.saved_active_ms = session.stream != nullptr ? now_ms : session.last_active_ms;
  header.last_active = absl::FromUnixMillis(session.saved_active_ms);
  write.save.point = session.point;
  if (session.point.seq > header.delivered_seq) write.keep_seq = session.durable_seq;
  return write;
}

bool Saver::OnSaved(Session& session, const SaveResult& result) {
  if (result.only || !session.tracks_delivery || result.seq <= session.delivered_seq) {
    session.durable_seq = result.seq;
    session.pending_seq = Session::kNoSave;
    return true;
  }
  session.pending_seq = result.seq;
  return false;
}

bool Saver::OnDelivered(Session& session, uint64_t delivered_seq) {
  session.tracks_delivery = true;
  session.delivered_seq = std::max(session.delivered_seq, delivered_seq);
  if (session.pending_seq == Session::kNoSave || session.pending_seq > session.delivered_seq) return false;
  session.durable_seq = session.pending_seq;
  session.pending_seq = Session::kNoSave;
  return true;
}

}  // namespace aaren
