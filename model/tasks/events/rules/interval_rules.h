#ifndef AAREN_MODEL_TASKS_EVENTS_RULES_INTERVAL_RULES_H_
#define AAREN_MODEL_TASKS_EVENTS_RULES_INTERVAL_RULES_H_

// Simple rules that forecast the next interval from the intervals of a session so far. A trained model has to beat the
// rules. A rule knows nothing before its first interval above 0. TieRate forecasts ties for all rules.

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace aaren::events {

class IntervalRule {
 public:
  virtual ~IntervalRule() = default;
  virtual void Observe(double gap) = 0;             // >= 0
  virtual double Below(double gap) const = 0;       // the probability of an interval of at most `gap`
  virtual double LogDensity(double gap) const = 0;  // the density of the interval's logarithm
  virtual double IntervalAt(double level) const;    // by bisection
};

class TieRate {
 public:
  void Observe(double gap) {
    ++intervals_;
    if (!(gap > 0)) ++ties_;
  }
  double probability() const { return (ties_ + 0.05) / (intervals_ + 1); }

 private:
  double ties_ = 0, intervals_ = 0;
};

// The exponential law with a running rate: 0.95 is kept per event, and the unknown rate is integrated out (Lomax).
std::unique_ptr<IntervalRule> NewLomax();

// The log-normal law with running moments: 0.97 is kept per event.
std::unique_ptr<IntervalRule> NewLogNormal();

// A kernel density of the last 64 logarithms, mixed with the log-normal law while young.
std::unique_ptr<IntervalRule> NewKernel();

// A Hawkes process with an exponential kernel, fitted anew to all events so far each time their number has grown by a
// tenth. The unknown rate is integrated out.
std::unique_ptr<IntervalRule> NewHawkesRule();

// All rules with their names.
std::vector<std::pair<std::string, std::unique_ptr<IntervalRule>>> IntervalRules();

}  // namespace aaren::events

#endif  // AAREN_MODEL_TASKS_EVENTS_RULES_INTERVAL_RULES_H_
