#include "model/engine/cpu/host_lane.h"

#include <cstring>

namespace aaren::engine {

absl::Status HostLane::Allocate(absl::Span<Slot> slots) {
  for (size_t i = 0; i < slots.size(); ++i) {
    const absl::StatusOr<Slot> slot = rows_.Allocate();
    if (!slot.ok()) {
      // A call that fails gives back the rows taken before the failure (lane.h).
      Free(slots.first(i));
      return slot.status();
    }
    slots[i] = *slot;
  }
  return absl::OkStatus();
}

void HostLane::Free(absl::Span<const Slot> slots) {
  for (const Slot& slot : slots) rows_.Free(slot);
}

absl::Status HostLane::Reset(absl::Span<const Slot> slots) {
  for (const Slot& slot : slots) {
    if (absl::Status status = CheckSlot(slot); !status.ok()) return status;
  }
  // All slots were checked before the first change, so a call that is refused changes no row.
  for (const Slot& slot : slots) engine_.ResetRow(rows_.Row(slot));
  return absl::OkStatus();
}

absl::Status HostLane::Read(absl::Span<const RowRead> rows) {
  for (const RowRead& row : rows) {
    if (absl::Status status = CheckSlot(row.slot); !status.ok()) return status;
  }
  for (const RowRead& row : rows) std::memcpy(row.to, rows_.Row(row.slot).data(), rows_.row_bytes());
  return absl::OkStatus();
}

absl::Status HostLane::Write(absl::Span<const RowWrite> rows) {
  // A refused call writes no row: every slot is checked before the first copy.
  for (const RowWrite& row : rows) {
    if (absl::Status status = CheckSlot(row.slot); !status.ok()) return status;
  }
  for (const RowWrite& row : rows) std::memcpy(rows_.Row(row.slot).data(), row.from, rows_.row_bytes());
  return absl::OkStatus();
}

absl::StatusOr<Ticket> HostLane::Submit(absl::Span<const Run> runs) {
  if (absl::Status status = Step(runs, rows_); !status.ok()) return status;
  return Ticket{tickets_++};
}

}  // namespace aaren::engine
