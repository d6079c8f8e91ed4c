#include "tests/model/engine/forecasting/mixed_reference.h"

#include <algorithm>
#include <cmath>

namespace aaren::engine {

MixedReference::MixedReference(const package::ForecasterConfig& config, double unit)
    : config_(config), unit_(unit), every_(static_cast<size_t>(std::min(17, config.ring))) {}

std::vector<double> MixedReference::Take(float value, const float* forecast, const float* sources,
                                         const float* renewals) {
  const size_t count = config_.quantiles.size(), horizon = static_cast<size_t>(config_.horizon);
  values_.push_back(value);
  sources_.emplace_back(sources, sources + 4 * horizon);
  size_t octaves = 0;
  while (horizon >> octaves != 0) ++octaves;
  if (values_.size() % every_ == 0) renewals_.emplace_back(renewals, renewals + 3 * octaves);
  medians_.emplace_back();
  for (size_t j = 0; j < horizon; ++j) medians_.back().push_back(forecast[j * count + count / 2]);
  std::vector<double> mixed(forecast, forecast + horizon * count);
  Five weights;
  for (size_t h = 1; h <= horizon; ++h) {
    if ((h & (h - 1)) == 0) weights = Weights(h);  // a new octave
    const Five said = Said(values_.size() - 1, h);
    double shift = 0;
    for (size_t i = 1; i < 5; ++i) shift += weights[i] * (said[i] - said[0]);
    double* q = &mixed[(h - 1) * count];
    const double middle = static_cast<double>(count / 2);
    for (size_t i = 0; i < count; ++i) q[i] += shift * (1 - std::abs(static_cast<double>(i) - middle) / middle / 2);
    for (size_t i = count / 2 + 1; i < count; ++i) q[i] = std::max(q[i], q[i - 1]);
    for (size_t i = count / 2; i-- > 0;) q[i] = std::min(q[i], q[i + 1]);
  }
  return mixed;
}

MixedReference::Five MixedReference::Said(size_t t, size_t h) const {
  Five said = {medians_[t][h - 1]};
  for (size_t i = 0; i < 4; ++i) said.push_back(sources_[t][i * medians_[t].size() + h - 1]);
  return said;
}

// The weights for the octave that begins with this horizon. Probe number p is at token (p + 1) * every - 1. A forecast
// h steps ahead is judged at the first probe at which the value has arrived.
MixedReference::Five MixedReference::Weights(size_t octave) const {
  Five errors(5, NAN);
  double judged = 0;
  for (size_t p = 0; p < renewals_.size(); ++p) {
    judged += p >= (octave + every_ - 1) / every_;
    Five sum(5, 0);
    double known = 0;
    for (size_t h = octave; h < 2 * octave && h <= static_cast<size_t>(config_.horizon); h += octave / 8 + 1) {
      const size_t back = (h + every_ - 1) / every_;
      if (back > p) continue;
      const size_t t = (p - back + 1) * every_ - 1;
      if (std::isnan(values_[t + h])) continue;
      for (size_t i = 0; i < 5; ++i) sum[i] += std::abs(values_[t + h] - Said(t, h)[i]) / unit_;
      ++known;
    }
    const double least = *std::min_element(sum.begin(), sum.end()) / known;
    const double most = std::isnan(errors[0]) ? INFINITY : 5 * *std::min_element(errors.begin(), errors.end()) + 0.05;
    for (double& one : sum) one *= least > most ? most / least : 1;
    const double rate = 1 / std::min(judged, 1000.0 / static_cast<double>(every_));
    for (size_t i = 0; known > 0 && i < 5; ++i) {
      errors[i] = std::isnan(errors[i]) ? sum[i] / known : errors[i] + (sum[i] / known - errors[i]) * rate;
    }
    const double* renewals = &renewals_[p][3 * static_cast<size_t>(std::log2(octave))];
    for (size_t i = 0; i < 3; ++i)
      errors[2 + i] = std::isnan(renewals[i]) ? errors[2 + i] : std::fmax(renewals[i], errors[0]);
  }
  if (std::isnan(errors[0])) return {1, 0, 0, 0, 0};
  for (size_t i : {0, 1}) errors[i] *= 0.95;
  const double least = *std::min_element(errors.begin(), errors.end());
  Five weights;
  double total = 0;
  for (double error : errors) {
    weights.push_back(std::pow(error > least ? least / error : 1, 24 * judged / (judged + 5)));
    total += weights.back();
  }
  for (double& weight : weights) weight /= total;
  return weights;
}

}  // namespace aaren::engine
