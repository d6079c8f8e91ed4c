#include "client/cli/evaluate/events/quantile_law.h"

#include <algorithm>
#include <cmath>

namespace aaren::cli {
namespace {

constexpr int kLevels = 39;
constexpr double kLeastStep = 1e-6;  // between two knots, in both directions: a spike has a finite density

}  // namespace

QuantileLaw::QuantileLaw(absl::Span<const float> levels, absl::Span<const float> seconds, double tie)
    : tie_(std::clamp(tie, 0.0, 1 - kLeastStep)) {
  for (size_t i = 0; i < levels.size(); ++i) {
    const double level = (static_cast<double>(levels[i]) - tie_) / (1 - tie_);
    if (!(seconds[i] > 0) || level <= 0) continue;
    Knot knot = {.log_gap = std::log(static_cast<double>(seconds[i])), .level = level};
    if (!knots_.empty()) {
      knot.log_gap = std::max(knot.log_gap, knots_.back().log_gap + kLeastStep);
      knot.level = std::max(knot.level, knots_.back().level + kLeastStep);
    }
    knots_.push_back(knot);
  }
  // Fewer than two quantiles above 0 tell no width: an e-fold of time then holds what is left of the levels.
  while (knots_.size() < 2) {
    const Knot last = knots_.empty() ? Knot{.log_gap = 0, .level = 0} : knots_.back();
    knots_.push_back({.log_gap = last.log_gap + 1, .level = (last.level + 1) / 2});
  }
  low_scale_ = knots_.front().level / Slope(1);
  high_scale_ = std::max(1 - knots_.back().level, kLeastStep) / Slope(knots_.size() - 1);
}

double QuantileLaw::Slope(size_t segment) const {
  const Knot &from = knots_[segment - 1], &to = knots_[segment];
  return (to.level - from.level) / (to.log_gap - from.log_gap);
}

size_t QuantileLaw::Above(double log_gap) const {
  const auto found = std::lower_bound(knots_.begin(), knots_.end(), log_gap,
                                      [](const Knot &knot, double at) { return knot.log_gap < at; });
  return static_cast<size_t>(found - knots_.begin());
}

double QuantileLaw::Below(double gap) const {
  if (!(gap > 0)) return 0;
  const double at = std::log(gap);
  const size_t above = Above(at);
  const Knot &first = knots_.front(), &last = knots_.back();
  if (above == 0) return first.level * std::exp((at - first.log_gap) / low_scale_);
  if (above == knots_.size()) return 1 - (1 - last.level) * std::exp(-(at - last.log_gap) / high_scale_);
  return knots_[above].level - (knots_[above].log_gap - at) * Slope(above);
}

double QuantileLaw::LogDensity(double gap) const {
  const double at = std::log(gap);
  const size_t above = Above(at);
  if (above == 0) return std::log(Slope(1)) + (at - knots_.front().log_gap) / low_scale_;
  if (above < knots_.size()) return std::log(Slope(above));
  return std::log(Slope(knots_.size() - 1)) - (at - knots_.back().log_gap) / high_scale_;
}

double QuantileLaw::IntervalAt(double level) const {
  const double wanted = (level - tie_) / (1 - tie_);
  if (wanted <= 0) return 0;
  const Knot &first = knots_.front(), &last = knots_.back();
  if (wanted <= first.level) return std::exp(first.log_gap + low_scale_ * std::log(wanted / first.level));
  if (wanted >= last.level) return std::exp(last.log_gap - high_scale_ * std::log((1 - wanted) / (1 - last.level)));
  const auto above = std::lower_bound(knots_.begin(), knots_.end(), wanted,
                                      [](const Knot &knot, double at) { return knot.level < at; });
  const double slope = Slope(static_cast<size_t>(above - knots_.begin()));
  return std::exp(above->log_gap - (above->level - wanted) / slope);
}

std::vector<float> EvaluationLevels() {
  std::vector<float> levels;
  for (int i = 1; i <= kLevels; ++i) levels.push_back(static_cast<float>(i) / (kLevels + 1));
  return levels;
}

}  // namespace aaren::cli
