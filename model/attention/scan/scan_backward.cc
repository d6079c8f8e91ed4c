#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/attention/scan/scan_sequence.h"
#include "model/math/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/attention/scan/scan_backward.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace aaren::attention {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Lanes = hn::ScalableTag<float>;
using Vector = hn::Vec<Lanes>;

// The tokens that a group of channels passes through before the next group starts. So few tokens' rows stay in the
// caches for all groups.
constexpr int64_t kChunk = 16;

// The most vectors in a group of channels: the registers hold three of each (sum, dots and output).
constexpr int kMostVectors = HWY_TARGET == HWY_AVX3 ? 8 : 4;

// The numbers passed from chunk to chunk, from the last chunk to the first.
struct Carry {
  explicit Carry(size_t width) : sums(width), dots(width), outputs(kChunk * kMostVectors * hn::MaxLanes(Lanes())) {}

  std::vector<float> sums;     // G, [width] and a further vector
  std::vector<float> dots;     // F, a number per channel: a token costs a single sum over channels
  float next_share = 0;        // share of the token after the chunk
  std::vector<float> outputs;  // outputs of the chunk's tokens, for a group of channels
};

// Works on kVectors vectors of channels from `first` on. If partial, only `there` lanes of the single vector exist.
template <int kVectors, bool kPartial, bool kAroundCache>
class BackwardChannels {
 public:
  BackwardChannels(const BackwardSequence<float>& in, int64_t first, int64_t there, Carry& carry)
      : in_(in), first_(first), there_(hn::FirstN(d_, static_cast<size_t>(there))), carry_(carry) {}

  // Passes through tokens [begin, end) and adds the terms of these channels to the gradients of the scores.
  void Run(int64_t begin, int64_t end) {
    float* outputs = carry_.outputs.data();
    Average(begin, end, outputs);
    Differentiate(begin, end, outputs);
  }

 private:
  Vector Load(const float* at, int v) const {
    return kPartial ? hn::MaskedLoad(there_, d_, at) : hn::LoadU(d_, at + v * lanes_);
  }

  // Computes the outputs from the output before the chunk. Computing outputs again costs less than reading them.
  void Average(int64_t begin, int64_t end, float* outputs) const {
    const float* shares = in_.shares;
    const TokenRows<const float> values = {in_.values.data + first_, in_.values.stride};
    Vector o[kVectors];
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) o[v] = begin == 0 ? hn::Zero(d_) : Load(in_.outputs[begin - 1] + first_, v);
    for (int64_t k = begin; k < end; ++k, outputs += kVectors * lanes_) {
      const float* value = values[k];
      const Vector share = hn::Set(d_, shares[k]);
      const bool masked = shares[k] == 0;  // a masked token's value may be NaN
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) {
        if (!masked) o[v] = hn::MulAdd(share, hn::Sub(Load(value, v), o[v]), o[v]);
        hn::StoreU(o[v], d_, outputs + v * lanes_);
      }
    }
  }

  // Runs from the last token to the first. (1 - p) G is computed as G - p G, so that 1 - p is not rounded.
  void Differentiate(int64_t begin, int64_t end, const float* outputs) {
    const float* shares = in_.shares;
    float* score_gradients = in_.score_gradients;
    const TokenRows<const float> gradients = {in_.gradients.data + first_, in_.gradients.stride};
    const TokenRows<const float> values = {in_.values.data + first_, in_.values.stride};
    const TokenRows<float> value_gradients = {in_.value_gradients.data + first_, in_.value_gradients.stride};
    const bool first = first_ == 0;
    Vector sum[kVectors], dots[kVectors];
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      sum[v] = hn::LoadU(d_, carry_.sums.data() + first_ + v * lanes_);
      dots[v] = hn::LoadU(d_, carry_.dots.data() + first_ + v * lanes_);
    }
    Vector next = hn::Set(d_, carry_.next_share);
    for (int64_t k = end - 1; k >= begin; --k) {
      const float *gradient = gradients[k], *value = values[k], *output = outputs + (k - begin) * kVectors * lanes_;
      const float *gradient_ahead = gradients[k - kAhead], *value_ahead = values[k - kAhead];
      float* value_gradient = value_gradients[k];
      const bool masked = shares[k] == 0;
      const Vector share = hn::Set(d_, shares[k]);
      Vector difference = hn::Zero(d_);
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) {
        __builtin_prefetch(gradient_ahead + v * lanes_, 0, 2);
        __builtin_prefetch(value_ahead + v * lanes_, 0, 2);
        const Vector g = Load(gradient, v);
        sum[v] = hn::Add(g, hn::NegMulAdd(next, sum[v], sum[v]));
        dots[v] = hn::MulAdd(g, hn::LoadU(d_, output + v * lanes_), hn::NegMulAdd(next, dots[v], dots[v]));
        const Vector x = masked ? hn::Zero(d_) : Load(value, v);
        difference = hn::Add(difference, hn::MulSub(x, sum[v], dots[v]));
        Store(hn::Mul(share, sum[v]), value_gradient, v);
      }
      const float score_gradient = shares[k] * hn::GetLane(hn::SumOfLanes(d_, difference));
      score_gradients[k] = first ? score_gradient : score_gradients[k] + score_gradient;
      next = share;
    }
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      hn::StoreU(sum[v], d_, carry_.sums.data() + first_ + v * lanes_);
      hn::StoreU(dots[v], d_, carry_.dots.data() + first_ + v * lanes_);
    }
  }

  void Store(Vector x, float* at, int v) const {
    if (kPartial) {
      hn::BlendedStore(x, there_, d_, at);
    } else if (kAroundCache) {
      hn::Stream(x, d_, at + v * lanes_);
    } else {
      hn::StoreU(x, d_, at + v * lanes_);
    }
  }

  // Rows of the next chunk are fetched during this chunk, hence more tokens than a chunk has. An address before the
  // first row does no harm, because a prefetch never faults.
  static constexpr int64_t kAhead = 20;  // tokens

  const Lanes d_;
  const size_t lanes_ = hn::Lanes(d_);
  const BackwardSequence<float>& in_;
  const int64_t first_;
  const hn::Mask<Lanes> there_;
  Carry& carry_;
};

