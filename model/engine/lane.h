#ifndef AAREN_MODEL_ENGINE_LANE_H_
#define AAREN_MODEL_ENGINE_LANE_H_

// A Lane is one thread's part of an engine: rows of its own, and the batches that are stepped on them.
//
//   thread ── Allocate, Reset, Write ──► rows ◄── Submit(runs) ── thread
//                                         │             │
//   thread ◄────────── Read ──────────────┘             └──► Poll or Wait ──► forecasts and surprises are written
//
// Rows lie where the engine computes, be it a device: they go in and out as copies, and no pointer to one is handed
// out. A Slot names a row's place and carries a generation, so that a slot that was freed is refused and never names
// somebody else's row.
//
// A batch is *under way* from Submit until Poll or Wait has answered its ticket. A CPU's is done when Submit returns.
// Its runs, and all memory that they point to, stay as they are until then, and its outputs are not read before. A row
// of a batch under way is not in another run, and it is not read, written, reset or freed; rows beside it may be.
//
// Threading: one thread at a time. Lanes of one engine are apart and may be used at once. Lifetime: the engine outlives
// its lanes; a lane's end waits for what is under way, so what that points to outlives the lane.

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

// A row and the bytes, row_bytes() of them at any alignment, that it is copied to or from.
struct RowRead {
  Slot slot;
  std::byte* to = nullptr;
};
struct RowWrite {
  Slot slot;
  const std::byte* from = nullptr;
};

// Names a batch under way. No two of a lane are equal.
enum class Ticket : uint64_t {};

class Lane {
 public:
  virtual ~Lane() = default;

  // Takes slots.size() rows of unspecified content. ResourceExhausted, naming the capacity, if there are not as many;
  // none is then taken.
  virtual absl::Status Allocate(absl::Span<Slot> slots) = 0;

  // Gives rows back. Stale slots are ignored.
  virtual void Free(absl::Span<const Slot> slots) = 0;

  // Each is one copy of all these rows, and blocks until it is made. InvalidArgument naming a slot that is stale or
  // under way: nothing is then copied. Internal if the device failed: what was copied is not to be trusted.
  virtual absl::Status Reset(absl::Span<const Slot> slots) = 0;  // to rows of series that have seen nothing
  virtual absl::Status Read(absl::Span<const RowRead> rows) = 0;
  virtual absl::Status Write(absl::Span<const RowWrite> rows) = 0;  // REQUIRES: Engine::CheckRow accepts them

  virtual size_t used() const = 0;      // rows
  virtual size_t capacity() const = 0;  // likewise

  // Begins to fold every run's tokens into its row, in order, and to write the forecasts wanted (paper, §3.1 and §3.3).
  // InvalidArgument if a slot is stale, repeated or under way, or a run is empty: every row is then unchanged, and
  // there is no ticket. On a CPU it neither allocates nor locks.
  virtual absl::StatusOr<Ticket> Submit(absl::Span<const Run> runs) = 0;

  // Whether the batch is done, and how: nothing while it is under way. Each ticket is answered once, by either of the
  // two. Not OK, if the device failed: its rows and outputs are not to be trusted.
  virtual std::optional<absl::Status> Poll(Ticket ticket) = 0;
  virtual absl::Status Wait(Ticket ticket) = 0;  // blocks until it is done
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_LANE_H_
