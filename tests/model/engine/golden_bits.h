#ifndef AAREN_TESTS_MODEL_ENGINE_GOLDEN_BITS_H_
#define AAREN_TESTS_MODEL_ENGINE_GOLDEN_BITS_H_

// What an engine tells and leaves behind, in numbers that can be recorded. Nothing that goes in comes from the C
// library's functions, whose bits differ from one machine to the next: integers, products, quotients and square roots
// make the weights and the series.

#include <cstddef>
#include <cstdint>
#include <ostream>

#include "model/package/package.h"
#include "tests/model/engine/stepper.h"

namespace aaren::engine {

// Of everything that one session is told and leaves behind.
struct Bits {
  uint64_t network, calibrated, surprises, row, whole, cycle;
  bool operator==(const Bits&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Bits& bits);

// Of a session whose tokens come `most` at a time, of one that wants the network's own forecasts, of one of whole
// numbers, and the row of one whose season is found.
Bits BitsOf(Stepper& stepper, size_t most);

// As aaren-train leaves them: matrices whose weights are bfloat16, which the engine reads at half the size.
package::ModelPackage Halved(package::ModelPackage package);

// A forecaster that sees the series' seasons.
package::ForecasterConfig WithSeasons(package::ForecasterConfig config);

}  // namespace aaren::engine

#endif  // AAREN_TESTS_MODEL_ENGINE_GOLDEN_BITS_H_
