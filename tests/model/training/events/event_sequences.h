#ifndef AAREN_TESTS_MODEL_TRAINING_EVENTS_EVENT_SEQUENCES_H_
#define AAREN_TESTS_MODEL_TRAINING_EVENTS_EVENT_SEQUENCES_H_

// Sequences of events whose times are exact both in seconds and in nanoseconds.

#include <random>
#include <vector>

#include "model/engine/events/event_engine.h"
#include "model/tasks/events/synthetic.h"

namespace aaren::training {

inline constexpr int64_t kStepNs = 1'953'125;  // 2^-9 seconds

// Gaps of 0, of a step, and of up to an hour; marks of which a tenth is new. The first events are ties.
inline events::EventSequence StepSequence(uint64_t seed, int events, bool calendar) {
  std::mt19937_64 random(seed);
  events::EventSequence sequence;
  if (calendar) sequence.epoch = 1'700'000'000;
  double time = 0;
  for (int i = 0; i < events; ++i) {
    const uint64_t kind = random() % 20, steps = random() % (kind < 10 ? 4000 : 1'800'000);
    if (i > 1) time += static_cast<double>(kind == 0 ? 0 : kind == 1 ? 1 : steps) / 512;
    sequence.times.push_back(time);
    sequence.marks.push_back(random() % 10 == 0 ? 100 + i : static_cast<int>(random() % 7));
  }
  return sequence;
}

inline std::vector<events::Event> EventsOf(const events::EventSequence& sequence) {
  const int64_t first = sequence.epoch > 0 ? static_cast<int64_t>(sequence.epoch) * 1'000'000'000 : 0;
  std::vector<events::Event> all;
  for (size_t i = 0; i < sequence.times.size(); ++i) {
    all.push_back({.time_ns = first + static_cast<int64_t>(sequence.times[i] * 512) * kStepNs,
                   .mark = static_cast<uint64_t>(sequence.marks[i])});
  }
  return all;
}

}  // namespace aaren::training

#endif  // AAREN_TESTS_MODEL_TRAINING_EVENTS_EVENT_SEQUENCES_H_
