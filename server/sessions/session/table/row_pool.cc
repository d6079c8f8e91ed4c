#include "server/sessions/session/table/row_pool.h"

#include <utility>

namespace aaren::session {

RowPool::Place& RowPool::Make(const models::LoadedModel& model) {
  const auto index = static_cast<size_t>(model.index);
  if (index >= places_.size()) places_.resize(index + 1);
  Place& place = places_[index];
  place = {model.shared_from_this(), model.engine->NewLane(capacity_), &model.counters.Add(shard_)};
  return place;
}

std::vector<models::ModelRef> RowPool::Retiring() const {
  std::vector<models::ModelRef> retiring;
  for (const Place& place : places_) {
    if (place.model != nullptr && place.model->retiring) retiring.push_back(place.model);
  }
  return retiring;
}

void RowPool::Drop(const models::LoadedModel& model) {
  Place& place = places_[static_cast<size_t>(model.index)];
  if (place.lane->used() > 0 || place.counters->sessions.value() > 0) return;
  place.counters->rows_used.Set(0);
  place.counters->rows_capacity.Set(0);
  place.lane.reset();
  place = {};
}

absl::StatusOr<RowSet> RowPool::Allocate(const models::LoadedModel& model, uint32_t channels) {
  RowSet rows(channels);
  if (absl::Status status = lane(model).Allocate(rows.slots(channels)); !status.ok()) return status;
  return rows;
}

void RowPool::Free(const models::LoadedModel& model, uint32_t channels, RowSet rows) {
  lane(model).Free(rows.slots(channels));
}

absl::Status RowPool::Reset(const models::LoadedModel& model, uint32_t channels, const RowSet& rows) {
  return lane(model).Reset(rows.slots(channels));
}

absl::Status RowPool::Write(const models::LoadedModel& model, uint32_t channels, const RowSet& rows,
                            absl::string_view bytes) {
  std::vector<engine::RowWrite> copies;
  const auto* from = reinterpret_cast<const std::byte*>(bytes.data());
  for (const engine::Slot& slot : rows.slots(channels)) {
    copies.push_back({slot, from});
    from += model.engine->row_bytes();
  }
  return lane(model).Write(copies);
}

absl::StatusOr<std::string> RowPool::Read(const models::LoadedModel& model, uint32_t channels, const RowSet& rows) {
  std::string bytes;
  const RowsRead session{model, channels, rows, bytes};
  if (absl::Status status = Read({&session, 1}); !status.ok()) return status;
  return bytes;
}

absl::Status RowPool::Read(absl::Span<const RowsRead> sessions) {
  std::vector<std::vector<engine::RowRead>> copies(places_.size());
  for (const RowsRead& session : sessions) {
    const size_t row_bytes = session.model.engine->row_bytes();
    session.bytes.resize(session.channels * row_bytes);
    auto* to = reinterpret_cast<std::byte*>(session.bytes.data());
    for (const engine::Slot& slot : session.rows.slots(session.channels)) {
      copies[static_cast<size_t>(session.model.index)].push_back({slot, to});
      to += row_bytes;
    }
  }
  for (size_t i = 0; i < places_.size(); ++i) {
    if (copies[i].empty()) continue;
    if (absl::Status status = places_[i].lane->Read(copies[i]); !status.ok()) return status;
  }
  return absl::OkStatus();
}

size_t RowPool::used_rows() const {
  size_t used = 0;
  for (const Place& place : places_) used += place.lane ? place.lane->used() : 0;
  return used;
}

size_t RowPool::capacity_rows() const {
  size_t capacity = 0;
  for (const Place& place : places_) capacity += place.lane ? place.lane->capacity() : 0;
  return capacity;
}

size_t RowPool::used_bytes() const {
  size_t bytes = 0;
  for (const Place& place : places_) {
    if (place.lane) bytes += place.lane->used() * place.model->engine->row_bytes();
  }
  return bytes;
}

void RowPool::PublishLevels() const {
  for (const Place& place : places_) {
    if (place.lane == nullptr) continue;
    place.counters->rows_used.Set(place.lane->used());
    place.counters->rows_capacity.Set(place.lane->capacity());
  }
}

}  // namespace aaren::session
