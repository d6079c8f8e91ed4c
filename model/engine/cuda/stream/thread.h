#ifndef AAREN_MODEL_ENGINE_CUDA_STREAM_THREAD_H_
#define AAREN_MODEL_ENGINE_CUDA_STREAM_THREAD_H_

// A thread of the streamed kernel (kernel.h): the places of shared memory, and how threads meet and send.
//
// A block of threads comes as `Block`, whose members name what a GPU does (cuda_block.h has a GPU's, the tests an
// emulated one):
//   thread(), rank(): numbers in the block, in the cluster; cluster(): its number; shared(): where shared memory begins
//   Get, Put, GetMany, PutMany, GetWeights: shared memory
//   Fresh, PutGlobal: the device's memory. Constant: numbers that nobody writes. Stage: 16 such bytes to shared memory
//   SyncAll, ArriveAll: a barrier of all threads, where some do not wait. Sync: of the workers. Named: of some warps
//   SyncWarp, ArriveCluster, WaitCluster
//   SetUpBar(bar, arrivals), ShowBars, Arrive, Expect(bar, bytes), Wait(bar, parity): a barrier in shared memory, whose
//     phase ends with the last arrival and the last byte
//   Copy(to, from, bytes, bar): a bulk copy into shared memory. Send(at, rank, numbers, bar): into another block's
//   AcrossLanes(number, mask): the number of another lane. Reciprocal: rounds as a division
//   FewRegisters, ManyRegisters, Prefetch, Clock

#include "model/engine/cuda/stream/plan.h"
#include "model/math/scalar_operations.h"

namespace aaren::engine {

template <int kTokens, int kBlocks, class Block>
class StreamThread {
 public:
  static constexpr int T = kTokens, C = kBlocks, S = LineStride(kTokens);

  AAREN_KERNEL StreamThread(Block& block, const ForwardCall& call, const StreamPlan& plan)
      : block(block),
        call(call),
        program(call.program),
        plan(plan),
        thread(block.thread()),
        rank(C == 1 ? 0 : block.rank()) {
    const StreamLayout layout = LayOutStream(plan, program.heads);
    char* shared = block.shared();
    bars = reinterpret_cast<uint64_t*>(shared);
    steps = reinterpret_cast<StreamStep*>(shared + layout.steps);
    tokens = reinterpret_cast<DeviceToken*>(shared + layout.tokens);
    shares = reinterpret_cast<double*>(shared + layout.shares);
    gains = reinterpret_cast<float*>(shared + layout.gains);
    lines = reinterpret_cast<float*>(shared + layout.lines);
    ring = shared + layout.ring;
  }

  AAREN_KERNEL float* Line(int line) const { return lines + line * S; }
  AAREN_KERNEL float Number(int line, int t) const { return block.Get(Line(line) + t); }
  AAREN_KERNEL void PutNumber(int line, int t, float number) const { block.Put(Line(line) + t, number); }
  AAREN_KERNEL DeviceToken Token(int t) const { return block.Get(tokens + t); }
  AAREN_KERNEL int Count() const { return static_cast<int>(tile.count); }
  // True if token t is the tile's first of a row; GoesOn: if token t + 1 is of the same row.
  AAREN_KERNEL bool Leads(int t) const { return t == 0 || Token(t - 1).state != Token(t).state; }
  AAREN_KERNEL bool GoesOn(int t) const { return t + 1 < Count() && Token(t + 1).state == Token(t).state; }
  template <class Number>
  AAREN_KERNEL Number Constant(ImageOffset offset, int64_t i) const {
    return block.Constant(reinterpret_cast<const Number*>(program.image + offset) + i);
  }

  // To all blocks of the cluster, this one too.
  template <int R>
  AAREN_KERNEL void SendAll(float* at, const float (&numbers)[R]) const {
    if constexpr (C == 1) {
      block.template PutMany<R>(at, numbers);
    } else {
      AAREN_UNROLL
      for (int r = 0; r < C; ++r) block.template Send<R>(at, r, numbers, &bars[kExchangeBar + (exchanges & 1)]);
    }
  }

  AAREN_KERNEL void Meet(const StreamStep& step) {
    if (C > 1 && step.meeting == StreamStep::kCluster) return Exchange(static_cast<uint32_t>(step.exchanged) * 16);
    if (step.meeting != StreamStep::kNone) block.Sync();
  }

  // Until all that the cluster sends is here. Two barriers take turns, since a block may be one exchange ahead of
  // another.
  AAREN_KERNEL void Exchange(uint32_t bytes) {
    uint64_t* bar = &bars[kExchangeBar + (exchanges & 1)];
    if (thread == 0) block.Expect(bar, bytes);
    block.Wait(bar, exchanges >> 1 & 1);
    ++exchanges;
    block.Sync();
  }

  // The clock of the first cluster's first thread.
  AAREN_KERNEL void NoteTime(int i) const {
    if (plan.cycles != nullptr && thread == 0 && rank == 0 && block.cluster() == 0) {
      block.PutGlobal(plan.cycles + i, block.Clock());
    }
  }

  Block& block;
  const ForwardCall& call;
  const Program& program;
  const StreamPlan& plan;
  const int thread, rank;
  uint64_t* bars;
  StreamStep* steps;
  DeviceToken* tokens;
  double* shares;
  float* gains;
  float* lines;
  char* ring;
  DeviceTile tile = {};
  int exchanges = 0;
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CUDA_STREAM_THREAD_H_
