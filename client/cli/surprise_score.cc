#include "client/cli/surprise_score.h"

#include <algorithm>
#include <cmath>

#include "client/cli/mean.h"
#include "model/tasks/forecasting/metrics.h"

namespace aaren::cli {
namespace {

constexpr double kAlertTail = 0.005;  // of either end: a false-alarm rate of 1 %

}  // namespace

SurpriseScore ScoreSurprises(const std::vector<double>& surprises) {
  Mean alerts;
  SurpriseScore score{.ks = KolmogorovSmirnovToUniform(surprises)};
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
    alerts += score.alerts * static_cast<double>(score.values);
    mean.values += score.values;
  }
  mean.ks = ks.value();
  if (mean.values > 0) mean.alerts = alerts / static_cast<double>(mean.values);
  return mean;
}

}  // namespace aaren::cli
