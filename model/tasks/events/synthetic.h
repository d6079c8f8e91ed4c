#ifndef AAREN_MODEL_TASKS_EVENTS_SYNTHETIC_H_
#define AAREN_MODEL_TASKS_EVENTS_SYNTHETIC_H_

// The generator of training sequences of events. A sequence comes from one of 15 kinds of processes
// (processes/process.h), each equally likely, as a session sees it from its first event. Marks come from the process or
// are drawn separately. Duplicates, a unit of time and rounding follow. No real sequence is used, and a model
// trained on the generator alone is zero-shot everywhere.

#include <cstdint>
#include <limits>
#include <vector>

namespace aaren::events {

// The edition rises when equal arguments give other sequences.
inline constexpr int kGeneratorEdition = 2;

struct EventSequence {
  std::vector<double> times;  // seconds since the first event, ascending
  std::vector<int> marks;     // from 0; as many as times
  double rounding = 0;        // times are multiples of this many seconds; 0: not rounded
  // The first event's time in seconds since 1970 UTC; NaN if unknown to the session.
  double epoch = std::numeric_limits<double>::quiet_NaN();
};

// Sequence number `index` of the endless sequence of `seed`: exactly `events` events, times finite. Equal arguments
// give equal sequences. REQUIRES: events >= 2.
EventSequence SyntheticEvents(uint64_t seed, uint64_t index, int events);

}  // namespace aaren::events

#endif  // AAREN_MODEL_TASKS_EVENTS_SYNTHETIC_H_
