#ifndef AAREN_MODEL_ATTENTION_SCAN_CUDA_WARP_CUH_
#define AAREN_MODEL_ATTENTION_SCAN_CUDA_WARP_CUH_

// What the 32 lanes of a warp do together for the scan. Where a number per token is wanted, tokens go by chunks of 32,
// a lane each. Where values are folded, a lane has a channel. Every function here is called by all lanes at once.

#include <cstdint>

namespace aaren::attention {

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffffu;

// How a kernel is launched.
struct Grid {
  int64_t blocks;
  int threads;  // a block
};

// How many warps it takes to have a lane for each of `width` channels.
__host__ __device__ inline int64_t GroupsOf(int64_t width) { return (width + kLanes - 1) / kLanes; }

// Some tokens in a row, for the tokens after them: m and c of paper §3.1 as of the last one. And how far they lower the
// scores of the tokens before them (forgetting). c is kept as c - 1, what all tokens but the greatest add to it, so
// that it is exact where one token outweighs all others. No tokens: m = -inf, rest = -1.
//
// Score is what m is kept in: double where scores are lowered, since a score of 1e4 leaves a float only 1e-3 of an
// exponent. Otherwise differences of scores are as exact as the scores.
template <typename Score, typename Float>
struct Summary {
  Score lowered, m;
  Float rest;
};

__device__ inline float Exp(float x) { return expf(x); }
__device__ inline double Exp(double x) { return exp(x); }

// x followed by y: the associative operator of paper §3.2. Without a branch.
template <typename Score, typename Before, typename Float>
__device__ inline Summary<Score, Before> Join(const Summary<Score, Before>& x, const Summary<Score, Float>& y) {
  const Score before = x.m - y.lowered, gap = fabs(before - y.m);
  const Before less = Exp(before == y.m ? Float{0} : -static_cast<Float>(gap));  // both may be -inf
  const bool falls = before > y.m;
  const Before greater_rest = falls ? x.rest : y.rest, lesser_rest = falls ? y.rest : x.rest;
  return {x.lowered + y.lowered, falls ? before : y.m, greater_rest + (1 + lesser_rest) * less};
}

// In each lane, the lanes up to it joined in order: Hillis-Steele, in registers.
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

// In lane j, the sum of terms[j] over the lanes. Each round halves the terms: a lane gives its partner the half that
// the partner goes on with. 31 exchanges for 32 sums, always in the same order. Uses terms up.
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

// One channel of kCount tokens, the last ones zero if only `left` are left. All loads are independent, so they are
// under way together. All lanes have the same `left`, so they take the same branch.
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
