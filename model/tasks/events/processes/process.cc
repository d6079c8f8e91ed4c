#include "model/tasks/events/processes/process.h"

namespace aaren::events {

absl::Span<const Process> Processes() {
  static constexpr Process kProcesses[] = {
      {"poisson", PoissonProcess},
      {"renewal", Renewal},
      {"autoregression", Autoregression},
      {"drift", Drift},
      {"regimes", Regimes},
      {"bursts", Bursts},
      {"people", People},
      {"seasonal", Seasonal},
      {"cox", Cox},
      {"hawkes", Hawkes},
      {"many_hawkes", ManyHawkes},
      {"inhibition", Inhibition},
      {"semi_markov", SemiMarkov},
      {"timers", Timers},
      {"superposition", Superposition},
  };
  return kProcesses;
}

}  // namespace aaren::events
