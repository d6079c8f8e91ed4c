#include "server/sessions/shard/residents/slab.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace aaren::shard {

size_t Slab::BytesOf(const models::LoadedModel& model, uint32_t channels) {
  constexpr size_t kBesideRows = 640;  // a Session, two copies of the key, and places in the tables
  return kBesideRows + channels * model.engine->row_bytes();
}

absl::StatusOr<session::RowSet> Slab::Allocate(const session::Footprint& footprint) {
  const size_t bytes = BytesOf(*footprint.model, footprint.channels);
  if (budget_ != nullptr && !budget_->TryTake(memory::MemoryBudget::Use::kSessions, bytes)) {
    return absl::ResourceExhaustedError(
        absl::StrCat("no memory for another session: all ", budget_->limit(), " bytes for sessions are used"));
  }
  absl::StatusOr<session::RowSet> rows = rows_.Allocate(*footprint.model, footprint.channels);
  if (!rows.ok() && budget_ != nullptr) budget_->Give(memory::MemoryBudget::Use::kSessions, bytes);
  return rows;
}

void Slab::Free(const models::LoadedModel& model, uint32_t channels, session::RowSet rows) {
  rows_.Free(model, channels, std::move(rows));
  if (budget_ != nullptr) budget_->Give(memory::MemoryBudget::Use::kSessions, BytesOf(model, channels));
}

void Slab::Count(const models::LoadedModel& model, int sessions) {
  counters::Counter& counter = rows_.counters(model).sessions;
  counter.Set(counter.value() + static_cast<uint64_t>(static_cast<int64_t>(sessions)));
}

}  // namespace aaren::shard
