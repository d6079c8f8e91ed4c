#include "server/shard/slab/resting_sessions.h"

#include <cstddef>

namespace aaren::shard {

session::SessionList& RestingSessions::Of(const models::LoadedModel& model) {
  const auto index = static_cast<size_t>(model.index);
  while (lists_.size() <= index) lists_.emplace_back(session::Session::List::kResting);
  return lists_[index];
}

session::Session* RestingSessions::Oldest(const models::LoadedModel* model) {
  if (model != nullptr) return Of(*model).front();
  session::Session* oldest = nullptr;
  for (const session::SessionList& list : lists_) {
    session::Session* front = list.front();
    if (front == nullptr) continue;
    if (oldest == nullptr || front->last_active_ms <= oldest->last_active_ms) oldest = front;
  }
  return oldest;
}

session::Session* RestingSessions::IdleSince(int64_t active_ms) {
  for (const session::SessionList& list : lists_) {
    if (list.front() != nullptr && list.front()->last_active_ms <= active_ms) return list.front();
  }
  return nullptr;
}

}  // namespace aaren::shard
