#include <algorithm>
#include <cmath>

#include "model/tasks/events/rules/interval_rules.h"

namespace aaren::events {
namespace {

// Intensity mu (1 + jump * sum of exp(-rate * age)).
struct Shape {
  double jump = 0, rate = 1;
};

// A shape's state after some events: the sum of exponentials now, the integral of 1 + jump * sum, and the likelihood.
struct Path {
  double excited = 0, whole = 0, logs = 0, events = 0;

  void Take(const Shape& shape, double gap) {
    const double kept = std::exp(-shape.rate * gap);
    whole += gap + shape.jump * excited * (1 - kept) / shape.rate;
    excited *= kept;
    logs += std::log1p(shape.jump * excited);
    events += 1;
    excited += 1;
  }
  // The logarithm of the events' likelihood, with the likeliest mu.
  double LogLikelihood() const { return logs + events * std::log(events / whole); }
};

class HawkesRule final : public IntervalRule {
 public:
  void Observe(double gap) override {
    gaps_.push_back(gap);
    path_.Take(shape_, gap);
    if (static_cast<double>(gaps_.size()) < 1.1 * fitted_at_ + 1) return;
    fitted_at_ = static_cast<double>(gaps_.size());
    Fit();
  }

  double Below(double gap) const override { return 1 - std::pow(1 + Grown(gap) / path_.whole, -path_.events); }

  double LogDensity(double gap) const override {
    const double rate = 1 + shape_.jump * path_.excited * std::exp(-shape_.rate * gap);
    return std::log(path_.events * rate / path_.whole) - (path_.events + 1) * std::log1p(Grown(gap) / path_.whole) +
           std::log(gap);
  }

 private:
  // The integral of the intensity over mu, from now over `gap`.
  double Grown(double gap) const {
    return gap + shape_.jump * path_.excited * (1 - std::exp(-shape_.rate * gap)) / shape_.rate;
  }

  Path PathOf(const Shape& shape) const {
    Path path = {.excited = 1, .whole = 0, .logs = 0, .events = 0};  // the first event excites too
    for (const double gap : gaps_) path.Take(shape, gap);
    return path;
  }

  void Fit() {
    double sum = 0;
    for (const double gap : gaps_) sum += gap;
    const double mean = sum / static_cast<double>(gaps_.size());
    if (!(mean > 0)) return;
    shape_ = {.jump = 0, .rate = 1 / mean};
    path_ = PathOf(shape_);
    // A shape more than none has two numbers to pay for.
    double best = path_.LogLikelihood() + 2;
    for (double rate = 0.03; rate < 1000; rate *= 2.2) {
      for (double jump = 0.1; jump < 1000; jump *= 2) {
        const Shape shape = {.jump = jump, .rate = rate / mean};
        const Path path = PathOf(shape);
        if (!(path.LogLikelihood() > best)) continue;
        best = path.LogLikelihood();
        shape_ = shape;
        path_ = path;
      }
    }
  }

  std::vector<double> gaps_;
  Shape shape_;
  Path path_ = {.excited = 1, .whole = 0, .logs = 0, .events = 0};
  double fitted_at_ = 0;
};

}  // namespace

std::unique_ptr<IntervalRule> NewHawkesRule() { return std::make_unique<HawkesRule>(); }

}  // namespace aaren::events