template <int kVectors, bool kPartial, bool kAroundCache>
void RunGroup(const BackwardSequence<float>& in, int64_t begin, int64_t end, int64_t first, Carry& carry) {
  BackwardChannels<kVectors, kPartial, kAroundCache>(in, first, in.width - first, carry).Run(begin, end);
}

template <bool kAroundCache>
void AllChannels(const BackwardSequence<float>& in, int64_t begin, int64_t end, Carry& carry) {
  constexpr int kMost = kMostVectors;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(Lanes()));
  for (int64_t first = 0; first < in.width;) {
    const int64_t left = in.width - first;
    const auto run = left >= kMost * lanes ? RunGroup<kMost, false, kAroundCache>
                     : left >= 4 * lanes   ? RunGroup<4, false, kAroundCache>
                     : left >= 2 * lanes   ? RunGroup<2, false, kAroundCache>
                     : left >= lanes       ? RunGroup<1, false, kAroundCache>
                                           : RunGroup<1, true, false>;
    run(in, begin, end, first, carry);
    first += lanes * (left >= kMost * lanes ? kMost : left >= 4 * lanes ? 4 : left >= 2 * lanes ? 2 : 1);
  }
}

void Backward(const BackwardSequence<float>& in) {
  const size_t lanes = hn::Lanes(Lanes()), bytes = lanes * sizeof(float);
  // A store around the caches needs an aligned address. Rows at other addresses are stored through the caches.
  const bool aligned =
      (reinterpret_cast<uintptr_t>(in.value_gradients.data) | in.value_gradients.stride * sizeof(float)) % bytes == 0;
  const auto run = in.around_cache && aligned ? AllChannels<true> : AllChannels<false>;
  Carry carry(in.width + lanes);
  for (int64_t end = in.tokens; end > 0; end -= kChunk) {
    const int64_t begin = std::max<int64_t>(end - kChunk, 0);
    run(in, begin, end, carry);
    carry.next_share = in.shares[begin];
  }
  // Stores around the caches are weakly ordered. After the flush, every thread sees the gradients.
  if (in.around_cache && aligned) hwy::FlushStream();
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace aaren::attention
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aaren::attention {

HWY_EXPORT(Backward);

void RunBackward(const BackwardSequence<float>& sequence) { HWY_DYNAMIC_DISPATCH(Backward)(sequence); }

}  // namespace aaren::attention
#endif
