#ifndef AAREN_MODEL_ATTENTION_SCAN_CUDA_WARP_CUH_
#define AAREN_MODEL_ATTENTION_SCAN_CUDA_WARP_CUH_

// Joint operations of the 32 lanes of a warp for the scan. Numbers per token are processed in chunks of 32 tokens, one
// token per lane. Values are folded with one channel per lane. All lanes call every function of this file at once.

#include <cstdint>

namespace aaren::attention {

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffffu;

// The launch parameters of a kernel.
struct Grid {
  int64_t blocks;
  int threads;  // threads in a block
};

// The number of warps that have a lane for each of `width` channels.
__host__ __device__ inline int64_t GroupsOf(int64_t width) { return (width + kLanes - 1) / kLanes; }

// A summary of some consecutive tokens: m and c of paper §3.1 at the last token, and the amount by which the tokens
// lower earlier scores (forgetting). c is kept as c - 1, the contribution of all tokens but the greatest. So the sum is
// exact if one token outweighs all others. The summary of no tokens has m = -inf and rest = -1.
//
// Score is the type of m: double if scores are lowered, because a score of 1e4 leaves a float only 1e-3 of an exponent.
// Without forgetting, differences of scores are as exact as the scores.
template <typename Score, typename Float>
struct Summary {
  Score lowered, m;
  Float rest;
};

__device__ inline float Exp(float x) { return expf(x); }
__device__ inline double Exp(double x) { return exp(x); }

// The summary of x followed by y: the associative operator of paper §3.2, without a branch.
template <typename Score, typename Before, typename Float>
__device__ inline Summary<Score, Before> Join(const Summary<Score, Before>& x, const Summary<Score, Float>& y) {
  const Score before = x.m - y.lowered, gap = fabs(before - y.m);
  const Before less = Exp(before == y.m ? Float{0} : -static_cast<Float>(gap));  // both may be -inf
  const bool falls = before > y.m;
  const Before greater_rest = falls ? x.rest : y.rest, lesser_rest = falls ? y.rest : x.rest;
  return {x.lowered + y.lowered, falls ? before : y.m, greater_rest + (1 + lesser_rest) * less};
}

// Each lane gets the summaries of the lanes up to its own, joined in order: Hillis-Steele, in registers.
template <bool kForgets, typename Score, typename Float>
__device__ inline Summary<Score, Float> JoinPrefix(Summary<Score, Float> own, int lane) {
#pragma unroll
  for (int offset = 1; offset < kLanes; offset *= 2) {
    Summary<Score, Float> left = {0, __shfl_up_sync(kAllLanes, own.m, offset),
                                  __shfl_up_sync(kAllLanes, own.rest, offset)};
    if (kForgets) left.lowered = __shfl_up_sync(kAllLanes, own.lowered, offset);
    if (lane < offset) left = {0, -INFINITY, -1};
    own = Join(left, own);
  }
  return own;
}

// Lane j gets the sum of terms[j] over the lanes. Each round halves the terms: a lane hands its partner the half that
// the partner continues with. 32 sums take 31 exchanges, always in the same order. Destroys terms.
template <int kHalf = kLanes / 2, typename Float>
__device__ inline Float SumOverLanes(Float (&terms)[kLanes], int lane) {
  const bool upper = (lane & kHalf) != 0;
#pragma unroll
  for (int i = 0; i < kHalf; ++i) {
    const Float kept = upper ? terms[i + kHalf] : terms[i], given = upper ? terms[i] : terms[i + kHalf];
    terms[i] = kept + __shfl_xor_sync(kAllLanes, given, kHalf);
  }
  if constexpr (kHalf > 1) return SumOverLanes<kHalf / 2>(terms, lane);
  return terms[0];
}

// Loads one channel of kCount tokens; if only `left` tokens remain, the last numbers become zero. All loads are
// independent and in flight together. All lanes have the same `left` and take the same branch.
template <typename Float, int kCount>
__device__ inline void Load(const Float* from, int64_t stride, int64_t left, Float (&loaded)[kCount]) {
  if (left >= kCount) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) loaded[i] = from[i * stride];
  } else {
#pragma unroll
    for (int i = 0; i < kCount; ++i) loaded[i] = i < left ? from[i * stride] : Float{0};
  }
}

}  // namespace aaren::attention

#endif  // AAREN_MODEL_ATTENTION_SCAN_CUDA_WARP_CUH_
