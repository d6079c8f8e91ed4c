#include "server/session/row_pool.h"

#include <cstring>
#include <utility>

namespace aaren {

RowPool::Rows& RowPool::Of(const LoadedModel& model) {
  if (rows_.empty()) rows_.resize(models_.models().size());
  Rows& rows = rows_[model.index];
  if (!rows.slab) {
    rows.slab = std::make_unique<StateSlab>(model.engine->row_bytes(), capacity_);
    rows.workspace = model.engine->NewWorkspace();
  }
  return rows;
}

absl::StatusOr<RowSet> RowPool::Allocate(const LoadedModel& model, uint32_t channels) {
  RowSet rows(channels);
  for (uint32_t channel = 0; channel < channels; ++channel) {
    absl::StatusOr<Slot> slot = slab(model).Allocate();
    if (!slot.ok()) {
      for (uint32_t taken = 0; taken < channel; ++taken) slab(model).Free(rows.slot(taken));
      return slot.status();
    }
    rows.slot(channel) = *slot;
  }
  return rows;
}

void RowPool::Free(const LoadedModel& model, uint32_t channels, RowSet rows) {
  for (uint32_t channel = 0; channel < channels; ++channel) slab(model).Free(rows.slot(channel));
}

void RowPool::Reset(const LoadedModel& model, uint32_t channels, RowSet& rows) {
  for (uint32_t channel = 0; channel < channels; ++channel) model.engine->ResetRow(slab(model).Row(rows.slot(channel)));
}

std::string RowPool::Read(const LoadedModel& model, uint32_t channels, RowSet& rows) {
  std::string bytes;
  bytes.reserve(channels * model.engine->row_bytes());
  for (uint32_t channel = 0; channel < channels; ++channel) {
    const absl::Span<std::byte> row = slab(model).Row(rows.slot(channel));
    bytes.append(reinterpret_cast<const char*>(row.data()), row.size());
  }
  return bytes;
}

void RowPool::Write(const LoadedModel& model, uint32_t channels, RowSet& rows, absl::string_view bytes) {
  for (uint32_t channel = 0; channel < channels; ++channel) {
    const absl::Span<std::byte> row = slab(model).Row(rows.slot(channel));
    std::memcpy(row.data(), bytes.data() + channel * row.size(), row.size());
  }
}

size_t RowPool::used_rows() const {
  size_t used = 0;
  for (const Rows& rows : rows_) used += rows.slab ? rows.slab->used() : 0;
  return used;
}

size_t RowPool::capacity_rows() const {
  size_t capacity = 0;
  for (const Rows& rows : rows_) capacity += rows.slab ? rows.slab->capacity() : 0;
  return capacity;
}

size_t RowPool::used_bytes() const {
  size_t bytes = 0;
  for (const Rows& rows : rows_) bytes += rows.slab ? rows.slab->used() * rows.slab->row_bytes() : 0;
  return bytes;
}

}  // namespace aaren
