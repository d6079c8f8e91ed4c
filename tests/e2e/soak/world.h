#ifndef AAREN_TESTS_E2E_SOAK_WORLD_H_
#define AAREN_TESTS_E2E_SOAK_WORLD_H_

// The state shared by all parts of a run. Threading: any thread.

#include <atomic>
#include <cstdint>
#include <string>

#include "tests/e2e/soak/judge/history.h"
#include "tests/e2e/soak/judge/ledger.h"
#include "tests/e2e/soak/judge/oracle.h"

namespace aaren::soak {

inline constexpr uint32_t kTokensPerItem = 4096;
inline constexpr uint64_t kInFlightTokens = 16384;

struct World {
  World(uint64_t s, const Oracle& o) : seed(s), oracle(o), history(s), ledger(o, history) {}

  const uint64_t seed;
  const Oracle& oracle;
  History history;
  Ledger ledger;
  std::string address;                   // the server's; set before threads begin
  uint64_t flip = 0;                     // flips a bit of this expected forecast, to see the soak fail
  std::atomic<uint64_t> judged{0};       // forecasts
  std::atomic<bool> calm{false};         // no more trouble: finish begun work
  std::atomic<bool> terminating{false};  // the server was told to end

  bool over() const { return history.broken(); }
};

}  // namespace aaren::soak

#endif  // AAREN_TESTS_E2E_SOAK_WORLD_H_
