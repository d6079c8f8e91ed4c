#ifndef AAREN_CLIENT_CLI_EVALUATE_EVENTS_QUANTILE_LAW_H_
#define AAREN_CLIENT_CLI_EVALUATE_EVENTS_QUANTILE_LAW_H_

// The law of an interval that a server's quantiles tell. The logarithm of the interval is uniform between two
// quantiles; beyond the outermost quantiles the density falls exponentially, without a step. With 39 levels the NLL
// comes out up to 0.03 nats larger than that of the law itself (quantile_law_test.cc). Threading: a plain value.

#include <vector>

#include "absl/types/span.h"
#include "model/tasks/events/scores/judges.h"

namespace aaren::cli {

class QuantileLaw final : public events::IntervalForecast {
 public:
  // `levels` ascend; `seconds` are the quantiles, 0 within the probability of a tie. REQUIRES: as many seconds as
  // levels, and no NaN among them.
  QuantileLaw(absl::Span<const float> levels, absl::Span<const float> seconds, double tie);

  double Tie() const override { return tie_; }
  double Below(double gap) const override;
  double LogDensity(double gap) const override;
  double IntervalAt(double level) const override;

 private:
  // A quantile above 0: the logarithm of the interval, and its level among the intervals above 0.
  struct Knot {
    double log_gap, level;
  };
  double Slope(size_t segment) const;
  // The index of the first knot at or above a logarithm of an interval.
  size_t Above(double log_gap) const;

  double tie_;
  std::vector<Knot> knots_;        // at least two, strictly ascending
  double low_scale_, high_scale_;  // the tails', in the logarithm of the interval
};

// 0.025, 0.05 ... 0.975: the levels that an evaluation asks for, with the nine levels of WQL among them.
std::vector<float> EvaluationLevels();

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_EVALUATE_EVENTS_QUANTILE_LAW_H_
