#include "tests/model/engine/events/reference_inputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "model/engine/events/memory.h"
#include "tests/model/engine/events/random_events.h"

namespace aaren::events {
namespace {

// A history with few marks, so that no two pairs of marks meet in one place of EventMemory::pairs.
History SomeHistory(uint64_t seed, double epoch) {
  History history = {.times = {}, .marks = {}, .epoch = epoch};
  const std::vector<Event> events = HardEvents(seed, 120);
  for (size_t i = 0; i < events.size(); ++i) {
    const double gap = i == 0 ? 0 : static_cast<double>(events[i].time_ns - events[i - 1].time_ns) * 1e-9;
    history.times.push_back(i == 0 ? 0 : history.times.back() + (gap > 0 ? std::clamp(gap, 0.25, 100.0) : 0));
    history.marks.push_back(events[i].mark % 6);
  }
  return history;
}

void ExpectEqualInputs(const History& history) {
  EventMemory memory = NoEvents(history.epoch);
  History seen = {.times = {}, .marks = {}, .epoch = history.epoch};
  for (size_t i = 0; i < history.times.size(); ++i) {
    const double gap = i == 0 ? 0 : history.times[i] - history.times[i - 1];
    Observe({.gap = gap, .mark = history.marks[i]}, memory);
    seen.times.push_back(history.times[i]);
    seen.marks.push_back(history.marks[i]);
    if (!HasScale(memory)) continue;
    float inputs[kInputs], marks[kMarkSlots * kMarkInputs];
    WriteInputs(memory, inputs);
    WriteMarkInputs(memory, marks, kMarkInputs);
    const std::vector<double> expected = ReferenceInputs(seen);
    ASSERT_EQ(expected.size(), kInputs);
    for (size_t k = 0; k < kInputs; ++k) ASSERT_NEAR(inputs[k], expected[k], 2e-5) << "event " << i << " input " << k;
    const std::vector<std::vector<double>> expected_marks = ReferenceMarkInputs(seen);
    ASSERT_EQ(expected_marks.size(), memory.live);
    for (size_t slot = 0; slot < memory.live; ++slot) {
      for (size_t k = 0; k < kMarkInputs; ++k) {
        ASSERT_NEAR(marks[slot * kMarkInputs + k], expected_marks[slot][k], 2e-5)
            << "event " << i << " slot " << slot << " input " << k;
      }
    }
  }
}

TEST(ReferenceInputsTest, TheMemoryKeepsWhatTheWholeHistorySays) {
  for (const uint64_t seed : {1, 2, 3}) ExpectEqualInputs(SomeHistory(seed, 1.7e9));
}

TEST(ReferenceInputsTest, WithoutACalendarToo) {
  ExpectEqualInputs(SomeHistory(4, std::numeric_limits<double>::quiet_NaN()));
}

}  // namespace
}  // namespace aaren::events
