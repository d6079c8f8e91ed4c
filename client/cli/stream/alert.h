#ifndef AAREN_CLIENT_CLI_STREAM_ALERT_H_
#define AAREN_CLIENT_CLI_STREAM_ALERT_H_

// An alert is a value far out in the distribution that was forecast for it. By chance only a chosen share of all
// values, the rate of false alarms, lies as far out. Half of that share lies below, half above.
//
//   AlertRule rule(0.01);
//   rule.IsAlert(0.004f);    // true: one value in 250 lies lower
//   rule.IsAlert(0.006f);    // false
//
// The rate is kept as far as the forecasts are right about their outermost parts; AlertCount tells. A surprise is a
// float, which knows nothing between 1 - 6e-8 and 1: at rates below 1.2e-7 the upper side alerts at 1 only.
// Threading: plain values.

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/types/span.h"

namespace aaren::cli {

class AlertRule {
 public:
  // Alerts wait while a session is learning (Forecast::learning), unless `early`. REQUIRES: 0 < rate < 1.
  explicit AlertRule(double rate, bool early = false) : rate_(rate), early_(early) {}

  double rate() const { return rate_; }

  // `surprise`: the value's, in [0, 1]. NaN, without a forecast or a value, is no alert.
  bool IsAlert(float surprise) const;

  // True if a surprise of a session is judged at all.
  bool Judges(bool learning) const { return early_ || !learning; }

 private:
  double rate_;
  bool early_;
};

// Counts alerts among the values that were judged at all.
class AlertCount {
 public:
  explicit AlertCount(AlertRule rule) : rule_(rule) {}

  // Counts the surprises of one row, and returns how many of them are alerts. learning: [surprises], or empty.
  size_t Add(absl::Span<const float> surprises, absl::Span<const bool> learning = {});

  // For people: "alerts: 3 of 1200 values; the rate 0.001 makes 1.2 expected".
  std::string Summary() const;

 private:
  AlertRule rule_;
  uint64_t alerts_ = 0;
  uint64_t values_ = 0;  // that have a surprise
};

}  // namespace aaren::cli

#endif  // AAREN_CLIENT_CLI_STREAM_ALERT_H_
