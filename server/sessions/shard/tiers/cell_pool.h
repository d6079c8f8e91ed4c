#ifndef AAREN_SERVER_SESSIONS_SHARD_TIERS_CELL_POOL_H_
#define AAREN_SERVER_SESSIONS_SHARD_TIERS_CELL_POOL_H_

// A CellPool gives out small cells of memory by the million, rounded up to eight bytes and without malloc's header.
// Cells of a size come from blocks; a block without cells in use is given back. Threading: belongs to one shard.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "server/sessions/queue/line.h"

namespace aaren::shard {

class CellPool {
 public:
  static constexpr size_t kLargest = 512;  // bytes of a cell

  CellPool();
  CellPool(const CellPool&) = delete;
  CellPool& operator=(const CellPool&) = delete;
  ~CellPool();  // REQUIRES: every cell was freed

  static constexpr size_t Rounded(size_t bytes) { return (bytes + 7) / 8 * 8; }

  // Aligned to eight bytes. REQUIRES: 0 < bytes <= kLargest.
  void* Allocate(size_t bytes);

  // REQUIRES: `bytes` as at the allocation.
  void Free(void* cell, size_t bytes);

  size_t blocks() const { return blocks_; }

 private:
  struct Block;

  queue::Line<Block>& RoomFor(size_t bytes) { return with_room_[Rounded(bytes) / 8]; }

  std::vector<queue::Line<Block>> with_room_;  // by size: blocks with a free cell
  size_t blocks_ = 0;
};

}  // namespace aaren::shard

#endif  // AAREN_SERVER_SESSIONS_SHARD_TIERS_CELL_POOL_H_
