#ifndef AAREN_MODEL_ENGINE_CUDA_STREAM_KERNEL_H_
#define AAREN_MODEL_ENGINE_CUDA_STREAM_KERNEL_H_

// The network on a device whose blocks copy in the background: one thread of one block of a call, by a StreamPlan
// (plan.h). The bits are the plain kernel's (../kernel.h), and CUDA is as little known here: `Block` is in thread.h.
//
// 256 workers take the steps one after another. Beside the workers one warp fills the ring of weights (product.h), and
// three warps load steps and gains. Blocks of a cluster meet by the numbers sent: a block waits until all bytes of the
// step have come. Rows are in the device's memory, and each number of a row is one thread's.

#include "model/engine/cuda/stream/fold.h"
#include "model/engine/cuda/stream/head.h"
#include "model/engine/cuda/stream/product.h"
#include "model/engine/cuda/stream/thread.h"

namespace aaren::engine {

template <class Thread, class Block>
class StreamKernel {
 public:
  using Ops = math::ScalarOperations;
  using Product = StreamProduct<Thread, Block>;
  using Fold = StreamFold<Thread, Block>;
  using Head = StreamHead<Thread, Block>;
  static constexpr int T = Thread::T, C = Thread::C;

  AAREN_KERNEL StreamKernel(Thread& thread, Product& product, Fold& fold, Head& head)
      : block_(thread.block),
        call_(thread.call),
        program_(thread.program),
        plan_(thread.plan),
        my_(thread),
        product_(product),
        fold_(fold),
        head_(head) {}

  AAREN_KERNEL void Run() {
    const DeviceBlock own = block_.Constant(call_.blocks + block_.cluster());
    if (my_.thread >= kStreamWorkers) {
      block_.FewRegisters();
      return Help(own);
    }
    block_.ManyRegisters();
    for (uint32_t i = 0; i < own.count; ++i) {
      my_.tile = block_.Constant(call_.tiles + own.begin + i);
      RunTile(i == 0);
    }
  }

 private:
  static constexpr int kHelpers = kStreamThreads - kStreamWorkers, kHelpersBarrier = 14;

  // The filling warp and the three beside it.
  AAREN_KERNEL void Help(const DeviceBlock& own) {
    const int helper = my_.thread - kStreamWorkers - 32;
    if (helper == -32) SetUpBars();
    const auto stage = [&](void* to, const void* from, int bytes) {
      for (int i = helper * 16; helper >= 0 && i < bytes; i += (kHelpers - 32) * 16) {
        block_.Stage(static_cast<char*>(to) + i, static_cast<const char*>(from) + i);
      }
    };
    stage(my_.steps, plan_.steps, plan_.count * static_cast<int>(sizeof(StreamStep)));
    block_.Named(kHelpersBarrier, kHelpers);
    stage(my_.gains, plan_.gains, plan_.norms * kStreamWidth * static_cast<int>(sizeof(float)));
    block_.ArriveAll();
    if constexpr (C > 1) block_.ArriveCluster();
    const auto tile_begins = [&](uint32_t tile) {
      if constexpr (C > 1) {
        if (tile > 0) block_.ArriveCluster();
        block_.WaitCluster();
      }
    };
    if (helper < 0) return product_.Fill(own, tile_begins);
    for (uint32_t i = 0; i < own.count; ++i) PrefetchRows(block_.Constant(call_.tiles + own.begin + i), helper);
    for (uint32_t i = 0; i < own.count; ++i) tile_begins(i);
  }

  AAREN_KERNEL void SetUpBars() {
    for (int i = 0; i < plan_.slots; ++i) {
      block_.SetUpBar(&my_.bars[2 * i], 1);
      block_.SetUpBar(&my_.bars[2 * i + 1], kStreamWorkers / 32);
    }
    for (int i = 0; i < 2; ++i) block_.SetUpBar(&my_.bars[kExchangeBar + i], 1);
    block_.ShowBars();
  }

  AAREN_KERNEL void PrefetchRows(const DeviceTile& tile, int helper) {
    constexpr int kBeside = 4, kLine = 16;  // helpers of a row, doubles of a line of the cache
    for (int t = helper / kBeside; t < static_cast<int>(tile.count); t += (kHelpers - 32) / kBeside) {
      const double* state = block_.Constant(call_.tokens + tile.begin + t).state;
      for (int at = helper % kBeside * kLine; at < program_.state_doubles; at += kBeside * kLine) {
        block_.Prefetch(state + at);
      }
    }
  }

  AAREN_KERNEL void RunTile(bool first) {
    my_.NoteTime(0);
    Load(call_.inputs, program_.input_stride, program_.input_width, kStreamInputs, 32, plan_.in, 0);
    for (int t = my_.thread; t < T; t += kStreamWorkers) {
      block_.Put(my_.tokens + t, t < my_.Count() ? block_.Constant(call_.tokens + my_.tile.begin + t) : DeviceToken{});
    }
    if (first) block_.SyncAll();
    if constexpr (C > 1) {
      block_.ArriveCluster();
      block_.WaitCluster();
    } else if (!first) {
      block_.Sync();
    }
    my_.NoteTime(1);
    StreamStep next = block_.Get(my_.steps);
    for (int i = 0; i < plan_.count; ++i) {
      const StreamStep step = next;
      if (i + 1 < plan_.count) next = block_.Get(my_.steps + i + 1);
      if constexpr (Fold::kMerged) {
        if (step.kind == StreamStep::kProduct && next.kind == StreamStep::kTurn) fold_.Fetch(next);
      }
      Do(step);
      my_.Meet(step);
      if (step.kind == StreamStep::kTurn) {
        fold_.Flush();
        if (step.last && OnlyFolds()) {
          block_.Sync();  // all have read the tokens
          return;
        }
      }
      my_.NoteTime(2 + i);
    }
  }

