#ifndef AAREN_MODEL_ENGINE_CUDA_PRODUCT_KERNEL_H_
#define AAREN_MODEL_ENGINE_CUDA_PRODUCT_KERNEL_H_

// The exact product on a device, for one thread of a block (kernel.h): an instruction kMultiply, without its barrier.
//
// All threads together make Columns() outputs of all tokens of the tile, a thread up to 8 tokens by 4 outputs. Threads
// of a warp mostly have the same tokens, and read one number of the tile and many weights side by side. Each output is
// one chain of one thread, in the order of network/product.h.

#include "model/engine/cuda/program.h"
#include "model/math/scalar_operations.h"

namespace aaren::engine {

template <class Block>
class ProductKernel {
 public:
  using Ops = typename Block::Operations;
  using Lines = typename Block::template View<float>;

  AAREN_KERNEL ProductKernel(Block& block, const ForwardCall& call, const Lines& lines)
      : block_(block),
        image_(call.program.image),
        tokens_(call.tile_tokens),
        stride_(LineStride(call.tile_tokens)),
        lines_(lines) {}

  AAREN_KERNEL void Multiply(const Instruction& it) { it.halved ? MultiplyBy<uint16_t>(it) : MultiplyBy<float>(it); }

 private:
  // Sums of kRows tokens and kColumns outputs, in registers.
  template <int kRows, int kColumns>
  struct Sums {
    float of[kColumns][kRows];
  };

  // Weights of the next depths, 8 bytes an output: twice as many are too many registers on sm_120.
  template <class Weight, int kColumns>
  struct Ahead {
    static constexpr int kDepths = 8 / sizeof(Weight);
    Weight of[kDepths][kColumns];
  };

  AAREN_KERNEL int At(int line, int t) const { return line * stride_ + t; }

  // Groups of outputs that keep every thread busy, then smaller groups for the remaining outputs.
  template <class Weight>
  AAREN_KERNEL void MultiplyBy(const Instruction& it) {
    for (int column = 0; column < it.width;) {
      const int rest = it.width - column;
      if (rest >= Columns<8, 4>()) {
        column += MultiplyGroup<Weight, 8, 4>(it, column);
      } else if (rest >= Columns<4, 4>()) {
        column += MultiplyGroup<Weight, 4, 4>(it, column);
      } else if (rest >= Columns<4, 2>()) {
        column += MultiplyGroup<Weight, 4, 2>(it, column);
      } else {
        column += MultiplyGroup<Weight, 2, 2>(it, column);
      }
    }
  }

  template <int kRows, int kColumns>
  AAREN_KERNEL int Columns() const {
    return block_.threads() / (tokens_ / kRows) * kColumns;
  }

  // Each thread makes kColumns outputs of kRows tokens; all threads together Columns() of all tokens.
  template <class Weight, int kRows, int kColumns>
  AAREN_KERNEL int MultiplyGroup(const Instruction& it, int first) {
    const int threads = block_.threads() / (tokens_ / kRows);
    const int row = block_.thread() / threads * kRows, column = first + block_.thread() % threads * kColumns;
    if (column < it.width) {
      Sums<kRows, kColumns> sums = {};
      AddUp<Weight>(it, row, column, sums);
      Keep(it, row, column, sums);
    }
    return Columns<kRows, kColumns>();
  }

