#include "tests/model/engine/forecasting/calibrated_reference.h"

#include <algorithm>
#include <cmath>

namespace aaren::engine {

CalibratedReference::CalibratedReference(const package::ForecasterConfig& config)
    : config_(config), every_(static_cast<size_t>(std::min(17, config.ring))) {
  for (double h = config.horizon; h > 1; h = std::ceil(h / 2)) theta_[static_cast<size_t>(h)];
  theta_[1];
  for (auto& [horizon, theta] : theta_) theta.resize(config.quantiles.size(), 0.0);
}

std::vector<double> CalibratedReference::Take(float value, const float* forecast) {
  values_.push_back(value);
  if (values_.size() % every_ == 0) {
    for (const auto& [horizon, theta] : theta_) Judge(horizon);
  }
  const size_t count = config_.quantiles.size();
  std::vector<double> made;
  for (size_t h = 1; h <= static_cast<size_t>(config_.horizon); ++h, forecast += count) {
    std::vector<double> q(count);
    for (size_t i = 0; i < count; ++i) {
      const double theta = Theta(h, i);
      const double excess = std::copysign(std::max(std::abs(theta) - 0.1, 0.0), theta);
      q[i] = forecast[i] + excess * (static_cast<double>(forecast[count - 1]) - forecast[0]);
    }
    for (size_t i = count / 2 + 1; i < count; ++i) q[i] = std::max(q[i], q[i - 1]);
    for (size_t i = count / 2; i-- > 0;) q[i] = std::min(q[i], q[i + 1]);
    made.insert(made.end(), q.begin(), q.end());
  }
  made_.push_back(made);
  return made;
}

// Judges by the forecast of the latest probe whose value has arrived.
void CalibratedReference::Judge(size_t horizon) {
  const size_t probes = values_.size() / every_;
  const size_t back = (horizon + every_ - 1) / every_;
  if (probes <= back) return;
  const size_t then = (probes - back) * every_ - 1;
  const double value = values_[then + horizon];
  const double rate = std::max(0.01, 2.0 / (40 + static_cast<double>(probes - 1)));
  for (size_t i = 0; i < config_.quantiles.size(); ++i) {
    const double quantile = static_cast<float>(made_[then][(horizon - 1) * config_.quantiles.size() + i]);
    const double level = config_.quantiles[i];
    const double weight = 0.25 / std::max(0.09, level * (1 - level));
    double& theta = theta_[horizon][i];
    if (value > quantile) theta = std::min(0.75, theta + rate * weight * level);
    if (value < quantile) theta = std::max(-0.75, theta - rate * weight * (1 - level));
  }
}

double CalibratedReference::Theta(size_t horizon, size_t quantile) const {
  const auto above = theta_.lower_bound(horizon);
  if (above->first == horizon) return above->second[quantile];
  const auto below = std::prev(above);
  const double part = static_cast<double>(horizon - below->first) / static_cast<double>(above->first - below->first);
  return (1 - part) * below->second[quantile] + part * above->second[quantile];
}

}  // namespace aaren::engine