  AAREN_KERNEL bool OnlyFolds() const {
    for (int t = 0; t < my_.Count(); ++t) {
      if (my_.Token(t).forecast != kOnlyFolds) return false;
    }
    return true;
  }

  AAREN_KERNEL void Do(const StreamStep& step) {
    switch (step.kind) {
      case StreamStep::kProduct:
        return product_.Multiply(step);
      case StreamStep::kNorm:
        return Normalize(step);
      case StreamStep::kWeigh:
        return fold_.Weigh(step);
      case StreamStep::kTurn:
        return fold_.Turn(step);
      case StreamStep::kHead:
        head_.Softmax();
        return head_.Softplus();
      case StreamStep::kSpread:
        return head_.Spread();
      case StreamStep::kWrite:
        return head_.Write();
    }
  }

  // A warp takes a token. In every 32 lines the first `filled` hold numbers, and the rest zeros.
  AAREN_KERNEL void Load(const float* from, int from_stride, int width, int lines, int filled, int to, int first) {
    constexpr int kMost = kStreamInputs / 32, kWarps = kStreamWorkers / 32;
    const int lane = my_.thread % 32;
    for (int t = (my_.thread / 32 + first) % kWarps; t < T; t += kWarps) {
      const float* numbers =
          from + static_cast<size_t>(my_.tile.begin + static_cast<uint32_t>(t)) * static_cast<size_t>(from_stride);
      float got[kMost];
      AAREN_UNROLL
      for (int j = 0; j < kMost; ++j) {
        const int at = j * filled + lane;
        const bool there = 32 * j < lines && t < my_.Count() && lane < filled && at < width;
        got[j] = there ? block_.Constant(numbers + at) : 0.0f;
      }
      AAREN_UNROLL
      for (int j = 0; j < kMost; ++j) {
        if (32 * j < lines) my_.PutNumber(to + 32 * j + lane, t, got[j]);
      }
    }
  }

  // Half a warp takes a token, and a lane one of the plain kernel's sixteen partials.
  AAREN_KERNEL void Normalize(const StreamStep& s) {
    constexpr int kPartials = 16, kEach = kStreamWidth / kPartials;
    if (s.norm == 0 && program_.knots > 0) {
      Load(call_.residuals, program_.residual_stride, program_.residual_width, kStreamSources * kStreamResiduals,
           program_.residual_width / kStreamSources, plan_.residuals, 4);
    }
    const int lane = my_.thread % 32, partial = lane % kPartials;
    for (int t = my_.thread / 32 * 2 + lane / kPartials; t < T; t += kStreamWorkers / kPartials) {
      float x[kEach], gain[kEach], sum = 0.0f;
      AAREN_UNROLL
      for (int i = 0; i < kEach; ++i) gain[i] = block_.Get(my_.gains + s.norm * kStreamWidth + partial + kPartials * i);
      AAREN_UNROLL
      for (int i = 0; i < kEach; ++i) x[i] = my_.Number(plan_.x + partial + kPartials * i, t);
      AAREN_UNROLL
      for (int i = 0; i < kEach; ++i) sum = Ops::Fma(x[i], x[i], sum);
      AAREN_UNROLL
      for (int mask = kPartials / 2; mask > 0; mask /= 2) sum = Ops::Add(sum, block_.AcrossLanes(sum, mask));
      const float mean = Ops::Mul(sum, 1.0f / kStreamWidth);  // a power of two: the bits of a division
      const float scale = block_.Reciprocal(Ops::Sqrt(Ops::Add(mean, 1e-6f)));
      AAREN_UNROLL
      for (int i = 0; i < kEach; ++i) {
        my_.PutNumber(plan_.in + partial + kPartials * i, t, Ops::Mul(Ops::Mul(x[i], scale), gain[i]));
      }
    }
  }

  Block& block_;
  const ForwardCall& call_;
  const Program& program_;
  const StreamPlan& plan_;
  Thread& my_;
  Product& product_;
  Fold& fold_;
  Head& head_;
};

// A thread's whole work. The four parts are separate variables, so that the compiler keeps their members in registers.
// Members of an object with a pointer into the object itself would go to memory.
template <int kTokens, int kBlocks, class Block>
AAREN_KERNEL void RunStream(Block& block, const ForwardCall& call, const StreamPlan& plan) {
  using Thread = StreamThread<kTokens, kBlocks, Block>;
  Thread thread(block, call, plan);
  StreamProduct<Thread, Block> product(thread);
  StreamFold<Thread, Block> fold(thread);
  StreamHead<Thread, Block> head(thread);
  StreamKernel<Thread, Block>(thread, product, fold, head).Run();
}

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CUDA_STREAM_KERNEL_H_
