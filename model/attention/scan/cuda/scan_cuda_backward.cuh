#ifndef AAREN_MODEL_ATTENTION_SCAN_CUDA_SCAN_CUDA_BACKWARD_CUH_
#define AAREN_MODEL_ATTENTION_SCAN_CUDA_SCAN_CUDA_BACKWARD_CUH_

// The backward scan on a GPU, from the last token to the first, with a lane per channel as in the forward scan. F is
// kept per channel: F_i = g_i * o_i + (1 - p_{i+1}) F_{i+1} elementwise. So a token needs a single sum over the
// channels, ds_i = p_i sum (v_i * G_i - F_i). SumOverLanes computes the sums of 32 tokens together.
//
// The sum crosses warps if a sequence has more than 32 channels, so a block takes one sequence. The block has a warp
// for each 32 channels, up to 4 warps, which meet once every 32 tokens. A wider sequence takes several passes of 128
// channels. Each pass adds to the score gradients of the pass before. No atomics are used, so the order of every sum is
// fixed.

#include "model/attention/scan/cuda/warp.cuh"
#include "model/attention/scan/scan_kernel.h"

namespace aaren::attention {

constexpr int kBackwardWarps = 4;  // most warps in a block

// Tokens fetched ahead: three arrays of so many tokens, twice, must fit into a lane's registers.
template <typename Float>
constexpr int kTokensAhead = sizeof(Float) == 4 ? 16 : 8;

// The place of a lane's channel of a sequence in each array.
template <typename Float>
struct Channel {
  const Float *values, *outputs, *gradients;
  Float* value_gradients;
  bool inside;  // false: the lane works on the last channel without writing

  __device__ Channel(const ScanBackward<Float>& call, int64_t sequence, int64_t wanted) {
    const int64_t last = call.shape.width - 1, channel = wanted < last ? wanted : last;
    const auto offset = [&](const ScanStrides& strides) {
      return sequence / call.shape.heads * strides.series + sequence % call.shape.heads * strides.head + channel;
    };
    values = call.values + offset(call.value_strides);
    outputs = call.outputs + offset(call.output_strides);
    gradients = call.gradients + offset(call.gradient_strides);
    value_gradients = call.value_gradients + offset(call.value_gradient_strides);
    inside = wanted <= last;
  }
};

// Some tokens of a channel.
template <typename Float>
struct BackwardChunk {
  Float values[kTokensAhead<Float>], outputs[kTokensAhead<Float>], gradients[kTokensAhead<Float>];

  // Fetches nothing if begin < 0, which is the chunk before the first.
  __device__ void Fetch(const ScanBackward<Float>& call, const Channel<Float>& channel, int64_t begin) {
    if (begin < 0) return;
    const int64_t left = call.shape.tokens - begin;
    Load(channel.values + begin * call.value_strides.token, call.value_strides.token, left, values);
    Load(channel.outputs + begin * call.output_strides.token, call.output_strides.token, left, outputs);
    Load(channel.gradients + begin * call.gradient_strides.token, call.gradient_strides.token, left, gradients);
  }
};

// Adds each lane's number over the warps of the block; the first warp gets the sum. `sums` has room for two rounds, so
// one meeting per round is enough: the round after next cannot begin before the first warp has read this round.
template <typename Float>
__device__ inline Float SumOverWarps(Float own, int lane, int& round, Float (&sums)[2][kBackwardWarps][kLanes]) {
  const int warps = blockDim.x / kLanes, warp = threadIdx.x / kLanes;
  if (warps == 1) return own;
  sums[round][warp][lane] = own;
  __syncthreads();
  Float sum = 0;
  if (warp == 0) {
    for (int i = 0; i < warps; ++i) sum += sums[round][i][lane];
  }
  round ^= 1;
  return sum;
}

// G and F of one channel, and p of the following token.
template <typename Float>
struct Reverse {
  Float gradient = 0, dot = 0, share_after = 0;

