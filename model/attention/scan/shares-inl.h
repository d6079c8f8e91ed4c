// The shares of tokens in their own outputs, p_k = exp(s_k - m_k) / c_k, which the scan computes before reading any
// value. A file includes this one once per target, inside foreach_target.

#if defined(AAREN_MODEL_ATTENTION_SCAN_SHARES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AAREN_MODEL_ATTENTION_SCAN_SHARES_INL_H_
#undef AAREN_MODEL_ATTENTION_SCAN_SHARES_INL_H_
#else
#define AAREN_MODEL_ATTENTION_SCAN_SHARES_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "model/attention/scan/scan_sequence.h"
#include "model/math/exact_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aaren::attention {
namespace HWY_NAMESPACE {
namespace {  // every including file has a copy

namespace exact = math::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::ScalableTag<float>;
using Vector = hn::Vec<Lanes>;

// The most tokens whose shares are computed together. A chunk is cut into as many segments as a vector has lanes. Lane
// l holds segment l, and an instruction moves every segment on by a token.
constexpr int64_t kChunk = 256;

constexpr float kMasked = -std::numeric_limits<float>::infinity();

struct Chunk {
  const float* shares;  // p_k, [kChunk]
  const float* rests;   // 1 - p_k, not rounded off if p_k is near 1
  int64_t count;        // number of tokens
  bool plain;           // true if every share is in (0, kPlainShare]
};

constexpr float kPlainShare = 1.0f / 16;

// The running maximum of scores that fall with age: the largest score now, and the score's fall since.
// The two numbers are apart because a small fall of a large score would be rounded away.
struct Maximum {
  Vector score, fall;
};

// The shares p_k of a sequence's tokens, chunk after chunk: the (m, c) of a prefix scan (paper, §3.2; chunked). Each
// chunk is scanned inside the segments, then across the segments, then inside again. A score of +inf or NaN makes all
// shares from that token on NaN.
template <bool kForgets>
class Shares {
 public:
  explicit Shares(const ForwardSequence<float>& in) : in_(in) {}

  // The tokens [begin, begin + kChunk), as far as the sequence reaches. Valid until the next call.
  Chunk Next(int64_t begin) {
    const int64_t count = std::min(kChunk, in_.tokens - begin);
    SetSegments(count);
    Load(begin, count);
    FindMaxima();
    const float before = carried_maximum_;
    CarryMaximum();
    !kForgets&& carried_maximum_ == before ? AccumulateBelow() : Accumulate();
    CarrySum();
    const bool plain = Divide();
    return {share_, rest_, count, plain};
  }

 private:
  // Vector i of a chunk has token i of every segment.
  Vector At(const float* chunk, size_t i) const { return hn::Load(d_, chunk + i * lanes_); }
  void Set(Vector x, float* chunk, size_t i) const { hn::Store(x, d_, chunk + i * lanes_); }
  Vector Drop(size_t i) const { return kForgets ? At(drop_, i) : hn::Zero(d_); }

  // x - y. The difference of two scores of -inf is NaN, which Exp turns into 0.
  static Vector Difference(Maximum x, Maximum y) {
    const Vector apart = hn::Sub(x.score, y.score);
    return kForgets ? hn::Add(apart, hn::Sub(y.fall, x.fall)) : apart;
  }
  Maximum Fresh(Vector score) const { return {score, hn::Zero(d_)}; }
  Maximum Aged(Maximum x, size_t i) const { return kForgets ? Maximum{x.score, hn::Add(x.fall, Drop(i))} : x; }
  Maximum Larger(Maximum x, Maximum y) const {
    if (!kForgets) return Fresh(hn::Max(x.score, y.score));
    const auto above = hn::Gt(Difference(y, x), hn::Zero(d_));
    return {hn::IfThenElse(above, y.score, x.score), hn::IfThenElse(above, y.fall, x.fall)};
  }

  // exp(exponent) for a token's own score; NaN if the score is +inf or NaN.
  Vector Weight(Vector score, Vector exponent) const {
    const auto valid = hn::Lt(score, hn::Set(d_, -kMasked));
    return hn::IfThenElse(valid, exact::Exp(d_, exponent), hn::Set(d_, std::numeric_limits<float>::quiet_NaN()));
  }

  // Makes segments as long as `count` tokens need.
  void SetSegments(int64_t count) {
    const hn::RebindToSigned<Lanes> di;
    steps_ = (static_cast<size_t>(count) + lanes_ - 1) / lanes_;
    segments_ = hn::Mul(hn::Iota(di, 0), hn::Set(di, static_cast<int>(steps_)));
  }

  void Load(int64_t begin, int64_t count) {
    const float* scores = Padded(in_.scores + begin, count, kMasked);
    for (size_t i = 0; i < steps_; ++i) Set(hn::GatherIndex(d_, scores + i, segments_), score_, i);
    if (!kForgets) return;
    const float* elapsed = Padded(in_.elapsed + begin, count, 0);
    const Vector decay = hn::Set(d_, in_.decay);
    for (size_t i = 0; i < steps_; ++i) {
      Set(hn::Mul(decay, hn::GatherIndex(d_, elapsed + i, segments_)), drop_, i);
    }
  }

  // The numbers themselves, or a copy that fills all segments.
  const float* Padded(const float* numbers, int64_t count, float filling) {
    const size_t room = steps_ * lanes_;
    if (static_cast<size_t>(count) == room) return numbers;
    std::fill(std::copy_n(numbers, count, share_), share_ + room, filling);
    return share_;
  }

