#include "model/tasks/events/rules/interval_rules.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numbers>

namespace aaren::events {
namespace {

double NormalCdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }
double NormalLogPdf(double x, double sd) {
  return -0.5 * x * x / (sd * sd) - std::log(sd) - 0.5 * std::log(2 * std::numbers::pi);
}

class Lomax final : public IntervalRule {
 public:
  void Observe(double gap) override {
    weight_ = 0.95 * weight_ + 1;
    sum_ = 0.95 * sum_ + gap;
  }
  double Below(double gap) const override { return 1 - std::pow(1 + gap / sum_, -weight_); }
  double LogDensity(double gap) const override {
    return std::log(weight_ / sum_) - (weight_ + 1) * std::log1p(gap / sum_) + std::log(gap);
  }

 private:
  double weight_ = 0, sum_ = 0;
};

class LogNormal final : public IntervalRule {
 public:
  void Observe(double gap) override {
    if (!(gap > 0)) return;
    const double x = std::log(gap), before = mean();
    squares_ *= 0.97;
    const double kept = 0.97 * weight_;
    if (weight_ > 0) squares_ += kept / (kept + 1) * (x - before) * (x - before);
    weight_ = kept + 1;
    sum_ = 0.97 * sum_ + x;
  }
  double mean() const { return weight_ > 0 ? sum_ / weight_ : 0; }
  // The deviation counts two more intervals a unit of logarithm away from the mean.
  double deviation() const { return std::sqrt((squares_ + 2) / (weight_ + 1)); }
  double Below(double gap) const override { return NormalCdf((std::log(gap) - mean()) / deviation()); }
  double LogDensity(double gap) const override { return NormalLogPdf(std::log(gap) - mean(), deviation()); }

 private:
  double weight_ = 0, sum_ = 0, squares_ = 0;
};

class KernelRule final : public IntervalRule {
 public:
  void Observe(double gap) override {
    young_.Observe(gap);
    if (!(gap > 0)) return;
    logs_.push_back(std::log(gap));
    if (logs_.size() > 64) logs_.pop_front();
  }
  double Below(double gap) const override {
    double sum = 0;
    for (const double x : logs_) sum += NormalCdf((std::log(gap) - x) / Width());
    const double share = Share(), n = static_cast<double>(logs_.size());
    return share * sum / n + (1 - share) * young_.Below(gap);
  }
  double LogDensity(double gap) const override {
    double sum = 0;
    for (const double x : logs_) sum += std::exp(NormalLogPdf(std::log(gap) - x, Width()));
    const double share = Share(), n = static_cast<double>(logs_.size());
    return std::log(share * sum / n + (1 - share) * std::exp(young_.LogDensity(gap)));
  }

 private:
  double Share() const {
    const double n = static_cast<double>(logs_.size());
    return n / (n + 4);
  }
  double Width() const {
    return std::max(0.05, 0.5 * young_.deviation() * std::pow(static_cast<double>(logs_.size()), -0.2));
  }

  LogNormal young_;
  std::deque<double> logs_;
};

}  // namespace

double IntervalRule::IntervalAt(double level) const {
  double low = -60, high = 60;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (Below(std::exp(middle)) < level ? low : high) = middle;
  }
  return std::exp(low);
}

std::unique_ptr<IntervalRule> NewLomax() { return std::make_unique<Lomax>(); }
std::unique_ptr<IntervalRule> NewLogNormal() { return std::make_unique<LogNormal>(); }
std::unique_ptr<IntervalRule> NewKernel() { return std::make_unique<KernelRule>(); }

std::vector<std::pair<std::string, std::unique_ptr<IntervalRule>>> IntervalRules() {
  std::vector<std::pair<std::string, std::unique_ptr<IntervalRule>>> rules;
  rules.emplace_back("running exponential (Lomax)", NewLomax());
  rules.emplace_back("log-normal renewal", NewLogNormal());
  rules.emplace_back("kernel renewal", NewKernel());
  rules.emplace_back("Hawkes, refitted", NewHawkesRule());
  return rules;
}

}  // namespace aaren::events
