#ifndef AAREN_MODEL_ENGINE_CPU_HOST_LANE_H_
#define AAREN_MODEL_ENGINE_CPU_HOST_LANE_H_

// A HostLane keeps rows in the process's memory, in a StateSlab. A batch is done when Submit returns, so no batch
// is ever under way. A subclass adds the step itself.

#include <cstdint>

#include "model/engine/cpu/claim.h"
#include "model/engine/cpu/slab.h"
#include "model/engine/engine.h"
#include "model/engine/lane.h"

namespace aaren::engine {

class HostLane : public Lane {
 public:
  // REQUIRES: `engine` outlives this lane.
  HostLane(const Engine& engine, size_t capacity_rows) : engine_(engine), rows_(engine.row_bytes(), capacity_rows) {}

  absl::Status Allocate(absl::Span<Slot> slots) override;
  void Free(absl::Span<const Slot> slots) override;
  absl::Status Reset(absl::Span<const Slot> slots) override;
  absl::Status Read(absl::Span<const RowRead> rows) override;
  absl::Status Write(absl::Span<const RowWrite> rows) override;
  size_t used() const override { return rows_.used(); }
  size_t capacity() const override { return rows_.capacity(); }
  absl::StatusOr<Ticket> Submit(absl::Span<const Run> runs) override;
  std::optional<absl::Status> Poll(Ticket) override { return absl::OkStatus(); }
  absl::Status Wait(Ticket) override { return absl::OkStatus(); }

 protected:
  // Does the work of Submit before returning.
  virtual absl::Status Step(absl::Span<const Run> runs, StateSlab& rows) = 0;

 private:
  absl::Status CheckSlot(Slot slot) { return rows_.Row(slot).empty() ? StaleSlot(slot) : absl::OkStatus(); }

  const Engine& engine_;
  StateSlab rows_;
  uint64_t tickets_ = 0;
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CPU_HOST_LANE_H_