  // K in blocks of 128: each block is a chain from zero; blocks are added in order, and the bias last. Weights come
  // from far, and the next depths' weights are asked for before the present weights are used.
  template <class Weight, int kRows, int kColumns>
  AAREN_KERNEL void AddUp(const Instruction& it, int row, int column, Sums<kRows, kColumns>& total) const {
    constexpr int kDepthBlock = 128;
    constexpr int kAhead = Ahead<Weight, kColumns>::kDepths;
    Ahead<Weight, kColumns> now, next;
    Fetch(it, 0, column, now);
    Sums<kRows, kColumns> chain = {};
    for (int k = 0; k < it.depth; k += kAhead) {
      Fetch(it, k + kAhead, column, next);
      AAREN_UNROLL
      for (int i = 0; i < kAhead; ++i) {
        if (k + i < it.depth) AddDepth(At(it.from + k + i, row), now.of[i], chain);
      }
      if ((k + kAhead) % kDepthBlock == 0 || k + kAhead >= it.depth) {
        Join(k < kDepthBlock, chain, total);
        chain = {};
      }
      now = next;
    }
    float bias[kColumns];
    const auto biases = block_.Global(reinterpret_cast<const float*>(image_ + it.bias), it.width);
    biases.template GetMany<kColumns>(column, bias);
    AAREN_UNROLL
    for (int c = 0; c < kColumns; ++c) {
      AAREN_UNROLL
      for (int r = 0; r < kRows; ++r) total.of[c][r] = Ops::Add(total.of[c][r], bias[c]);
    }
  }

  template <class Weight, int kColumns>
  AAREN_KERNEL void Fetch(const Instruction& it, int k, int column, Ahead<Weight, kColumns>& to) const {
    const auto weights =
        block_.Global(reinterpret_cast<const Weight*>(image_ + it.weights), static_cast<int64_t>(it.depth) * it.width);
    AAREN_UNROLL
    for (int i = 0; i < Ahead<Weight, kColumns>::kDepths; ++i) {
      if (k + i >= it.depth) continue;
      weights.template GetMany<kColumns>(static_cast<int64_t>(k + i) * it.width + column, to.of[i]);
    }
  }

  // at: the place of the first token's number.
  template <class Weight, int kRows, int kColumns>
  AAREN_KERNEL void AddDepth(int at, const Weight (&weights)[kColumns], Sums<kRows, kColumns>& chain) const {
    float x[kRows];
    lines_.template GetMany<kRows>(at, x);
    AAREN_UNROLL
    for (int c = 0; c < kColumns; ++c) {
      const float weight = AsFloat(weights[c]);
      AAREN_UNROLL
      for (int r = 0; r < kRows; ++r) chain.of[c][r] = Ops::Fma(x[r], weight, chain.of[c][r]);
    }
  }

  template <int kRows, int kColumns>
  static AAREN_KERNEL void Join(bool first, const Sums<kRows, kColumns>& chain, Sums<kRows, kColumns>& total) {
    AAREN_UNROLL
    for (int c = 0; c < kColumns; ++c) {
      AAREN_UNROLL
      for (int r = 0; r < kRows; ++r) {
        total.of[c][r] = first ? chain.of[c][r] : Ops::Add(total.of[c][r], chain.of[c][r]);
      }
    }
  }

  static AAREN_KERNEL float AsFloat(float weight) { return weight; }
  static AAREN_KERNEL float AsFloat(uint16_t upper) {
    return Ops::FromBits(static_cast<int32_t>(static_cast<uint32_t>(upper) << 16));
  }

  template <int kRows, int kColumns>
  AAREN_KERNEL void Keep(const Instruction& it, int row, int column, Sums<kRows, kColumns>& sums) {
    if (it.then == Instruction::kGate) {
      for (int c = 0; c < kColumns; c += 2) {
        for (int r = 0; r < kRows; ++r) {
          sums.of[c][r] = Ops::Mul(math::scalar::SiluOf<Ops>(sums.of[c][r]), sums.of[c + 1][r]);
        }
        lines_.template PutMany<kRows>(At(it.to + (column + c) / 2, row), sums.of[c]);
      }
      return;
    }
    for (int c = 0; c < kColumns; ++c) {
      const int at = At(it.to + column + c, row);
      if (it.then == Instruction::kAdd) {
        float before[kRows];
        lines_.template GetMany<kRows>(at, before);
        for (int r = 0; r < kRows; ++r) sums.of[c][r] = Ops::Add(before[r], sums.of[c][r]);
      }
      lines_.template PutMany<kRows>(at, sums.of[c]);
    }
  }

  Block& block_;
  const std::byte* image_;
  const int tokens_;  // tokens of a full tile
  const int stride_;
  const Lines lines_;
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CUDA_PRODUCT_KERNEL_H_
