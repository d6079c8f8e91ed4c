#ifndef AAREN_MODEL_ENGINE_CPU_SLAB_H_
#define AAREN_MODEL_ENGINE_CPU_SLAB_H_

// StateSlab holds the rows of many sessions, all of one size, in large blocks aligned to 64 bytes. The system backs a
// block with memory only as rows are written, in huge pages where available.
//
// Freeing a slot advances the generation of its place, which makes every copy of the slot stale. Freed places are
// reused first. Blocks are reserved one by one, and a slab costs only the rows' memory. Threading: a single thread at a
// time, because a slab belongs to a single lane.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "model/engine/lane.h"

namespace aaren::engine {

class StateSlab {
 public:
  // REQUIRES: row_bytes is a positive multiple of 64.
  StateSlab(size_t row_bytes, size_t capacity_rows);
  ~StateSlab();
  StateSlab(const StateSlab&) = delete;
  StateSlab& operator=(const StateSlab&) = delete;

  // Takes a row of unspecified content. ResourceExhausted, naming the capacity, if every row is taken.
  absl::StatusOr<Slot> Allocate();

  // Gives the row back. A stale slot is ignored.
  void Free(Slot slot);

  // The row's bytes, aligned to 64; empty if the slot is stale. The span is valid until the slot is freed.
  absl::Span<std::byte> Row(Slot slot);

  size_t row_bytes() const { return row_bytes_; }
  size_t capacity() const { return capacity_; }
  size_t used() const { return used_; }

 private:
  struct Block;
  size_t row_bytes_;
  size_t capacity_;
  size_t rows_per_block_;
  size_t used_ = 0;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<uint32_t> generations_;  // odd while in use
  std::vector<uint32_t> free_;
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CPU_SLAB_H_
