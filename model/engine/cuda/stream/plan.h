#ifndef AAREN_MODEL_ENGINE_CUDA_STREAM_PLAN_H_
#define AAREN_MODEL_ENGINE_CUDA_STREAM_PLAN_H_

// A StreamPlan tells the streamed kernel (kernel.h) how to go through a network with tiles of T tokens and clusters of
// C blocks: steps, and weights packed in the order in which threads read. Plain values, shared by host and device.
//
// Every block of a cluster has all activations of the tile in shared memory. Block `rank` makes a share of each
// product's outputs, from a stream of weights of its own, and sends the outputs to all blocks. A stream is cut into
// *chunks*; the chunks pass a ring of slots in shared memory.
//
// Threads of a product have R tokens and Q outputs each: a *shape*. Sixteen bytes of weights are a *group*: 8 / Q
// depths of Q outputs. A thread has the groups of a *block* of depths in registers while the next ones are loaded.

#include "model/engine/cuda/program.h"

#ifdef __CUDACC__
#define AAREN_NO_UNROLL _Pragma("unroll 1")
#else
#define AAREN_NO_UNROLL
#endif

namespace aaren::engine {

constexpr int kStreamWorkers = 256;  // threads that compute
constexpr int kStreamThreads = 384;  // with the warp that fills the ring, and three more that load steps and gains
constexpr int kMostStreamSteps = 64;
constexpr int kMostStreamSlots = 60;
constexpr int kStreamInputs = 256;  // lines of a tile's input, filled up with zeros
constexpr int kStreamWidth = 128;   // numbers that a norm takes
constexpr int kStreamSources = 3;   // sources of seasons whose residuals are inputs; the lines of each:
constexpr int kStreamResiduals = 32;
constexpr int kExchangeBar = 2 * kMostStreamSlots;  // barriers of memory: two of each slot, then two of the exchanges
constexpr int kStreamBars = kExchangeBar + 2;

// Tokens of a tile and blocks of a cluster that there are kernels for.
struct StreamForm {
  int tokens, blocks;
};
constexpr StreamForm kStreamForms[] = {{8, 16}, {8, 8}, {8, 4}, {8, 2}, {8, 1}, {16, 1}, {32, 1}};
constexpr int kStreamFormCount = sizeof(kStreamForms) / sizeof(StreamForm);

// Tokens and outputs of a thread.
struct ProductShape {
  int rows, columns;
};
constexpr ProductShape kProductShapes[] = {{1, 1}, {2, 1}, {2, 2}, {4, 1}, {4, 2},
                                           {4, 4}, {4, 8}, {8, 4}, {8, 8}, {1, 2}};
constexpr int kProductShapeCount = sizeof(kProductShapes) / sizeof(ProductShape);

// Groups in a thread's registers.
AAREN_DEVICE constexpr int GroupsAhead(int rows, int columns) {
  return rows >= 8 || (rows == 4 && columns == 1) ? 2 : 4;
}
AAREN_DEVICE constexpr int BlockDepths(int rows, int columns) { return GroupsAhead(rows, columns) * (8 / columns); }

// A form has code for few shapes.
AAREN_DEVICE constexpr bool HasShape(int rows, int columns, int tokens, int blocks) {
  if (tokens == 8 && blocks >= 16) return (rows <= 2 && columns <= 2) || (rows == 4 && columns == 2);
  if (tokens == 8 && blocks >= 4) return (rows <= 2 && columns <= rows) || (rows == 4 && columns <= 4);
  if (tokens == 8) return rows == 4 || (rows == 1 && columns == 1);
  if (tokens == 16) return (rows == 4 && columns != 1) || (rows == 8 && columns == 8);
  return rows == 8 || (rows == 4 && columns == 4);
}

struct StreamStep {
  enum Kind : int16_t {
    kProduct,
    kNorm,
    kWeigh,  // kWeigh of program.h; in large clusters a part of kTurn
    kTurn,
    kHead,  // softmax and softplus
    kSpread,
    kWrite,
  };
  enum Meeting : int16_t { kNone, kBlock, kCluster };  // at its end

  int16_t kind, meeting;
  int16_t instruction;        // its number
  int16_t exchanged;          // 16 bytes that a cluster sends each block, at a meeting
  int16_t from, to, to_rank;  // lines; to + to_rank * rank is the first output's
  int16_t layer, gate, norm;
  int16_t last;  // 1 for the last turn: a tile without a forecast ends there

  // A product's threads are [split][threads_wide][tokens / rows], from warp first_warp on.
  int16_t shape, then;
  int16_t depth, split;  // 2: the second 128 depths are other threads'
  int16_t threads_wide, first_warp, warps;
  int16_t named;                         // the barrier of a split product
  int16_t remote;                        // 1 if all blocks get the outputs
  int16_t chunks, blocks, chunk_blocks;  // blocks of a thread: in all, of a chunk
  int16_t half_blocks;                   // before the chain of 128 ends
  int16_t bias_at16;                     // in the last chunk
  int16_t scratch;                       // lines from `wide` on, of a split product
  int16_t unused[4];
  uint32_t offset, chunk_bytes, last_bytes;
  ImageOffset decay, cosine, sine;
};
static_assert(sizeof(StreamStep) % 16 == 0);

struct StreamPlan {
  const std::byte* stream;  // on the device: rank_bytes of each rank
  const float* gains;       // [norms][kStreamWidth]
  const StreamStep* steps;
  int64_t* cycles;  // null, or for a measurement: the clock at each step's end
  uint32_t rank_bytes;
  int32_t tokens, cluster;  // the form; 0 tokens: the network cannot be streamed by it
  int32_t slot_bytes, slots, chunks, count, norms;
  int32_t x, in, wide, hidden, logits, skip, residuals, corrections[kStreamSources], lines;  // buffers
  uint32_t shared_bytes;
};

// The places of a block's shared memory, in bytes.
struct StreamLayout {
  uint32_t bars, steps, tokens, shares, gains, lines, ring, end;
};
AAREN_DEVICE StreamLayout LayOutStream(const StreamPlan& plan, int heads) {
  const auto tokens = static_cast<uint32_t>(plan.tokens);
  StreamLayout to = {};
  to.steps = 1024;
  to.tokens = to.steps + kMostStreamSteps * static_cast<uint32_t>(sizeof(StreamStep));
  to.shares = to.tokens + static_cast<uint32_t>(sizeof(DeviceToken)) * tokens;
  to.gains = to.shares + 8 * tokens * static_cast<uint32_t>(heads);
  to.lines = (to.gains + 4 * static_cast<uint32_t>(plan.norms) * kStreamWidth + 127) / 128 * 128;
  to.ring = (to.lines + 4 * static_cast<uint32_t>(plan.lines * LineStride(plan.tokens)) + 127) / 128 * 128;
  to.end = to.ring + static_cast<uint32_t>(plan.slots * plan.slot_bytes);
  return to;
}
static_assert(8 * kStreamBars <= 1024);

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_CUDA_STREAM_PLAN_H_