  // Finds, inside each segment, the running maximum, and how much the whole segment ages earlier scores.
  void FindMaxima() {
    Maximum maximum = Fresh(hn::Set(d_, kMasked));
    Vector age = hn::Zero(d_);
    for (size_t i = 0; i < steps_; ++i) {
      maximum = Larger(Aged(maximum, i), Fresh(At(score_, i)));
      if (kForgets) age = hn::Add(age, Drop(i));
      Set(maximum.score, maximum_, i);
      Set(maximum.fall, fall_, i);
    }
    hn::Store(maximum.score, d_, last_);
    hn::Store(maximum.fall, d_, last_fall_);
    hn::Store(age, d_, age_);
  }

  // Writes the maximum before each segment to before_ and before_fall_.
  void CarryMaximum() {
    for (size_t l = 0; l < lanes_; ++l) {
      before_[l] = carried_maximum_;
      before_fall_[l] = static_cast<float>(carried_fall_);
      carried_fall_ += static_cast<double>(age_[l]);
      const double rise = static_cast<double>(last_[l]) - static_cast<double>(carried_maximum_);
      if (!(rise + (carried_fall_ - static_cast<double>(last_fall_[l])) > 0)) continue;
      carried_maximum_ = last_[l];
      carried_fall_ = static_cast<double>(last_fall_[l]);
    }
  }

  // Replaces Accumulate if no score of the chunk exceeds the maximum before the chunk. Sums then never shrink.
  void AccumulateBelow() {
    const Vector base = hn::Set(d_, carried_maximum_);
    Vector sum = hn::Zero(d_);
    for (size_t i = 0; i < steps_; ++i) {
      const Vector score = At(score_, i), add = Weight(score, hn::Sub(score, base));
      Set(add, score_, i);
      Set(sum, sum_, i);
      Set(hn::Set(d_, 1.0f), keep_, i);
      sum = hn::Add(sum, add);
    }
    hn::Store(sum, d_, last_);
    hn::Store(hn::Set(d_, 1.0f), d_, shrunk_);
  }

  // Computes, inside each segment, the sum of exp(s_i - m_k) over the tokens before k, into sum_. The factor by which
  // the sum before the segment has shrunk goes into keep_. m is the maximum over all tokens so far by now.
  void Accumulate() {
    Maximum before = {hn::Load(d_, before_), hn::Load(d_, before_fall_)}, previous = before;
    Vector sum = hn::Zero(d_), keep = hn::Zero(d_);
    for (size_t i = 0; i < steps_; ++i) {
      before = Aged(before, i);
      const Vector score = At(score_, i);
      const Maximum maximum = Larger(before, {At(maximum_, i), At(fall_, i)});
      const Vector add = Weight(score, Difference(Fresh(score), maximum));
      const Vector shrunk = hn::Mul(sum, exact::Exp(d_, Difference(Aged(previous, i), maximum)));
      keep = exact::Exp(d_, Difference(before, maximum));
      previous = maximum;
      Set(add, score_, i);
      Set(shrunk, sum_, i);
      Set(keep, keep_, i);
      sum = hn::Add(shrunk, add);
    }
    hn::Store(sum, d_, last_);
    hn::Store(keep, d_, shrunk_);
  }

  // Writes the sum before each segment to before_. The sum is in double, because digits lost by a long sum are lost for
  // good.
  void CarrySum() {
    for (size_t l = 0; l < lanes_; ++l) {
      before_[l] = static_cast<float>(carried_sum_);
      carried_sum_ = carried_sum_ * static_cast<double>(shrunk_[l]) + static_cast<double>(last_[l]);
    }
  }

  // Writes shares and rests. True if every share is in (0, kPlainShare].
  bool Divide() {
    const Vector before = hn::Load(d_, before_), zero = hn::Zero(d_), most = hn::Set(d_, kPlainShare);
    bool plain = true;
    for (size_t i = 0; i < steps_; ++i) {
      const Vector add = At(score_, i), old = hn::MulAdd(before, At(keep_, i), At(sum_, i)), sum = hn::Add(old, add);
      const Vector inverse = hn::IfThenZeroElse(hn::Eq(sum, zero), hn::Div(hn::Set(d_, 1.0f), sum));
      const Vector share = hn::Mul(add, inverse);
      plain = plain && hn::AllTrue(d_, hn::And(hn::Gt(share, zero), hn::Le(share, most)));
      hn::ScatterIndex(share, d_, share_ + i, segments_);
      hn::ScatterIndex(hn::Mul(old, inverse), d_, rest_ + i, segments_);
    }
    return plain;
  }

  const ForwardSequence<float>& in_;
  const Lanes d_;
  const size_t lanes_ = hn::Lanes(d_);
  size_t steps_ = 0;                             // tokens in a segment
  hn::Vec<hn::RebindToSigned<Lanes>> segments_;  // first token of each segment
  float carried_maximum_ = kMasked;
  double carried_fall_ = 0, carried_sum_ = 0;
  alignas(64) float score_[kChunk], maximum_[kChunk], fall_[kChunk], sum_[kChunk], keep_[kChunk];
  alignas(64) float share_[kChunk], rest_[kChunk], drop_[kChunk];
  // One number for each segment.
  alignas(64) float before_[hn::MaxLanes(Lanes())], before_fall_[hn::MaxLanes(Lanes())];
  alignas(64) float last_[hn::MaxLanes(Lanes())], last_fall_[hn::MaxLanes(Lanes())];
  alignas(64) float age_[hn::MaxLanes(Lanes())], shrunk_[hn::MaxLanes(Lanes())];
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace aaren::attention
HWY_AFTER_NAMESPACE();

#endif  // per target
