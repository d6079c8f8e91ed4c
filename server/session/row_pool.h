#ifndef AAREN_SERVER_SESSION_ROW_POOL_H_
#define AAREN_SERVER_SESSION_ROW_POOL_H_

// The RowPool holds the slabs of one shard, one per model, and the scratch memory to step them, each made when first
// needed. A RowSet is the rows of one session, one a channel. Threading: belongs to one shard.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "model/engine/cpu/slab.h"
#include "model/engine/engine.h"
#include "server/models/model_table.h"

namespace aaren {

// Move-only. Most sessions have one channel: then there is no allocation behind it.
class RowSet {
 public:
  RowSet() = default;
  explicit RowSet(uint32_t channels) : many_(channels > 1 ? std::make_unique<Slot[]>(channels) : nullptr) {}

  Slot& slot(uint32_t channel) { return many_ ? many_[channel] : one_; }

 private:
  Slot one_;
  std::unique_ptr<Slot[]> many_;
};

class RowPool {
 public:
  // `models` outlives this.
  RowPool(const ModelTable& models, size_t capacity_rows) : models_(models), capacity_(capacity_rows) {}

  // Rows of unspecified content. ResourceExhausted if there are not as many; none is then taken.
  absl::StatusOr<RowSet> Allocate(const LoadedModel& model, uint32_t channels);
  void Free(const LoadedModel& model, uint32_t channels, RowSet rows);

  // Makes them the rows of a session that has seen nothing.
  void Reset(const LoadedModel& model, uint32_t channels, RowSet& rows);

  // To and from channels x row_bytes. REQUIRES: bytes is as long.
  std::string Read(const LoadedModel& model, uint32_t channels, RowSet& rows);
  void Write(const LoadedModel& model, uint32_t channels, RowSet& rows, absl::string_view bytes);

  StateSlab& slab(const LoadedModel& model) { return *Of(model).slab; }
  Engine::Workspace& workspace(const LoadedModel& model) { return *Of(model).workspace; }

  size_t used_rows() const;
  size_t capacity_rows() const;  // of the slabs made so far
  size_t used_bytes() const;

 private:
  struct Rows {
    std::unique_ptr<StateSlab> slab;
    std::unique_ptr<Engine::Workspace> workspace;
  };

  Rows& Of(const LoadedModel& model);

  const ModelTable& models_;
  size_t capacity_;
  std::vector<Rows> rows_;  // by LoadedModel::index
};

}  // namespace aaren

#endif  // AAREN_SERVER_SESSION_ROW_POOL_H_
