#ifndef AAREN_TESTS_BENCH_ENGINE_COUNTED_BLOCK_H_
#define AAREN_TESTS_BENCH_ENGINE_COUNTED_BLOCK_H_

// CountedBlock is an EmulatedBlock that counts the demands of the kernel's text (model/engine/cuda/kernel.h) on a GPU:
// every operation and every access, by thread and by stretch between two barriers. A compiler's additions are not
// counted: addresses, loops, moves. Threading: one thread, with the kernel's threads as fibers.

#include <cstdint>
#include <string>
#include <vector>

#include "model/engine/cuda/program.h"
#include "model/math/scalar_operations.h"
#include "tests/model/engine/cuda/emulated_block.h"

namespace aaren::bench {

// A load or a store of up to 16 bytes by one thread.
struct Access {
  uint64_t at;  // the byte: in shared memory, or an address
  uint32_t bytes;
};

// The counts of one thread in one stretch.
struct ThreadCounts {
  uint64_t multiply_adds = 0, others = 0;         // floats and whole numbers: an instruction each
  uint64_t divisions = 0;                         // floats, and roots: several
  uint64_t doubles = 0, double_divisions = 0;     // the same for doubles
  std::vector<Access> shared, constants, memory;  // the block's; the image's; the rest of the device's memory
};

// By stretch, then by thread.
using BlockCounts = std::vector<std::vector<ThreadCounts>>;

// The exact tier's arithmetic, counted for the thread that runs.
struct CountedOperations : math::ScalarOperations {
  using Plain = math::ScalarOperations;
  static inline ThreadCounts* now = nullptr;

  static float Add(float a, float b) { return ++now->others, Plain::Add(a, b); }
  static float Sub(float a, float b) { return ++now->others, Plain::Sub(a, b); }
  static float Mul(float a, float b) { return ++now->others, Plain::Mul(a, b); }
  static float Min(float a, float b) { return ++now->others, Plain::Min(a, b); }
  static float Max(float a, float b) { return ++now->others, Plain::Max(a, b); }
  static float Round(float a) { return ++now->others, Plain::Round(a); }
  static float Select(bool mask, float yes, float no) { return ++now->others, Plain::Select(mask, yes, no); }
  static bool Less(float a, float b) { return ++now->others, Plain::Less(a, b); }
  static bool AtLeast(float a, float b) { return ++now->others, Plain::AtLeast(a, b); }
  static float Fma(float a, float b, float c) { return ++now->multiply_adds, Plain::Fma(a, b, c); }
  static float MinusFma(float a, float b, float c) { return ++now->multiply_adds, Plain::MinusFma(a, b, c); }
  static float Div(float a, float b) { return ++now->divisions, Plain::Div(a, b); }
  static float Sqrt(float a) { return ++now->divisions, Plain::Sqrt(a); }
  static double Add(double a, double b) { return ++now->doubles, Plain::Add(a, b); }
  static double Sub(double a, double b) { return ++now->doubles, Plain::Sub(a, b); }
  static double Mul(double a, double b) { return ++now->doubles, Plain::Mul(a, b); }
  static bool Less(double a, double b) { return ++now->doubles, Plain::Less(a, b); }
  static float ToFloat(double a) { return ++now->doubles, Plain::ToFloat(a); }
  static double Div(double a, double b) { return ++now->double_divisions, Plain::Div(a, b); }
  static int32_t ToWhole(float a) { return ++now->others, Plain::ToWhole(a); }
  static float ToNumber(int32_t a) { return ++now->others, Plain::ToNumber(a); }
  static int32_t AddWhole(int32_t a, int32_t b) { return ++now->others, Plain::AddWhole(a, b); }
  static int32_t SubWhole(int32_t a, int32_t b) { return ++now->others, Plain::SubWhole(a, b); }
  static int32_t ShiftLeft23(int32_t a) { return ++now->others, Plain::ShiftLeft23(a); }
  static int32_t ShiftRight1(int32_t a) { return ++now->others, Plain::ShiftRight1(a); }
  static int32_t ShiftRight23(int32_t a) { return ++now->others, Plain::ShiftRight23(a); }
};

class CountedBlock {
 public:
  using Operations = CountedOperations;
  template <class T>
  class View;

  // Adds to `counts`, which outlive the block. program: the call's.
  CountedBlock(engine::EmulatedBlock& block, const engine::Program& program, BlockCounts& counts)
      : block_(block), program_(program), counts_(counts) {
    Begin();
  }

  int thread() const { return block_.thread(); }
  int threads() const { return block_.threads(); }
  int block() const { return block_.block(); }
  void Sync() {
    block_.Sync();
    ++stretch_;
    Begin();
  }

  template <class T>
  View<T> Shared(uint64_t offset, int64_t count) {
    return {block_.Shared<T>(offset, count), offset, &ThreadCounts::shared};
  }
  template <class T>
  View<T> Global(T* pointer, int64_t count) {
    const auto at = reinterpret_cast<uint64_t>(pointer), image = reinterpret_cast<uint64_t>(program_.image);
    const bool constant = at >= image && at < image + program_.image_bytes;
    return {block_.Global<T>(pointer, count), at, constant ? &ThreadCounts::constants : &ThreadCounts::memory};
  }

 private:
  void Begin() {
    if (stretch_ == counts_.size()) counts_.emplace_back(static_cast<size_t>(threads()));
    Operations::now = &counts_[stretch_][static_cast<size_t>(thread())];
  }

  engine::EmulatedBlock& block_;
  const engine::Program& program_;
  BlockCounts& counts_;
  size_t stretch_ = 0;
};

template <class T>
class CountedBlock::View {
 public:
  using Inner = engine::EmulatedBlock::View<T>;
  using Value = typename Inner::Value;
  using Counted = std::vector<Access> ThreadCounts::*;

  View(Inner inner, uint64_t at, Counted counted) : inner_(inner), at_(at), counted_(counted) {}

  Value Get(int64_t i) const { return Count(i, 1), inner_.Get(i); }
  void Put(int64_t i, Value value) const { Count(i, 1), inner_.Put(i, value); }
  template <int kMany>
  void GetMany(int64_t i, Value (&to)[kMany]) const {
    Count(i, kMany);
    inner_.template GetMany<kMany>(i, to);
  }
  template <int kMany>
  void PutMany(int64_t i, const Value (&from)[kMany]) const {
    Count(i, kMany);
    inner_.template PutMany<kMany>(i, from);
  }

 private:
  void Count(int64_t i, uint32_t many) const {
    constexpr uint32_t kMost = 16;
    uint64_t at = at_ + static_cast<uint64_t>(i) * sizeof(T);
    for (uint32_t left = many * sizeof(T), bytes; left > 0; left -= bytes, at += bytes) {
      bytes = left < kMost ? left : kMost;
      (Operations::now->*counted_).push_back({at, bytes});
    }
  }

  Inner inner_;
  uint64_t at_;
  Counted counted_;
};

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_ENGINE_COUNTED_BLOCK_H_
