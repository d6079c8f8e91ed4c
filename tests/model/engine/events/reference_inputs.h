#ifndef AAREN_TESTS_MODEL_ENGINE_EVENTS_REFERENCE_INPUTS_H_
#define AAREN_TESTS_MODEL_ENGINE_EVENTS_REFERENCE_INPUTS_H_

// A second implementation of the inputs of a token: sums over the whole history with the C library's functions, where
// EventMemory keeps running numbers. For at most 64 marks.

#include <cstdint>
#include <vector>

namespace aaren::events {

struct History {
  std::vector<double> times;    // seconds since the first event
  std::vector<uint64_t> marks;  // a mark for each time
  double epoch;                 // NaN: there is no calendar
};

// The inputs after the last event. REQUIRES: some interval is above 0.
std::vector<double> ReferenceInputs(const History& history);

// The inputs of each mark, in order of first appearance: [marks, 15].
std::vector<std::vector<double>> ReferenceMarkInputs(const History& history);

}  // namespace aaren::events

#endif  // AAREN_TESTS_MODEL_ENGINE_EVENTS_REFERENCE_INPUTS_H_
