#ifndef AAREN_MODEL_TASKS_EVENTS_PROCESSES_LAW_H_
#define AAREN_MODEL_TASKS_EVENTS_PROCESSES_LAW_H_

// A Law is a distribution of intervals, itself drawn at random: gamma, Weibull, log-normal, a mixture, or with a heavy
// tail. Intervals have a magnitude of about 1.

#include <vector>

#include "model/tasks/forecasting/parts/random.h"

namespace aaren::events {

class Law {
 public:
  static Law Any(forecasting::Random& random);

  double Draw(forecasting::Random& random) const;  // > 0

 private:
  enum class Kind { kGamma, kWeibull, kLogNormal, kPareto, kStudent, kInverseWeibull };
  struct Part {
    Kind kind;
    double shape, log_scale, weight;
  };
  static Part AnyPart(forecasting::Random& random);
  static double DrawPart(const Part& part, forecasting::Random& random);

  std::vector<Part> parts_;
};

}  // namespace aaren::events

#endif  // AAREN_MODEL_TASKS_EVENTS_PROCESSES_LAW_H_
