#ifndef AAREN_MODEL_ENGINE_CUDA_STREAM_PRODUCT_H_
#define AAREN_MODEL_ENGINE_CUDA_STREAM_PRODUCT_H_

// The streamed kernel's ring of weights, and its products, for one thread. Each output is the chain of
// network/product.h: 128 depths from zero, then the next 128, then both are added, and the bias last.
//
// One warp fills slot after slot by bulk copies, and waits only where the workers have not yet given a slot back. The
// workers wait only where a slot is not yet full.

#include "model/engine/cuda/stream/thread.h"
#include "model/math/scalar_operations.h"

namespace aaren::engine {

template <class Thread, class Block>
class StreamProduct {
 public:
  using Ops = math::ScalarOperations;
  static constexpr int T = Thread::T, C = Thread::C, S = Thread::S;

  AAREN_KERNEL explicit StreamProduct(Thread& thread) : my_(thread), block_(thread.block), plan_(thread.plan) {}

  // The filling warp's whole work: the stream once for each tile. tile_begins(i) is called where tile i begins; only
  // the first tile's weights are copied before.
  template <class TileBegins>
  AAREN_KERNEL void Fill(const DeviceBlock& own, const TileBegins& tile_begins) {
    int ahead = plan_.slots < plan_.chunks ? plan_.slots : plan_.chunks;
    for (uint32_t i = 0; i < own.count; ++i) {
      if (i > 0) tile_begins(i);
      for (int step = 0; step < plan_.count; ++step) {
        const StreamStep s = block_.Get(my_.steps + step);
        if (s.kind == StreamStep::kTurn && s.last && OnlyFolds(own.begin + i)) break;
        if (s.kind != StreamStep::kProduct) continue;
        for (int chunk = 0; chunk < s.chunks; ++chunk) {
          if (i == 0 && ahead-- == 0) tile_begins(0);
          FillSlot(s, chunk);
        }
      }
      if (i == 0 && ahead >= 0) tile_begins(0);
    }
  }

  AAREN_KERNEL void Multiply(const StreamStep& s) {
    switch (s.shape) {
#define AAREN_SHAPE(n)                                                               \
  case n:                                                                            \
    if constexpr (HasShape(kProductShapes[n].rows, kProductShapes[n].columns, T, C)) \
      MultiplyBy<kProductShapes[n].rows, kProductShapes[n].columns>(s);              \
    break;
      AAREN_SHAPE(0)
      AAREN_SHAPE(1)
      AAREN_SHAPE(2)
      AAREN_SHAPE(3)
      AAREN_SHAPE(4)
      AAREN_SHAPE(5)
      AAREN_SHAPE(6)
      AAREN_SHAPE(7)
      AAREN_SHAPE(8)
      AAREN_SHAPE(9)
#undef AAREN_SHAPE
    }
  }

 private:
  static constexpr int16_t kNever = 32000;  // blocks

  AAREN_KERNEL char* Slot() const { return my_.ring + slot_ * plan_.slot_bytes; }
  AAREN_KERNEL uint64_t* Filled() const { return &my_.bars[2 * slot_]; }
  AAREN_KERNEL uint64_t* Emptied() const { return &my_.bars[2 * slot_ + 1]; }
  AAREN_KERNEL void Advance() {
    if (++slot_ == plan_.slots) slot_ = 0, phase_ ^= 1;
  }
  AAREN_KERNEL void GiveBack(int slot) {
    block_.SyncWarp();
    if (my_.thread % 32 == 0) block_.Arrive(&my_.bars[2 * slot + 1]);
  }

  AAREN_KERNEL void FillSlot(const StreamStep& s, int chunk) {
    if (my_.thread % 32 == 0) {
      const std::byte* stream = plan_.stream + static_cast<size_t>(plan_.rank_bytes) * static_cast<size_t>(my_.rank);
      const uint32_t bytes = chunk + 1 == s.chunks ? s.last_bytes : s.chunk_bytes;
      block_.Wait(Emptied(), phase_ ^ 1);
      block_.Expect(Filled(), bytes);
      block_.Copy(Slot(), stream + s.offset + static_cast<uint32_t>(chunk) * s.chunk_bytes, bytes, Filled());
    }
    block_.SyncWarp();
    Advance();
  }

