#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/attention/scan/scan_sequence.h"
#include "model/math/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/attention/scan/scan_forward.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "model/attention/scan/shares-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aaren::attention {
namespace HWY_NAMESPACE {
namespace {

// kVectors vectors of channels of one token. If partial, only some lanes of the single vector exist.
template <int kVectors, bool kPartial, bool kAroundCache>
struct ForwardChannels {
  ForwardChannels(int64_t count, int64_t ahead) : there(hn::FirstN(d, static_cast<size_t>(count))), ahead(ahead) {}

  Vector Load(const float* from, int v) const {
    __builtin_prefetch(from + v * lanes + ahead, 0, 2);  // into the second level, as the first has too few open misses
    return kPartial ? hn::MaskedLoad(there, d, from) : hn::LoadU(d, from + v * lanes);
  }
  void Store(Vector x, float* to, int v) const {
    if (kPartial) {
      hn::BlendedStore(x, there, d, to);
    } else if (kAroundCache) {
      hn::Stream(x, d, to + v * lanes);
    } else {
      hn::StoreU(x, d, to + v * lanes);
    }
  }

  const Lanes d;
  const size_t lanes = hn::Lanes(d);
  const hn::Mask<Lanes> there;
  const int64_t ahead;
};

// The outputs so far, each as the unevaluated sum of two floats. A single float would stop moving once p_k (v_k - o) is
// less than half of o's last bit.
template <int kVectors>
struct Running {
  Vector o[kVectors], rest[kVectors];
};

// Replaces o and rest by the rounded sum o + rest and the part that rounding lost.
HWY_INLINE void Renormalize(Vector& o, Vector& rest) {
  const Vector sum = hn::Add(o, rest), moved = hn::Sub(sum, o);
  rest = hn::Add(hn::Sub(o, hn::Sub(sum, moved)), hn::Sub(rest, moved));
  o = sum;
}

// Computes the outputs of one token with any share: o_k = o_{k-1} + p_k (v_k - o_{k-1}). If p_k is above 1/2, the
// formula is turned round, because a large output would leave its rounding error in a small output. A masked token's
// value may be NaN.
template <int kVectors, typename Channels>
HWY_INLINE void AverageOne(const Channels& channels, float share, float rest, const float* value, float* output,
                           Running<kVectors>& running) {
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) {
    Vector &o = running.o[v], &low = running.rest[v];
    if (share > 0.5f) {
      const Vector x = channels.Load(value, v);
      o = hn::MulAdd(hn::Set(channels.d, rest), hn::Add(hn::Sub(o, x), low), x);
      low = hn::Zero(channels.d);
    } else if (share != 0) {
      low = hn::MulAdd(hn::Set(channels.d, share), hn::Sub(hn::Sub(channels.Load(value, v), o), low), low);
      Renormalize(o, low);
    }
    channels.Store(o, output, v);
  }
}

// Computes `count` tokens with shares in (0, kPlainShare]. The tokens are so few that the output o before them keeps
// much of its weight. So each output is o plus a deviation e_k = e_{k-1} + p_k ((v_k - o) - e_{k-1}).
template <int kVectors, typename Channels>
HWY_INLINE void AverageFew(const Channels& channels, const float* shares, int64_t count, TokenRows<const float> values,
                           TokenRows<float> outputs, Running<kVectors>& running) {
  for (int64_t k = 0; k < count; ++k) {
    const Vector share = hn::Set(channels.d, shares[k]);
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      const Vector o = running.o[v], x = hn::Sub(channels.Load(values[k], v), o);
      running.rest[v] = hn::MulAdd(share, hn::Sub(x, running.rest[v]), running.rest[v]);
      channels.Store(hn::Add(o, running.rest[v]), outputs[k], v);
    }
  }
}

// Computes like AverageFew, for an even count. The chain from deviation to deviation sets the time, hence two tokens
// take the time of one: e_{k+1} = e_{k-1} + (p (1 - q) x_k + q x_{k+1} - (p (1 - q) + q) e_{k-1}), with x = v - o, p =
// p_k and q = p_{k+1}.
template <int kVectors, typename Channels>
HWY_INLINE void AveragePairs(const Channels& channels, const float* shares, int64_t count,
                             TokenRows<const float> values, TokenRows<float> outputs, Running<kVectors>& running) {
  for (int64_t k = 0; k < count; k += 2) {
    const Vector p = hn::Set(channels.d, shares[k]), q = hn::Set(channels.d, shares[k + 1]);
    const Vector early = hn::NegMulAdd(p, q, p), both = hn::Add(early, q);
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      const Vector o = running.o[v], e = running.rest[v];
      const Vector x = hn::Sub(channels.Load(values[k], v), o), y = hn::Sub(channels.Load(values[k + 1], v), o);
      channels.Store(hn::Add(o, hn::MulAdd(p, hn::Sub(x, e), e)), outputs[k], v);
      running.rest[v] = hn::Add(e, hn::NegMulAdd(both, e, hn::MulAdd(early, x, hn::Mul(q, y))));
      channels.Store(hn::Add(o, running.rest[v]), outputs[k + 1], v);
    }
  }
}

