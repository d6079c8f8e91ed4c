#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "model/attention/scan/scan_sequence.h"

namespace aaren::attention {

void RunForward(const ForwardSequence<double>& in) {
  constexpr double kMasked = -std::numeric_limits<double>::infinity();
  double maximum = kMasked, denominator = 0;
  std::vector<double> output(in.width);
  for (int64_t k = 0; k < in.tokens; ++k) {
    double share = 0;
    if (in.elapsed != nullptr) maximum -= in.decay * in.elapsed[k];
    // A masked token only ages the state: the denominator stays, and the share is 0.
    if (in.scores[k] != kMasked) {
      const double before = maximum;
      maximum = std::max(before, in.scores[k]);
      const double add = std::exp(in.scores[k] - maximum);
      denominator = denominator * std::exp(before - maximum) + add;
      share = add / denominator;
    }
    // A share of 0 belongs to a masked token, whose value may be NaN.
    for (int64_t d = 0; d < in.width; ++d) {
      if (share != 0) output[d] += share * (in.values[k][d] - output[d]);
      in.outputs[k][d] = output[d];
    }
    if (in.shares != nullptr) in.shares[k] = share;
  }
}

void RunBackward(const BackwardSequence<double>& in) {
  std::vector<double> sum(in.width);  // G
  double dots = 0, next_share = 0;    // F, p_{k+1}
  // The chains G and F of the gradient (scan.h) run backwards, because a token's value enters all later outputs.
  for (int64_t k = in.tokens - 1; k >= 0; --k) {
    const double share = in.shares[k];
    double output_dot = 0, value_dot = 0;
    for (int64_t d = 0; d < in.width; ++d) {
      sum[d] = in.gradients[k][d] + (1 - next_share) * sum[d];
      output_dot += in.gradients[k][d] * in.outputs[k][d];
      if (share != 0) value_dot += in.values[k][d] * sum[d];
      in.value_gradients[k][d] = share * sum[d];
    }
    dots = output_dot + (1 - next_share) * dots;
    in.score_gradients[k] = share * (value_dot - dots);
    next_share = share;
  }
}

}  // namespace aaren::attention
