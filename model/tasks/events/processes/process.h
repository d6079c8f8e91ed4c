#ifndef AAREN_MODEL_TASKS_EVENTS_PROCESSES_PROCESS_H_
#define AAREN_MODEL_TASKS_EVENTS_PROCESSES_PROCESS_H_

// The kinds of processes of the generator. A process draws the intervals between events in a unit of its own, and marks
// where the marks make the times.

#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "model/tasks/forecasting/parts/random.h"

namespace aaren::events {

using forecasting::Random;

struct Drawn {
  std::vector<double> gaps;  // between successive events, > 0
  std::vector<int> marks;    // the events' marks, one more than gaps; empty: the process has no marks
  bool seconds = false;      // gaps are in seconds and keep their unit
};

struct Process {
  absl::string_view name;
  Drawn (*draw)(Random& random, int gaps);
};

// The 15 kinds, in a fixed order.
absl::Span<const Process> Processes();

// 10 to the power of a uniform number.
double TenTo(Random& random, double low, double high);

// The processes by file: plain.cc,
Drawn PoissonProcess(Random& random, int gaps);
Drawn Renewal(Random& random, int gaps);
Drawn Autoregression(Random& random, int gaps);
Drawn Drift(Random& random, int gaps);
Drawn Regimes(Random& random, int gaps);
Drawn Bursts(Random& random, int gaps);
Drawn SemiMarkov(Random& random, int gaps);
// clocks.cc,
Drawn People(Random& random, int gaps);
Drawn Seasonal(Random& random, int gaps);
Drawn Timers(Random& random, int gaps);
Drawn Superposition(Random& random, int gaps);
// and intensities.cc.
Drawn Cox(Random& random, int gaps);
Drawn Hawkes(Random& random, int gaps);
Drawn ManyHawkes(Random& random, int gaps);
Drawn Inhibition(Random& random, int gaps);

}  // namespace aaren::events

#endif  // AAREN_MODEL_TASKS_EVENTS_PROCESSES_PROCESS_H_
