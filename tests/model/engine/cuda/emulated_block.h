#ifndef AAREN_TESTS_MODEL_ENGINE_CUDA_EMULATED_BLOCK_H_
#define AAREN_TESTS_MODEL_ENGINE_CUDA_EMULATED_BLOCK_H_

// EmulatedBlock is the `Block` of model/engine/cuda/kernel.h on a CPU: EmulatedBlock runs a kernel's threads, and
// watches each access to memory. Every thread is a fiber. Between two barriers the fibers run one after another, in a
// random order: a kernel without a needed barrier gives wrong results. The missing barrier is a fault even where the
// results are equal.
//
// Faults:
//   - an access out of bounds, or not aligned
//   - a number touched by two threads without a barrier between, where at least one thread writes
//   - a number in the block's shared memory read before a thread has written the number
//   - a place in the device's memory written by one block and touched by another block
//   - a barrier never reached by some threads
// The first fault is told. A faulty read gives zero, and a faulty write is left out: the kernel comes to an end.
//
// Both memories are watched in words of four bytes. Threading: one thread makes a call of RunBlocks.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "model/math/scalar_operations.h"

namespace aaren::engine {

// The pieces of the device's memory: the size of each, by the address of the first byte.
using DevicePieces = std::map<uintptr_t, size_t>;

class EmulatedBlock {
 public:
  using Operations = math::ScalarOperations;
  template <class T>
  class View;

  int thread() const { return thread_; }
  int threads() const { return static_cast<int>(fibers_); }
  int block() const { return block_; }
  void Sync();

  template <class T>
  View<T> Shared(uint64_t offset, int64_t count) {
    if (offset % sizeof(T) != 0 || offset + static_cast<uint64_t>(count) * sizeof(T) > shared_.size()) {
      Fault("shared memory ends before a view of it");
      count = 0;
    }
    return View<T>(*this, reinterpret_cast<T*>(shared_.data() + offset), count, true);
  }

  template <class T>
  View<T> Global(T* pointer, int64_t count) {
    const auto at = reinterpret_cast<uintptr_t>(pointer);
    if (count > 0 && (at % alignof(T) != 0 || !InPiece(at, static_cast<size_t>(count) * sizeof(T)))) {
      Fault("a view lies outside the device's memory");
      count = 0;
    }
    return View<T>(*this, pointer, count, false);
  }

 private:
  friend struct BlockRun;
  friend std::string RunBlocks(const struct BlockGrid& grid, const std::function<void(EmulatedBlock&)>& kernel);

  static constexpr int kNobody = -1, kSeveral = -2;

  // The last threads to write and read a word, and the stretches between barriers. Stretch 0: never.
  struct Word {
    uint32_t written = 0, read = 0;
    int16_t writer = kNobody, reader = kNobody;
  };
  struct GlobalWord {
    Word word;
    int block = kNobody;  // the writing block, or the only reading block
    bool dirty = false;   // a block has written the word
    bool shared = false;  // several blocks have read the word
  };

  bool InPiece(uintptr_t at, size_t bytes) const;
  void Fault(const std::string& what);
  bool MayRead(Word& word, bool initialised);
  bool MayWrite(Word& word);
  bool TouchGlobal(uintptr_t at, bool write);

  template <class T>
  bool CheckAccess(const void* at, bool shared, bool write) {
    constexpr size_t kWords = (sizeof(T) + 3) / 4;
    bool fine = true;
    for (size_t i = 0; i < kWords; ++i) {
      const auto place = reinterpret_cast<uintptr_t>(at) / 4 + i;
      if (shared) {
        Word& word = words_[place - reinterpret_cast<uintptr_t>(shared_.data()) / 4];
        fine &= write ? MayWrite(word) : MayRead(word, true);
      } else {
        fine &= TouchGlobal(place, write);
      }
    }
    return fine;
  }

  int thread_ = 0, block_ = 0;
  size_t fibers_ = 0;
  uint32_t stretch_ = 1;  // between barriers
  std::vector<std::byte> shared_;
  std::vector<Word> words_;
  std::unordered_map<uintptr_t, GlobalWord> global_;  // in a call
  const DevicePieces* pieces_ = nullptr;
  std::string fault_;
  struct BlockRun* run_ = nullptr;
};

// Numbers side by side. For constants in the device's memory only the bounds are checked.
template <class T>
class EmulatedBlock::View {
 public:
  using Value = std::remove_const_t<T>;

  View(EmulatedBlock& block, T* data, int64_t count, bool shared)
      : block_(&block), data_(data), count_(count), shared_(shared) {}

  Value Get(int64_t i) const {
    if (!Inside(i, 1) || !Check(i, false)) return Value{};
    return data_[i];
  }
  void Put(int64_t i, Value value) const {
    if (Inside(i, 1) && Check(i, true)) data_[i] = value;
  }
  template <int kMany>
  void GetMany(int64_t i, Value (&to)[kMany]) const {
    const bool fine = Inside(i, kMany) && Aligned(i, kMany);
    for (int j = 0; j < kMany; ++j) to[j] = fine && Check(i + j, false) ? data_[i + j] : Value{};
  }
  template <int kMany>
  void PutMany(int64_t i, const Value (&from)[kMany]) const {
    if (!Inside(i, kMany) || !Aligned(i, kMany)) return;
    for (int j = 0; j < kMany; ++j) {
      if (Check(i + j, true)) data_[i + j] = from[j];
    }
  }

 private:
  bool Inside(int64_t i, int64_t many) const {
    if (i >= 0 && i + many <= count_) return true;
    block_->Fault("number " + std::to_string(i) + " of " + std::to_string(count_));
    return false;
  }
  bool Aligned(int64_t i, int many) const {
    const size_t bytes = sizeof(T) * static_cast<size_t>(many), unit = bytes < 16 ? bytes : 16;
    if (reinterpret_cast<uintptr_t>(data_ + i) % unit == 0) return true;
    block_->Fault("several numbers that are not aligned");
    return false;
  }
  bool Check(int64_t i, bool write) const {
    if constexpr (std::is_const_v<T>) return true;
    return block_->CheckAccess<T>(data_ + i, shared_, write);
  }

  EmulatedBlock* block_;
  T* data_;
  int64_t count_;
  bool shared_;
};

struct BlockGrid {
  uint32_t blocks = 1;
  int threads = 32;
  uint64_t shared_bytes = 0;
  uint64_t seed = 1;  // decides the order of threads
  const DevicePieces* pieces = nullptr;
};

// Runs `kernel` as every thread of every block. Returns the first fault, or nothing.
std::string RunBlocks(const BlockGrid& grid, const std::function<void(EmulatedBlock&)>& kernel);

}  // namespace aaren::engine

#endif  // AAREN_TESTS_MODEL_ENGINE_CUDA_EMULATED_BLOCK_H_
