#include "client/cli/evaluate/surprise_score.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "client/cli/evaluate/mean.h"

namespace aaren::cli {
namespace {

constexpr double kAlertTail = 0.005;  // at either end: a false-alarm rate of 1 %

// The Kolmogorov-Smirnov distance to uniform: sup over u of |share of the values that are <= u, less u|. The empirical
// distribution is a staircase, farthest from the diagonal at the foot or at the head of a step.
double DistanceToUniform(std::vector<double> values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  std::sort(values.begin(), values.end());
  const double count = static_cast<double>(values.size());
  double distance = values.empty() ? std::numeric_limits<double>::quiet_NaN() : 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double foot = static_cast<double>(i) / count, head = static_cast<double>(i + 1) / count;
    distance = std::max({distance, values[i] - foot, head - values[i]});
  }
  return distance;
}

}  // namespace

SurpriseScore ScoreSurprises(const std::vector<double>& surprises) {
  Mean alerts;
  SurpriseScore score{.ks = DistanceToUniform(surprises)};
  for (double surprise : surprises) {
    if (std::isnan(surprise)) continue;
    alerts.Add(std::min(surprise, 1 - surprise) < kAlertTail ? 1 : 0);
    ++score.values;
  }
  score.alerts = alerts.value();
  return score;
}

SurpriseScore MeanOf(absl::Span<const SurpriseScore> scores) {
  Mean ks;
  double alerts = 0;
  SurpriseScore mean;
  for (const SurpriseScore& score : scores) {
    if (score.values == 0) continue;
    ks.Add(score.ks);
    // Shares count by their numbers of values.
    alerts += score.alerts * static_cast<double>(score.values);
    mean.values += score.values;
  }
  mean.ks = ks.value();
  if (mean.values > 0) mean.alerts = alerts / static_cast<double>(mean.values);
  return mean;
}

}  // namespace aaren::cli
