#ifndef AAREN_TESTS_MODEL_SPECIFICATION_EVENTS_INPUTS_H_
#define AAREN_TESTS_MODEL_SPECIFICATION_EVENTS_INPUTS_H_

// Sections E4 and E5 of model/engine/events/RULES.md: what the network sees of a memory.

#include <array>
#include <vector>

#include "tests/model/specification/arithmetic.h"
#include "tests/model/specification/events/memory.h"

namespace aaren::specification::events {

Vector TokenInputs(const Memory& memory);              // E4, 87 numbers
std::vector<Vector> MarkInputs(const Memory& memory);  // E5, 15 numbers of each slot in use

// E4.5-E4.8: what the heads take from the memory.
struct Places {
  explicit Places(const Memory& memory);

  std::array<float, 16> ring;
  std::array<bool, 16> present;
  float after, deviation, elapsed, intervals;
};

}  // namespace aaren::specification::events

#endif  // AAREN_TESTS_MODEL_SPECIFICATION_EVENTS_INPUTS_H_
