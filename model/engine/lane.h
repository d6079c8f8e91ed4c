#ifndef AAREN_MODEL_ENGINE_LANE_H_
#define AAREN_MODEL_ENGINE_LANE_H_

// A Lane is one thread's part of an engine: rows of the thread's own, and the batches that step them.
//
//   thread ── Allocate, Reset, Write ──► rows ◄── Submit(runs) ── thread
//                                         │             │
//   thread ◄────────── Read ──────────────┘             └──► Poll or Wait ──► forecasts and surprises are written
//
// Rows lie where the engine computes, possibly on a device. Rows enter and leave a lane as copies, and no pointer to a
// row is handed out. A Slot names a row's place and carries a generation: a slot that was freed is refused and never
// names another session's row.
//
// A batch is *under way* from Submit until Poll or Wait has answered the batch's ticket. A CPU's batch is done when
// Submit returns. While a batch is under way, the caller leaves the runs and the memory behind their pointers
// unchanged, and does not read outputs. A row of a batch under way must not be in another run and must not be read,
// written, reset or freed; all other rows may be.
//
// Threading: one thread at a time. Lanes of one engine are independent and may be used at once. Lifetime: the engine
// outlives its lanes. A lane's destructor waits for batches under way, so memory behind the pointers of runs under way
// must outlive the lane.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace aaren::engine {

struct Run;  // engine.h

struct Slot {
  uint32_t index = 0;
  uint32_t generation = 0;  // 0 names no row
  bool operator==(const Slot&) const = default;
};

// A row and a buffer of row_bytes() bytes, at any alignment, to copy the row to or from.
struct RowRead {
  Slot slot;
  std::byte* to = nullptr;
};
struct RowWrite {
  Slot slot;
  const std::byte* from = nullptr;
};

// Names a batch under way. No two tickets of a lane are equal.
enum class Ticket : uint64_t {};

class Lane {
 public:
  virtual ~Lane() = default;

  // Takes slots.size() rows of unspecified content. ResourceExhausted, naming the capacity, if fewer rows are free;
  // then no row is taken.
  virtual absl::Status Allocate(absl::Span<Slot> slots) = 0;

  // Gives rows back. A stale slot is ignored.
  virtual void Free(absl::Span<const Slot> slots) = 0;

  // Each call copies all rows given, and blocks until the copies are made. InvalidArgument, naming the slot, if a slot
  // is stale or under way; then nothing is copied. Internal if the device failed; then no copy may be trusted.
  virtual absl::Status Reset(absl::Span<const Slot> slots) = 0;  // to rows of series that have seen nothing
  virtual absl::Status Read(absl::Span<const RowRead> rows) = 0;
  virtual absl::Status Write(absl::Span<const RowWrite> rows) = 0;  // REQUIRES: Engine::CheckRow accepts them

  virtual size_t used() const = 0;      // rows
  virtual size_t capacity() const = 0;  // rows

  // Begins to fold every run's tokens into the run's row, in order, and to write the wanted forecasts (paper, §3.1 and
  // §3.3). InvalidArgument if a slot is stale, repeated or under way, or a run is empty; then every row is unchanged
  // and no batch begins. On a CPU the call neither allocates nor locks.
  virtual absl::StatusOr<Ticket> Submit(absl::Span<const Run> runs) = 0;

  // The batch's status once the batch is done, nullopt while the batch is under way. Each ticket is answered once, by
  // Poll or by Wait. A status that is not OK means that the device failed: the batch's rows and outputs may not be
  // trusted.
  virtual std::optional<absl::Status> Poll(Ticket ticket) = 0;
  virtual absl::Status Wait(Ticket ticket) = 0;  // blocks until the batch is done
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_LANE_H_
