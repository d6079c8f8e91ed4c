#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/attention/scan_stream.h"
#include "model/engine/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "model/attention/scan_forward.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "model/attention/shares-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aaren {
namespace HWY_NAMESPACE {

// kVectors vectors of channels of one token. In a part, only some lanes of the one vector exist.
template <int kVectors, bool kPart, bool kAroundCache>
struct Channels {
  Channels(int64_t count, int64_t ahead) : there(hn::FirstN(d, static_cast<size_t>(count))), ahead(ahead) {}

  Vector Load(const float* from, int v) const {
    __builtin_prefetch(from + v * lanes + ahead, 0, 2);  // into the second level: the first has too few open misses
    return kPart ? hn::MaskedLoad(there, d, from) : hn::LoadU(d, from + v * lanes);
  }
  void Store(Vector x, float* to, int v) const {
    if (kPart) {
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

// The outputs of one token: o_k = o_{k-1} + p_k (v_k - o_{k-1}), or, the other way round, where p_k is above 1/2 and a
// large output must not leave its rounding in a small one. A masked token's value may be anything.
template <int kVectors, typename Access>
HWY_INLINE void AverageOne(const Access& access, float share, float rest, const float* value, float* output,
                           Vector* o) {
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) {
    if (share > 0.5f) {
      const Vector x = access.Load(value, v);
      o[v] = hn::MulAdd(hn::Set(access.d, rest), hn::Sub(o[v], x), x);
    } else if (share != 0) {
      o[v] = hn::MulAdd(hn::Set(access.d, share), hn::Sub(access.Load(value, v), o[v]), o[v]);
    }
    access.Store(o[v], output, v);
  }
}

// Two tokens of shares in (0, 1/2] in the time of one, which the chain from output to output sets:
// o_{k+1} = o_{k-1} + (p (1 - q) v_k + q v_{k+1} - (p (1 - q) + q) o_{k-1}), p = p_k, q = p_{k+1}.
template <int kVectors, typename Access>
HWY_INLINE void AverageTwo(const Access& access, const float* shares, const float* const (&values)[2],
                           float* const (&outputs)[2], Vector* o) {
  const Vector p = hn::Set(access.d, shares[0]), q = hn::Set(access.d, shares[1]);
  const Vector early = hn::NegMulAdd(p, q, p), both = hn::Add(early, q);
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) {
    const Vector x = access.Load(values[0], v), y = access.Load(values[1], v);
    access.Store(hn::MulAdd(p, hn::Sub(x, o[v]), o[v]), outputs[0], v);
    o[v] = hn::Add(o[v], hn::NegMulAdd(both, o[v], hn::MulAdd(early, x, hn::Mul(q, y))));
    access.Store(o[v], outputs[1], v);
  }
}

// Takes channels through a tile. The outputs before it are in `carry`, and those after it are left there.
template <int kVectors, bool kPart, bool kAroundCache>
void Average(const Tile& tile, TokenRows<const float> values, TokenRows<float> outputs, int64_t there,
             float* HWY_RESTRICT carry) {
  const Channels<kVectors, kPart, kAroundCache> access(there, kTile * values.stride);
  Vector o[kVectors];
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) o[v] = hn::LoadU(access.d, carry + v * access.lanes);
  int64_t k = 0;
  if (kVectors <= 2 && tile.plain) {
    for (; k + 1 < tile.count; k += 2) {
      AverageTwo<kVectors>(access, tile.shares + k, {values[k], values[k + 1]}, {outputs[k], outputs[k + 1]}, o);
    }
  }
  for (; k < tile.count; ++k) {
    AverageOne<kVectors>(access, tile.shares[k], tile.rests[k], values[k], outputs[k], o);
  }
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) hn::StoreU(o[v], access.d, carry + v * access.lanes);
}

// All channels of a tile, in groups whose outputs fit the registers.
template <bool kAroundCache>
void AverageAll(const Tile& tile, TokenRows<const float> values, TokenRows<float> outputs, int64_t width,
                float* carry) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(Lanes()));
  for (int64_t left = width; left > 0;) {
    const auto average = left >= 8 * lanes   ? Average<8, false, kAroundCache>
                         : left >= 4 * lanes ? Average<4, false, kAroundCache>
                         : left >= 2 * lanes ? Average<2, false, kAroundCache>
                         : left >= lanes     ? Average<1, false, kAroundCache>
                                             : Average<1, true, false>;
    average(tile, values, outputs, left, carry);
    const int64_t done = lanes * (left >= 8 * lanes ? 8 : left >= 4 * lanes ? 4 : left >= 2 * lanes ? 2 : 1);
    left -= done;
    carry += done;
    values.data += done;
    outputs.data += done;
  }
}

template <bool kForgets>
void Run(const ForwardStream<float>& in) {
  const size_t lanes = hn::Lanes(Lanes());
  const bool aligned =
      (reinterpret_cast<uintptr_t>(in.outputs.data) | in.outputs.stride * sizeof(float)) % (lanes * sizeof(float)) == 0;
  const auto average = in.around_cache && aligned ? AverageAll<true> : AverageAll<false>;
  std::vector<float> carry(in.width + lanes);
  Shares<kForgets> shares(in);
  for (int64_t begin = 0; begin < in.tokens; begin += kTile) {
    const Tile tile = shares.Next(begin);
    average(tile, {in.values[begin], in.values.stride}, {in.outputs[begin], in.outputs.stride}, in.width, carry.data());
    if (in.shares != nullptr) std::copy_n(tile.shares, tile.count, in.shares + begin);
  }
}

void Forward(const ForwardStream<float>& in) { in.elapsed == nullptr ? Run<false>(in) : Run<true>(in); }

}  // namespace HWY_NAMESPACE
}  // namespace aaren
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace aaren {

HWY_EXPORT(Forward);

void RunForward(const ForwardStream<float>& stream) { HWY_DYNAMIC_DISPATCH(Forward)(stream); }

}  // namespace aaren
#endif
