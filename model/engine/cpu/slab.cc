#include "model/engine/cpu/slab.h"

#include <sys/mman.h>

#include <algorithm>
#include <limits>
#include <new>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace aaren::engine {
namespace {

constexpr size_t kBlockBytes = size_t{1} << 20;

}  // namespace

// Fresh pages of the system: aligned, and no memory is spent on a page before its first row is written.
struct StateSlab::Block {
  explicit Block(size_t bytes)
      : bytes(bytes), data(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  ~Block() {
    if (data != MAP_FAILED) munmap(data, bytes);
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  size_t bytes;
  void* data;
};

StateSlab::StateSlab(size_t row_bytes, size_t capacity_rows)
    : row_bytes_(row_bytes),
      capacity_(std::min<size_t>(capacity_rows, std::numeric_limits<uint32_t>::max())),
      rows_per_block_(std::max<size_t>(1, kBlockBytes / row_bytes)) {}

StateSlab::~StateSlab() = default;

absl::StatusOr<Slot> StateSlab::Allocate() {
  if (used_ == capacity_) return absl::ResourceExhaustedError(absl::StrCat("all ", capacity_, " rows are taken"));
  if (free_.empty()) {
    const size_t index = generations_.size();
    if (index == blocks_.size() * rows_per_block_) {
      auto block = std::make_unique<Block>(rows_per_block_ * row_bytes_);
      if (block->data == MAP_FAILED) {
        return absl::ResourceExhaustedError(absl::StrCat("the system has no ", block->bytes, " bytes for more rows"));
      }
      blocks_.push_back(std::move(block));
    }
    generations_.push_back(0);
    free_.push_back(static_cast<uint32_t>(index));
  }
  const uint32_t index = free_.back();
  free_.pop_back();
  ++used_;
  return Slot{.index = index, .generation = ++generations_[index]};
}

void StateSlab::Free(Slot slot) {
  if (Row(slot).empty()) return;
  ++generations_[slot.index];
  free_.push_back(slot.index);
  --used_;
}

absl::Span<std::byte> StateSlab::Row(Slot slot) {
  // An even generation is a freed row's: no Slot that was handed out has one.
  if (slot.index >= generations_.size() || slot.generation % 2 == 0 || generations_[slot.index] != slot.generation) {
    return {};
  }
  auto* block = static_cast<std::byte*>(blocks_[slot.index / rows_per_block_]->data);
  return absl::MakeSpan(block + slot.index % rows_per_block_ * row_bytes_, row_bytes_);
}

}  // namespace aaren::engine