  // x - p x replaces (1 - p) x, because a rounded 1 - p would err the same way at every token.
  __device__ void Step(Float gradient_here, Float output, Float share) {
    gradient = gradient_here + fma(-share_after, gradient, gradient);
    dot = fma(gradient_here, output, fma(-share_after, dot, dot));
    share_after = share;
  }
};

// Computes 32 tokens from the last to the first; a lane's share is the share of token begin + lane. Returns in lane j
// the sum over the warp's channels of v * G - F at token begin + j. `next` holds the last of these tokens at the start,
// and the tokens before them at the end.
template <typename Float>
__device__ inline Float StepBack(const ScanBackward<Float>& call, const Channel<Float>& channel, int64_t begin,
                                 Float share, int lane, Reverse<Float>& reverse, BackwardChunk<Float>& next) {
  constexpr int kAhead = kTokensAhead<Float>;
  const int64_t stride = call.value_gradient_strides.token;
  Float terms[kLanes];
#pragma unroll
  for (int start = kLanes - kAhead; start >= 0; start -= kAhead) {
    const BackwardChunk<Float> chunk = next;
    next.Fetch(call, channel, begin + start - kAhead);
    Float* value_gradients = channel.value_gradients + (begin + start) * stride;
    const int64_t left = call.shape.tokens - begin - start;
#pragma unroll
    for (int i = kAhead - 1; i >= 0; --i) {
      reverse.Step(chunk.gradients[i], chunk.outputs[i], __shfl_sync(kAllLanes, share, start + i));
      if (channel.inside && i < left) value_gradients[i * stride] = reverse.share_after * reverse.gradient;
      terms[start + i] = channel.inside ? chunk.values[i] * reverse.gradient - reverse.dot : Float{0};
    }
  }
  return SumOverLanes(terms, lane);
}

// Computes all tokens of one sequence for the channels [first, first + threads).
template <typename Float>
__device__ inline void ScanSequenceBack(const ScanBackward<Float>& call, int64_t sequence, int64_t first, int& round,
                                        Float (&sums)[2][kBackwardWarps][kLanes]) {
  const int lane = threadIdx.x % kLanes;
  const int64_t tokens = call.shape.tokens, last = (tokens - 1) / kLanes * kLanes;
  const Channel<Float> channel(call, sequence, first + threadIdx.x);
  Reverse<Float> reverse;
  BackwardChunk<Float> next;
  next.Fetch(call, channel, last + kLanes - kTokensAhead<Float>);
  for (int64_t begin = last; begin >= 0; begin -= kLanes) {
    const bool is_token = begin + lane < tokens;
    const int64_t token = sequence * tokens + begin + lane;
    const Float share = is_token ? call.shares[token] : Float{0};
    const Float of_warp = StepBack(call, channel, begin, share, lane, reverse, next);
    const Float sum = SumOverWarps(of_warp, lane, round, sums);
    if (threadIdx.x < kLanes && is_token) {
      const Float added = share == 0 ? Float{0} : share * sum;  // 0 for a masked token, whose value may be NaN
      call.score_gradients[token] = first == 0 ? added : call.score_gradients[token] + added;
    }
  }
}

// One block for each sequence.
inline Grid BackwardGrid(const ScanShape& shape) {
  const int64_t groups = GroupsOf(shape.width);
  return {shape.series * shape.heads, static_cast<int>(groups < kBackwardWarps ? groups : kBackwardWarps) * kLanes};
}

// Works for the grid above, and for a grid of fewer blocks, each of which then takes several sequences.
template <typename Float>
__global__ void __launch_bounds__(kBackwardWarps* kLanes, sizeof(Float) == 4 ? 3 : 2)
    ScanBackwardKernel(const ScanBackward<Float> call) {
  __shared__ Float sums[2][kBackwardWarps][kLanes];
  int round = 0;
  const int64_t sequences = call.shape.series * call.shape.heads;
  for (int64_t sequence = blockIdx.x; sequence < sequences; sequence += gridDim.x) {
    for (int64_t first = 0; first < call.shape.width; first += blockDim.x) {
      ScanSequenceBack(call, sequence, first, round, sums);
    }
  }
}

}  // namespace aaren::attention

#endif  // AAREN_MODEL_ATTENTION_SCAN_CUDA_SCAN_CUDA_BACKWARD_CUH_
