#ifndef AAREN_TESTS_MODEL_ENGINE_GOLDEN_BITS_H_
#define AAREN_TESTS_MODEL_ENGINE_GOLDEN_BITS_H_

// Fingerprints of an engine's outputs and rows, to be recorded. Weights and series are made by integers, products,
// quotients and square roots. No function of the C library is used, because its bits differ between machines.

#include <cstddef>
#include <cstdint>
#include <ostream>

#include "model/package/package.h"
#include "tests/model/engine/stepper.h"

namespace aaren::engine {

// The fingerprints of everything that a session is told and leaves behind.
struct Bits {
  uint64_t network, calibrated, surprises, row, whole, cycle;
  bool operator==(const Bits&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Bits& bits);

// The bits of four sessions: tokens `most` at a time; the network's own forecasts; whole numbers; and, as a row, a
// series whose season is found.
Bits BitsOf(Stepper& stepper, size_t most);

// The package as aaren-train writes packages: matrices with bfloat16 weights, which the engine reads at half the size.
package::ModelPackage Halved(package::ModelPackage package);

// The config of a forecaster with seasonal inputs.
package::ForecasterConfig WithSeasons(package::ForecasterConfig config);

}  // namespace aaren::engine

#endif  // AAREN_TESTS_MODEL_ENGINE_GOLDEN_BITS_H_