// Computes a chunk of tokens with shares in (0, kPlainShare].
template <int kVectors, typename Channels>
void AveragePlain(const Channels& channels, const Chunk& chunk, TokenRows<const float> values, TokenRows<float> outputs,
                  Running<kVectors>& running) {
  constexpr int64_t kFew = 16;  // 16 tokens of shares up to 1/16 leave much weight to the output before
  for (int64_t k = 0; k < chunk.count; k += kFew) {
    const int64_t count = std::min(kFew, chunk.count - k), pairs = kVectors <= 2 ? count - count % 2 : 0;
    const float* shares = chunk.shares + k;
    AveragePairs(channels, shares, pairs, {values[k], values.stride}, {outputs[k], outputs.stride}, running);
    AverageFew(channels, shares + pairs, count - pairs, {values[k + pairs], values.stride},
               {outputs[k + pairs], outputs.stride}, running);
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) Renormalize(running.o[v], running.rest[v]);
  }
}

// Carries the running outputs of a sequence's channels from chunk to chunk.
struct Carry {
  explicit Carry(size_t width) : o(width), rest(width) {}
  std::vector<float> o, rest;
};

// Takes the channels from `first` on through a chunk.
template <int kVectors, bool kPartial, bool kAroundCache>
void Average(const Chunk& chunk, TokenRows<const float> values, TokenRows<float> outputs, int64_t first, int64_t there,
             Carry& carry) {
  const ForwardChannels<kVectors, kPartial, kAroundCache> channels(there, kChunk * values.stride);
  values.data += first;
  outputs.data += first;
  Running<kVectors> running;
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) {
    running.o[v] = hn::LoadU(channels.d, carry.o.data() + first + v * channels.lanes);
    running.rest[v] = hn::LoadU(channels.d, carry.rest.data() + first + v * channels.lanes);
  }
  if (chunk.plain) {
    AveragePlain(channels, chunk, values, outputs, running);
  } else {
    for (int64_t k = 0; k < chunk.count; ++k) {
      AverageOne(channels, chunk.shares[k], chunk.rests[k], values[k], outputs[k], running);
    }
  }
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) {
    hn::StoreU(running.o[v], channels.d, carry.o.data() + first + v * channels.lanes);
    hn::StoreU(running.rest[v], channels.d, carry.rest.data() + first + v * channels.lanes);
  }
}

// Takes all channels through a chunk, in groups whose outputs fit the registers.
template <bool kAroundCache>
void AverageAll(const Chunk& chunk, TokenRows<const float> values, TokenRows<float> outputs, int64_t width,
                Carry& carry) {
  // AVX-512 has 32 vector registers and the other targets at least 16; every vector of a group needs two for its
  // output.
  constexpr int kMost = HWY_TARGET == HWY_AVX3 ? 8 : 4;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(Lanes()));
  for (int64_t first = 0; first < width;) {
    const int64_t left = width - first;
    const auto average = left >= kMost * lanes ? Average<kMost, false, kAroundCache>
                         : left >= 4 * lanes   ? Average<4, false, kAroundCache>
                         : left >= 2 * lanes   ? Average<2, false, kAroundCache>
                         : left >= lanes       ? Average<1, false, kAroundCache>
                                               : Average<1, true, false>;
    average(chunk, values, outputs, first, left, carry);
    first += lanes * (left >= kMost * lanes ? kMost : left >= 4 * lanes ? 4 : left >= 2 * lanes ? 2 : 1);
  }
}

template <bool kForgets>
void Run(const ForwardSequence<float>& in) {
  const size_t lanes = hn::Lanes(Lanes());
  // A store around the caches needs an aligned address. Rows at other addresses are stored through the caches.
  const bool aligned =
      (reinterpret_cast<uintptr_t>(in.outputs.data) | in.outputs.stride * sizeof(float)) % (lanes * sizeof(float)) == 0;
  const bool around = in.around_cache && aligned;
  Carry carry(in.width + lanes);
  Shares<kForgets> shares(in);
  for (int64_t begin = 0; begin < in.tokens; begin += kChunk) {
    const Chunk chunk = shares.Next(begin);
    (around ? AverageAll<true> : AverageAll<false>)(chunk, {in.values[begin], in.values.stride},
                                                    {in.outputs[begin], in.outputs.stride}, in.width, carry);
    if (in.shares != nullptr) std::copy_n(chunk.shares, chunk.count, in.shares + begin);
  }
  // Stores around the caches are weakly ordered. After the flush, every thread sees the outputs.
  if (around) hwy::FlushStream();
}

void Forward(const ForwardSequence<float>& in) { in.elapsed == nullptr ? Run<false>(in) : Run<true>(in); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace aaren::attention
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aaren::attention {

HWY_EXPORT(Forward);

void RunForward(const ForwardSequence<float>& sequence) { HWY_DYNAMIC_DISPATCH(Forward)(sequence); }

}  // namespace aaren::attention
#endif
