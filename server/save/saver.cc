#include "server/save/saver.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "server/session/record.h"

namespace aaren {
namespace {

constexpr size_t kBatchBytes = 4 << 20;

}  // namespace

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
  return session.pending_seq != Session::kNoSave && session.stream != nullptr && !hurry_;
}

void Saver::StartDue(int64_t now_ms) {
  if (batch_under_way_) return;
  std::vector<SaveWrite> batch;
  size_t bytes = 0;
  while (unsaved_.front() != nullptr && (hurry_ || unsaved_.front()->due_ms <= now_ms) && bytes < kBatchBytes) {
    Session& session = *unsaved_.front();
    unsaved_.Remove(session);
    if (MustWait(session)) {
      QueueLater(session, now_ms);
      continue;
    }
    session.save_in_flight = true;
    batch.push_back(WriteOf(session));
    bytes += batch.back().save.rows.size();
  }
  if (batch.empty()) return;
  batch_under_way_ = true;
  send_(std::move(batch));
}

SaveWrite Saver::WriteOf(Session& session) {
  SaveWrite write;
  SessionHeader& header = write.header;
  header.key = std::string(session.key.view());
  header.epoch = session.epoch;
  header.incarnation = session.incarnation;
  header.origin = OriginOf({session.model, session.channels});
  header.delivered_seq = session.tracks_delivery ? session.delivered_seq : session.point.seq;
  header.attempt = session.attempt;
  header.last_active = absl::FromUnixMillis(session.last_active_ms);
  write.save = {session.point, rows_.Read(*session.model, session.channels, session.rows)};
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
