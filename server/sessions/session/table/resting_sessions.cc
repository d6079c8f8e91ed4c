#include "server/sessions/session/table/resting_sessions.h"

#include <cstddef>

namespace aaren::session {

SessionList& RestingSessions::Of(const models::LoadedModel& model) {
  const auto index = static_cast<size_t>(model.index);
  while (lists_.size() <= index) lists_.emplace_back(Session::List::kResting);
  return lists_[index];
}

Session* RestingSessions::Oldest(const models::LoadedModel* model) {
  if (model != nullptr) return Of(*model).front();
  Session* oldest = nullptr;
  for (const SessionList& list : lists_) {
    Session* front = list.front();
    if (front == nullptr) continue;
    if (oldest == nullptr || front->last_active_ms <= oldest->last_active_ms) oldest = front;
  }
  return oldest;
}

Session* RestingSessions::IdleSince(int64_t active_ms) {
  for (const SessionList& list : lists_) {
    if (list.front() != nullptr && list.front()->last_active_ms <= active_ms) return list.front();
  }
  return nullptr;
}

}  // namespace aaren::session
