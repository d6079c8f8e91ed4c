#include "model/engine/cpu/slab.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace aaren::engine {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kBlockBytes = 16 * kHugePage;

}  // namespace

// Fresh memory from the system, aligned to huge pages. The system spends nothing on a page before the page's first row
// is written. With huge pages, access to a random row costs one miss of the address cache instead of several, and one
// page fault brings in hundreds of rows.
struct StateSlab::Block {
  // The first `small` bytes get pages of the usual size.
  Block(size_t bytes, size_t small) : bytes((bytes + kHugePage - 1) / kHugePage * kHugePage) {
    // One more huge page is mapped, so that the block can begin on a boundary. Both ends are unmapped again.
    void* mapped = mmap(nullptr, this->bytes + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return;
    auto* begin = static_cast<std::byte*>(mapped);
    const size_t before = (kHugePage - reinterpret_cast<uintptr_t>(begin) % kHugePage) % kHugePage;
    data = begin + before;
    if (before > 0) munmap(begin, before);
    munmap(data + this->bytes, kHugePage - before);
    madvise(data + small, this->bytes - small, MADV_HUGEPAGE);  // only advice: a system without huge pages works, too
  }
  ~Block() {
    if (data != nullptr) munmap(data, bytes);
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  size_t bytes;
  std::byte* data = nullptr;  // null if the system has no more memory
};

StateSlab::StateSlab(size_t row_bytes, size_t capacity_rows)
    : row_bytes_(row_bytes),
      // A slot's index has 32 bits.
      capacity_(std::min<size_t>(capacity_rows, std::numeric_limits<uint32_t>::max())),
      rows_per_block_(std::max<size_t>(1, kBlockBytes / row_bytes)) {}

StateSlab::~StateSlab() = default;

absl::StatusOr<Slot> StateSlab::Allocate() {
  if (used_ == capacity_) return absl::ResourceExhaustedError(absl::StrCat("all ", capacity_, " rows are taken"));
  if (free_.empty()) {
    const size_t index = generations_.size();
    if (index == blocks_.size() * rows_per_block_) {
      // The first block starts with small pages, so that a slab of a few rows spends no huge page.
      auto block = std::make_unique<Block>(rows_per_block_ * row_bytes_, blocks_.empty() ? kHugePage : 0);
      if (block->data == nullptr) {
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
  // An even generation marks a freed place: no Slot that was handed out has an even generation.
  if (slot.index >= generations_.size() || slot.generation % 2 == 0 || generations_[slot.index] != slot.generation) {
    return {};
  }
  std::byte* block = blocks_[slot.index / rows_per_block_]->data;
  return absl::MakeSpan(block + slot.index % rows_per_block_ * row_bytes_, row_bytes_);
}

}  // namespace aaren::engine
