#ifndef AAREN_MODEL_TASKS_EVENTS_SCORES_JUDGES_H_
#define AAREN_MODEL_TASKS_EVENTS_SCORES_JUDGES_H_

// Judges score one method's forecasts of intervals and of marks. Threading: plain values.

#include <string>
#include <utility>
#include <vector>

#include "model/tasks/forecasting/parts/random.h"

namespace aaren::events {

// The forecast of an interval in seconds. A tie, an interval of 0, has a probability of its own.
class IntervalForecast {
 public:
  virtual ~IntervalForecast() = default;
  virtual double Tie() const = 0;
  virtual double Below(double gap) const = 0;         // the probability that an interval above 0 is at most `gap`
  virtual double LogDensity(double gap) const = 0;    // density of the logarithm of an interval above 0; gap > 0
  virtual double IntervalAt(double level) const = 0;  // ties included
};

// The forecast of the mark that came.
struct MarkChance {
  double probability = 0;  // the mark's, or a new mark's if the mark was not known
  bool fresh = false;      // the mark was not known
  double most = 0;         // the largest probability of a known mark
};

struct TimeScore {
  std::string name;
  double nll = 0;     // nats per event: the density of the interval's logarithm; a tie is an atom
  double binned = 0;  // the same for rounded times: the mass of the rounding's width, by its width in logarithm
  double wql = 0;     // twice the pinball loss over levels 0.1 ... 0.9, by the sum of intervals
  double ks = 0;      // largest distance between the surprises' distribution and the uniform
  double inside = 0;  // share of intervals from the 0.1 to the 0.9 quantile
  std::vector<double> surprises = {};  // shares of surprises in 20 equal parts of 0 .. 1
};

struct MarkScore {
  std::string name;
  double nll = 0;       // nats per event over the known marks and "new"
  double accuracy = 0;  // share of marks named; a new mark is always a miss
};

class TimeJudge {
 public:
  // `rounding`: seconds to which times are rounded; 0: not.
  TimeJudge(std::string name, double rounding);

  void Judge(const IntervalForecast& forecast, double gap);

  // REQUIRES: Judge was called.
  TimeScore Score();

 private:
  double Binned(const IntervalForecast& forecast, double gap) const;

  const double rounding_;
  forecasting::Random random_;
  TimeScore score_;
  double gaps_ = 0;
  std::vector<double> surprises_;
};

class MarkJudge {
 public:
  explicit MarkJudge(std::string name) { score_.name = std::move(name); }

  void Judge(const MarkChance& chance);

  // REQUIRES: Judge was called.
  MarkScore Score() const {
    return {.name = score_.name, .nll = score_.nll / events_, .accuracy = score_.accuracy / events_};
  }

 private:
  MarkScore score_;
  double events_ = 0;
};

}  // namespace aaren::events

#endif  // AAREN_MODEL_TASKS_EVENTS_SCORES_JUDGES_H_