  // Asked late, and of the device's memory: the workers have the tile's tokens, and this warp does not meet them.
  AAREN_KERNEL bool OnlyFolds(uint32_t tile) const {
    const DeviceTile it = block_.Constant(my_.call.tiles + tile);
    for (uint32_t t = it.begin; t < it.begin + it.count; ++t) {
      if (block_.Constant(&my_.call.tokens[t].forecast) != kOnlyFolds) return false;
    }
    return true;
  }

  template <int R, int Q>
  struct Group {
    static constexpr int kDepths = 8 / Q;
    uint32_t weights[4];
    float x[kDepths][R];
  };

  template <int R, int Q>
  AAREN_KERNEL void Load(const char* weights, const float* x, Group<R, Q>& to) const {
    block_.GetWeights(weights, to.weights);
    AAREN_UNROLL
    for (int j = 0; j < Group<R, Q>::kDepths; ++j) block_.template GetMany<R>(x + j * S, to.x[j]);
  }

  // Output q's weight of depth j is half q * kDepths + j of the group's eight.
  template <int R, int Q>
  AAREN_KERNEL void AddGroup(const Group<R, Q>& group, float (&sums)[Q][R]) const {
    AAREN_UNROLL
    for (int j = 0; j < Group<R, Q>::kDepths; ++j) {
      AAREN_UNROLL
      for (int q = 0; q < Q; ++q) {
        const int half = q * Group<R, Q>::kDepths + j;
        const uint32_t two = group.weights[half / 2];
        const float weight = Ops::FromBits(static_cast<int32_t>(half % 2 == 0 ? two << 16 : two & 0xffff0000u));
        AAREN_UNROLL
        for (int r = 0; r < R; ++r) sums[q][r] = Ops::Fma(group.x[j][r], weight, sums[q][r]);
      }
    }
  }

  AAREN_KERNEL void Pass(int chunks) {
    for (int chunk = 0; chunk < chunks; ++chunk) {
      block_.Wait(Filled(), phase_);
      GiveBack(slot_);
      Advance();
    }
  }

  // Warps without a part of the product let the chunks pass. Other warps have a block of depths in registers, and load
  // the next block's group as soon as a group is used, across chunks: one inner loop without branches.
  template <int R, int Q>
  AAREN_KERNEL void MultiplyBy(const StreamStep& s) {
    constexpr int kRowGroups = T / R, kGroups = GroupsAhead(R, Q), kDepths = Group<R, Q>::kDepths;
    const int warp = my_.thread / 32, i = my_.thread - 32 * s.first_warp;
    if (warp < s.first_warp || warp >= s.first_warp + s.warps) return Pass(s.chunks);
    const int wide = s.threads_wide * s.split;
    const bool active = i / kRowGroups < wide;
    const int row = i % kRowGroups * R, at = active ? i / kRowGroups : 0;
    const int half = at >= s.threads_wide ? 1 : 0, column = at - half * s.threads_wide;
    const int pitch = wide * 16;
    const float* x = my_.Line(s.from + half * 128) + row;
    float sums[Q][R] = {}, total[Q][R] = {};
    Group<R, Q> groups[kGroups];
    block_.Wait(Filled(), phase_);
    const char* weights = Slot() + at * 16;
    AAREN_UNROLL
    for (int j = 0; j < kGroups; ++j) Load<R, Q>(weights + j * pitch, x + j * kDepths * S, groups[j]);
    const int step_weights = kGroups * pitch;
    constexpr int kStepX = kGroups * kDepths * S;
    int until = s.half_blocks, rest = s.blocks, last = slot_;
    // Turn `chunk` loads the chunk's blocks and adds each block one turn of the loop later. The turn after the last
    // chunk only adds, and loads the last block once more.
    AAREN_NO_UNROLL
    for (int chunk = 0; chunk <= s.chunks; ++chunk) {
      int run = rest < s.chunk_blocks ? rest : s.chunk_blocks;
      rest -= run;
      if (chunk == 0) {
        --run, weights += step_weights, x += kStepX;
      } else if (chunk < s.chunks) {
        Advance();
        block_.Wait(Filled(), phase_);
        weights = Slot() + at * 16;
      } else {
        run = 1, weights -= step_weights, x -= kStepX;
      }
      AAREN_NO_UNROLL
      while (run > 0) {
        int n = run < until ? run : until;
        run -= n, until -= n;
        AAREN_NO_UNROLL
        for (; n > 0; --n) {
          AAREN_UNROLL
          for (int j = 0; j < kGroups; ++j) {
            AddGroup<R, Q>(groups[j], sums);
            Load<R, Q>(weights + j * pitch, x + j * kDepths * S, groups[j]);
          }
          weights += step_weights, x += kStepX;
        }
        if (until == 0) {
          until = kNever;
          AAREN_UNROLL
          for (int q = 0; q < Q; ++q) {
            AAREN_UNROLL
            for (int r = 0; r < R; ++r) total[q][r] = sums[q][r], sums[q][r] = 0.0f;
          }
        }
      }
      if (chunk > 0 && chunk < s.chunks) GiveBack(last), last = slot_;
    }
    float bias[Q];
    const float* biases = reinterpret_cast<const float*>(Slot() + s.bias_at16 * 16);  // [Q][threads_wide]
    AAREN_UNROLL
    for (int q = 0; q < Q; ++q) bias[q] = block_.Get(biases + q * s.threads_wide + column);
    GiveBack(slot_);
    Advance();
    if (s.half_blocks < s.blocks) Add<R, Q>(total, sums, sums);
    if (s.split == 2) AddOtherHalf<R, Q>(s, active, half, my_.Line(plan_.wide + s.scratch + column) + row, sums);
    if (!active || half == 1) return;
    AAREN_UNROLL
    for (int q = 0; q < Q; ++q) {
      AAREN_UNROLL
      for (int r = 0; r < R; ++r) sums[q][r] = Ops::Add(sums[q][r], bias[q]);
    }
    Keep<R, Q>(s, s.to + s.to_rank * my_.rank + column, row, sums);
  }

