#ifndef AAREN_MODEL_ATTENTION_SCAN_CUDA_SCAN_CUDA_FORWARD_CUH_
#define AAREN_MODEL_ATTENTION_SCAN_CUDA_SCAN_CUDA_FORWARD_CUH_

// The forward scan on a GPU. A sequence is one head of one series. A warp takes 32 channels of a sequence, one per
// lane, through the sequence's tokens in order. The pass moves 2 numbers per channel and token with hardly any
// arithmetic, so speed depends on the bytes in flight. Each warp loads the next 32 tokens while folding the last 32.
//
// Warps of one sequence do not communicate: each warp computes the shares of the tokens for itself, 32 at a time. The
// shares take about a quarter of a warp's instructions, and the warp waits for memory anyway.

#include <type_traits>

#include "model/attention/scan/cuda/warp.cuh"
#include "model/attention/scan/scan_kernel.h"

namespace aaren::attention {

constexpr int kForwardWarps = 4;  // warps in a block

// The effect of a token on the sequence: p, and the step for Follow.
template <typename Float>
struct TokenShare {
  Float share, step;
};

// An output so far, as the unevaluated sum of two numbers. A single number would stop moving once p (v - o) is less
// than half of o's last bit.
template <typename Float>
struct Running {
  Float output, rest;
};

// Computes o + p (v - o). For p > 1/2 computes the equal v + (1 - p) (o - v), which keeps a small v exact after a large
// o. The step is p, or p - 1 with the sign bit set, even for zero. A masked token has p = 0, and its v may be NaN.
template <typename Float>
__device__ inline Running<Float> Follow(Running<Float> before, Float value, Float step) {
  if (signbit(step)) return {fma(step, (value - before.output) - before.rest, value), 0};
  if (step == 0) return before;
  const Float move = fma(step, value - before.output, before.rest), output = before.output + move;
  return {output, move - (output - before.output)};
}

// The type of m.
template <typename Float, bool kForgets>
using ScoreOf = std::conditional_t<kForgets, double, Float>;

// Computes the shares of 32 tokens, one per lane, given all tokens before. Moves `before` past the 32 tokens.
template <bool kForgets, typename Float, typename Score>
__device__ inline TokenShare<Float> ShareOut(Score score, Score lowered, int lane, Summary<Score, double>& before) {
  const bool masked = score == -INFINITY;
  const Summary<Score, Float> token = {lowered, score, masked ? Float{-1} : Float{0}};
  const Summary<Score, double> until = Join(before, JoinPrefix<kForgets>(token, lane));
  before.m = __shfl_sync(kAllLanes, until.m, kLanes - 1);
  before.rest = __shfl_sync(kAllLanes, until.rest, kLanes - 1);
  const Float c = static_cast<Float>(1 + until.rest);
  const Float share = Exp(static_cast<Float>(score - until.m)) / c;  // exp(0) / c if p > 1/2, where m is the score
  if (masked) return {0, 0};
  return {share, share > Float{0.5} ? -static_cast<Float>(until.rest) / c : share};
}

// 32 tokens of one sequence: a channel of each token, and the score and age of the lane's own token.
template <bool kForgets, typename Float>
struct ForwardChunk {
  Float values[kLanes];
  Float score, elapsed;

  // `from` points to the channel of the sequence's first token.
  __device__ void Fetch(const ScanForward<Float>& call, const Float* from, int64_t sequence, int lane, int64_t begin) {
    const int64_t tokens = call.shape.tokens, token = begin + lane;
    Load(from + begin * call.value_strides.token, call.value_strides.token, tokens - begin, values);
    score = token < tokens ? call.scores[sequence * tokens + token] : -INFINITY;
    elapsed = kForgets && token < tokens ? call.elapsed[token] : Float{0};
  }
};

// Folds `count` tokens, and writes the outputs of a lane's channel if the channel is inside the width.
template <typename Float>
__device__ inline Running<Float> FoldChunk(const Float (&values)[kLanes], Float step, Running<Float> running,
                                           int64_t count, bool inside, Float* outputs, int64_t stride) {
#pragma unroll
  for (int i = 0; i < kLanes; ++i) {
    running = Follow(running, values[i], __shfl_sync(kAllLanes, step, i));
    if (inside && i < count) outputs[i * stride] = running.output;
  }
  return running;
}

// Computes all tokens of one sequence for 32 channels. A lane beyond the last channel works on the last channel and
// writes nothing.
template <bool kForgets, typename Float>
__device__ inline void ScanSequence(const ScanForward<Float>& call, int64_t sequence, int64_t first, int lane) {
  using Score = ScoreOf<Float, kForgets>;
  const int64_t series = sequence / call.shape.heads, head = sequence % call.shape.heads, tokens = call.shape.tokens;
  const int64_t last = call.shape.width - 1, channel = first + lane < last ? first + lane : last;
  const ScanStrides &in = call.value_strides, &out = call.output_strides;
  const Float* values = call.values + series * in.series + head * in.head + channel;
  Float* outputs = call.outputs + series * out.series + head * out.head + channel;
  const Score decay = kForgets ? static_cast<Score>(call.decay[head]) : Score{0};
  const bool writes_shares = first == 0 && call.shares != nullptr;
  Summary<Score, double> before = {0, -INFINITY, -1};
  Running<Float> running = {0, 0};
  ForwardChunk<kForgets, Float> chunk, next;
  next.Fetch(call, values, sequence, lane, 0);
  for (int64_t begin = 0; begin < tokens; begin += kLanes) {
    chunk = next;
    next.Fetch(call, values, sequence, lane, begin + kLanes);
    const auto own = ShareOut<kForgets, Float, Score>(chunk.score, decay * chunk.elapsed, lane, before);
    if (writes_shares && begin + lane < tokens) call.shares[sequence * tokens + begin + lane] = own.share;
    running = FoldChunk(chunk.values, own.step, running, tokens - begin, first + lane <= last,
                        outputs + begin * out.token, out.token);
  }
}

// The grid has a warp for each 32 channels of each sequence.
inline Grid ForwardGrid(const ScanShape& shape) {
  const int64_t warps = shape.series * shape.heads * GroupsOf(shape.width);
  return {(warps + kForwardWarps - 1) / kForwardWarps, kForwardWarps * kLanes};
}

// Works for the grid above, and for a grid of fewer blocks, each of which then takes several sequences. kForgets says
// if elapsed is not null.
template <bool kForgets, typename Float>
__global__ void __launch_bounds__(kForwardWarps* kLanes, sizeof(Float) == 4 ? 4 : 2)
    ScanForwardKernel(const ScanForward<Float> call) {
  const int lane = threadIdx.x % kLanes;
  const int64_t groups = GroupsOf(call.shape.width);
  const int64_t warps = call.shape.series * call.shape.heads * groups;
  int64_t warp = int64_t{blockIdx.x} * kForwardWarps + threadIdx.x / kLanes;
  for (; warp < warps; warp += int64_t{gridDim.x} * kForwardWarps) {
    ScanSequence<kForgets>(call, warp / groups, warp % groups * kLanes, lane);
  }
}

}  // namespace aaren::attention

#endif  // AAREN_MODEL_ATTENTION_SCAN_CUDA_SCAN_CUDA_FORWARD_CUH_
