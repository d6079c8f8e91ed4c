#include "server/session/row_pool.h"

#include <utility>

namespace aaren::session {

engine::Lane& RowPool::lane(const models::LoadedModel& model) {
  if (lanes_.empty()) lanes_.resize(models_.models().size());
  std::unique_ptr<engine::Lane>& lane = lanes_[model.index];
  if (lane == nullptr) lane = model.engine->NewLane(capacity_);
  return *lane;
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
  std::vector<std::vector<engine::RowRead>> copies(models_.models().size());
  for (const RowsRead& session : sessions) {
    const size_t row_bytes = session.model.engine->row_bytes();
    session.bytes.resize(session.channels * row_bytes);
    auto* to = reinterpret_cast<std::byte*>(session.bytes.data());
    for (const engine::Slot& slot : session.rows.slots(session.channels)) {
      copies[session.model.index].push_back({slot, to});
      to += row_bytes;
    }
  }
  for (const auto& model : models_.models()) {
    const std::vector<engine::RowRead>& of_model = copies[model->index];
    if (of_model.empty()) continue;
    if (absl::Status status = lane(*model).Read(of_model); !status.ok()) return status;
  }
  return absl::OkStatus();
}

size_t RowPool::used_rows() const {
  size_t used = 0;
  for (const auto& lane : lanes_) used += lane ? lane->used() : 0;
  return used;
}

size_t RowPool::capacity_rows() const {
  size_t capacity = 0;
  for (const auto& lane : lanes_) capacity += lane ? lane->capacity() : 0;
  return capacity;
}

size_t RowPool::used_bytes() const {
  size_t bytes = 0;
  for (size_t i = 0; i < lanes_.size(); ++i) {
    if (lanes_[i]) bytes += lanes_[i]->used() * models_.models()[i]->engine->row_bytes();
  }
  return bytes;
}

}  // namespace aaren::session
