#include "server/sessions/shard/tiers/cell_pool.h"

#include <cstdlib>
#include <new>

namespace aaren::shard {
namespace {

// Blocks lie at multiples of the size, so a cell's address tells the block. Large enough for malloc to map a block
// alone: pages without a taken cell are never touched.
constexpr size_t kBlockBytes = 256 << 10;

}  // namespace

struct CellPool::Block {
  Block* previous = nullptr;
  Block* next = nullptr;
  void* free = nullptr;            // freed cells; a freed cell begins with the next cell's address
  uint32_t used = 0;               // cells
  uint32_t fresh = sizeof(Block);  // from here on no cell was taken yet

  static Block& Of(void* cell) {
    return *reinterpret_cast<Block*>(reinterpret_cast<uintptr_t>(cell) & ~uintptr_t{kBlockBytes - 1});
  }
  bool HasRoom(size_t bytes) const { return free != nullptr || fresh + bytes <= kBlockBytes; }

  void* Take(size_t bytes) {
    ++used;
    if (free != nullptr) {
      void* cell = free;
      free = *static_cast<void**>(cell);
      return cell;
    }
    void* cell = reinterpret_cast<std::byte*>(this) + fresh;
    fresh += static_cast<uint32_t>(bytes);
    return cell;
  }
};

CellPool::CellPool() : with_room_(kLargest / 8 + 1) {}

CellPool::~CellPool() {
  for (queue::Line<Block>& line : with_room_) {
    while (Block* block = line.front()) {
      line.Remove(*block);
      std::free(block);
    }
  }
}

void* CellPool::Allocate(size_t bytes) {
  bytes = Rounded(bytes);
  queue::Line<Block>& room = RoomFor(bytes);
  if (room.empty()) {
    void* memory = std::aligned_alloc(kBlockBytes, kBlockBytes);
    if (memory == nullptr) throw std::bad_alloc();
    room.PushBack(*new (memory) Block);
    ++blocks_;
  }
  Block& block = *room.front();
  void* cell = block.Take(bytes);
  if (!block.HasRoom(bytes)) room.Remove(block);
  return cell;
}

void CellPool::Free(void* cell, size_t bytes) {
  bytes = Rounded(bytes);
  queue::Line<Block>& room = RoomFor(bytes);
  Block& block = Block::Of(cell);
  if (!block.HasRoom(bytes)) room.PushBack(block);
  *static_cast<void**>(cell) = block.free;
  block.free = cell;
  if (--block.used > 0) return;
  room.Remove(block);
  std::free(&block);
  --blocks_;
}

}  // namespace aaren::shard
