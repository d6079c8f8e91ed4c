#ifndef AAREN_SERVER_SESSIONS_SHARD_RESIDENTS_SLAB_H_
#define AAREN_SERVER_SESSIONS_SHARD_RESIDENTS_SLAB_H_

// The Slab gives rows to sessions, within the server's memory and the shard's own limits. The cost of a session beside
// the rows is charged together with the rows. Threading: belongs to one shard.

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "server/machine/memory/memory_budget.h"
#include "server/sessions/models/loaded_model.h"
#include "server/sessions/session/session_state.h"
#include "server/sessions/session/table/row_pool.h"

namespace aaren::shard {

class Slab {
 public:
  // `rows` and `budget` outlive the Slab; null: no limit. Beyond `max_resident_bytes` of rows the slab is overfull.
  Slab(session::RowPool& rows, memory::MemoryBudget* budget, size_t max_resident_bytes)
      : rows_(rows), budget_(budget), max_resident_bytes_(max_resident_bytes) {}

  // Rows of unspecified content. ResourceExhausted names the exhausted limit, and nothing is taken.
  absl::StatusOr<session::RowSet> Allocate(const session::Footprint& footprint);
  void Free(const models::LoadedModel& model, uint32_t channels, session::RowSet rows);

  // Rows are still given: some sessions should go to the store.
  bool IsOverfull() const { return rows_.used_bytes() > max_resident_bytes_; }

  // A session, resident or demoted, keeps the model from Join to Leave.
  void Join(const models::LoadedModel& model) { Count(model, 1); }
  void Leave(const models::LoadedModel& model) { Count(model, -1); }

 private:
  static size_t BytesOf(const models::LoadedModel& model, uint32_t channels);
  void Count(const models::LoadedModel& model, int sessions);

  session::RowPool& rows_;
  memory::MemoryBudget* const budget_;
  const size_t max_resident_bytes_;
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SESSIONS_SHARD_RESIDENTS_SLAB_H_