  template <int R, int Q>
  AAREN_KERNEL void Add(const float (&a)[Q][R], const float (&b)[Q][R], float (&to)[Q][R]) const {
    AAREN_UNROLL
    for (int q = 0; q < Q; ++q) {
      AAREN_UNROLL
      for (int r = 0; r < R; ++r) to[q][r] = Ops::Add(a[q][r], b[q][r]);
    }
  }

  // The second 128 depths come by lines that nothing else uses.
  template <int R, int Q>
  AAREN_KERNEL void AddOtherHalf(const StreamStep& s, bool active, int half, float* scratch,
                                 float (&sums)[Q][R]) const {
    if (active && half == 1) {
      AAREN_UNROLL
      for (int q = 0; q < Q; ++q) block_.template PutMany<R>(scratch + q * s.threads_wide * S, sums[q]);
    }
    block_.Named(s.named, s.warps * 32);
    if (active && half == 0) {
      float second[Q][R];
      AAREN_UNROLL
      for (int q = 0; q < Q; ++q) block_.template GetMany<R>(scratch + q * s.threads_wide * S, second[q]);
      Add<R, Q>(sums, second, sums);
    }
    block_.SyncWarp();  // a block that has received the sums may send numbers to the scratch lines
  }

  template <int R, int Q>
  AAREN_KERNEL void Keep(const StreamStep& s, int to, int row, float (&sums)[Q][R]) const {
    if constexpr (Q > 1) {
      if (s.then == Instruction::kGate) {
        AAREN_UNROLL
        for (int q = 0; q < Q; q += 2) {
          AAREN_UNROLL
          for (int r = 0; r < R; ++r) {
            sums[q][r] = Ops::Mul(math::scalar::SiluOf<Ops>(sums[q][r]), sums[q + 1][r]);
          }
          Put<R>(s, my_.Line(to + q / 2 * s.threads_wide) + row, sums[q]);
        }
        return;
      }
    }
    AAREN_UNROLL
    for (int q = 0; q < Q; ++q) {
      float* line = my_.Line(to + q * s.threads_wide) + row;
      if (s.then == Instruction::kAdd) {
        float before[R];
        block_.template GetMany<R>(line, before);
        AAREN_UNROLL
        for (int r = 0; r < R; ++r) sums[q][r] = Ops::Add(before[r], sums[q][r]);
      }
      Put<R>(s, line, sums[q]);
    }
  }

  template <int R>
  AAREN_KERNEL void Put(const StreamStep& s, float* at, const float (&numbers)[R]) const {
    if (s.remote) {
      my_.template SendAll<R>(at, numbers);
    } else {
      block_.template PutMany<R>(at, numbers);
    }
  }

  Thread& my_;
  Block& block_;
  const StreamPlan& plan_;
  int slot_ = 0, phase_ = 0;  // the place in the ring
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CUDA_STREAM_PRODUCT_H_
