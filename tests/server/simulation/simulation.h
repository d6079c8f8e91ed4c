#ifndef AAREN_TESTS_SERVER_SIMULATION_SIMULATION_H_
#define AAREN_TESTS_SERVER_SIMULATION_SIMULATION_H_

// A run of the simulation: a server of a few shards and rows, hosts that want every forecast exactly once, and rivals
// that want trouble. A single thread does everybody's work, in an order and at times chosen by the seed: it delays,
// reorders, cuts, evicts, demotes, moves, kills and saves at any point, and models retire, are unloaded and come again.
// Sessions are of values, of events, or of a real network, which has extended rows, covariates and profiles, too.
// After a while calm comes; then everybody must finish.

#include <cstdint>
#include <string>
#include <vector>

namespace aaren::simulation {

struct Report {
  std::string broken;                // the first broken promise; empty: none
  std::vector<std::string> history;  // if asked for
  uint64_t moments = 0;
  uint64_t evicted = 0, demoted = 0, promoted = 0, moved = 0;  // events of the run
  uint64_t rewound = 0, fenced = 0, kills = 0;
  uint64_t late = 0, awaited = 0, cut = 0;  // from Cluster::Late
  uint64_t unloaded = 0;                    // models
  uint64_t refused = 0;                     // Opens that ask for other rows than the session has
};

Report Run(uint64_t seed, bool keep_history);

}  // namespace aaren::simulation

#endif  // AAREN_TESTS_SERVER_SIMULATION_SIMULATION_H_
