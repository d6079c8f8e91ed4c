#ifndef AAREN_MODEL_ATTENTION_ELEMENT_H_
#define AAREN_MODEL_ATTENTION_ELEMENT_H_

// Element is softmax attention over a set of tokens, kept as a numerator a, a denominator c and a maximum m:
//
//   m = max s_i,   c = sum exp(s_i - m),   a = sum exp(s_i - m) v_i,   output o = a / c     (paper, §3.1 and §3.2)
//
// The element of two disjoint sets follows from both elements (Combine), in any order. So attention can be folded token
// by token, or scanned in parallel. The set of no tokens is the identity, m = -inf, c = 0, a = 0. A masked token
// contributes the identity as well.
//
// Forgetting: Age(lambda, dt) lowers every score by lambda * dt, so older tokens count less. The result is exact
// softmax attention over the scores s_i - lambda * (now - t_i).
//
// Threading: a plain value. Float is float or double.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace aaren::attention {

template <typename Float>
struct Element {
  Float m = -std::numeric_limits<Float>::infinity();
  Float c = 0;
  std::vector<Float> a;  // [width]

  // The identity, for values of `width` numbers.
  explicit Element(size_t width) : a(width) {}

  // The element of one token, a score and a value. A score of -inf marks a masked token and gives the identity.
  Element(Float score, const std::vector<Float>& value) : Element(value.size()) { Fold(score, value); }

  bool empty() const { return m == -std::numeric_limits<Float>::infinity(); }

  // Adds one token: the recurrent cell (paper, §3.1). REQUIRES: value.size() == a.size(), score < inf.
  void Fold(Float score, const std::vector<Float>& value) {
    if (score == -std::numeric_limits<Float>::infinity()) return;
    const Float maximum = std::max(m, score);
    const Float keep = std::exp(m - maximum), add = std::exp(score - maximum);  // exp(-inf - x) = 0 at the start
    for (size_t i = 0; i < a.size(); ++i) a[i] = a[i] * keep + value[i] * add;
    c = c * keep + add;
    m = maximum;
  }

  // Lets `elapsed` pass under the forgetting rate `decay`, both >= 0. The output does not change until the next fold.
  void Age(Float decay, Float elapsed) { m -= decay * elapsed; }

  // o = a / c; zeros if the element is empty.
  std::vector<Float> Output() const {
    std::vector<Float> output(a.size());
    if (empty()) return output;
    for (size_t i = 0; i < a.size(); ++i) output[i] = a[i] / c;
    return output;
  }
};

// The element of both sets together: the associative, commutative operator of paper §3.2. REQUIRES: equal widths.
template <typename Float>
Element<Float> Combine(const Element<Float>& x, const Element<Float>& y) {
  if (x.empty()) return y;  // exp(-inf - (-inf)) would be NaN
  if (y.empty()) return x;
  Element<Float> both(x.a.size());
  both.m = std::max(x.m, y.m);
  const Float from_x = std::exp(x.m - both.m), from_y = std::exp(y.m - both.m);
  both.c = x.c * from_x + y.c * from_y;
  for (size_t i = 0; i < both.a.size(); ++i) both.a[i] = x.a[i] * from_x + y.a[i] * from_y;
  return both;
}

}  // namespace aaren::attention

#endif  // AAREN_MODEL_ATTENTION_ELEMENT_H_
