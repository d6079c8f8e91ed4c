#include "model/engine/events/memory.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace aaren::events {
namespace {

constexpr double kNoEpoch = std::numeric_limits<double>::quiet_NaN();

EventMemory After(const std::vector<Arrival>& arrivals, double epoch = kNoEpoch) {
  EventMemory memory = NoEvents(epoch);
  for (const Arrival& arrival : arrivals) Observe(arrival, memory);
  return memory;
}

std::vector<float> InputsOf(const EventMemory& memory) {
  std::vector<float> inputs(kInputs, -99.0f);
  WriteInputs(memory, inputs.data());
  return inputs;
}

std::vector<Arrival> SomeArrivals(double unit) {
  std::vector<Arrival> arrivals;
  for (int i = 0; i < 120; ++i) arrivals.push_back({.gap = unit * ((i * 7) % 13 + 0.25), .mark = uint64_t(i * i % 7)});
  arrivals[0].gap = 0;
  arrivals[50].gap = 0;
  return arrivals;
}

TEST(EventMemoryTest, HasAScaleOnceAnIntervalAboveZeroWasSeen) {
  EXPECT_FALSE(HasScale(After({{0, 1}})));
  EXPECT_FALSE(HasScale(After({{0, 1}, {0, 1}})));
  const EventMemory memory = After({{0, 1}, {0, 1}, {2, 1}});
  ASSERT_TRUE(HasScale(memory));
  EXPECT_NEAR(LogScale(memory), std::log(2.0), 1e-12);
}

TEST(EventMemoryTest, EveryInputIsWrittenAndFinite) {
  for (const double epoch : {kNoEpoch, 1.7e9}) {
    for (const float input : InputsOf(After(SomeArrivals(1), epoch))) {
      EXPECT_TRUE(std::isfinite(input));
      EXPECT_NE(input, -99.0f);
    }
  }
}

TEST(EventMemoryTest, InputsDoNotDependOnTheUnitOfTime) {
  const std::vector<float> seconds = InputsOf(After(SomeArrivals(1))), other = InputsOf(After(SomeArrivals(1e7)));
  for (size_t k = 0; k < kInputs; ++k) EXPECT_NEAR(seconds[k], other[k], 2e-6) << k;
}

TEST(EventMemoryTest, CalendarInputsAreZeroWithoutACalendar) {
  const std::vector<float> without = InputsOf(After(SomeArrivals(1))), with = InputsOf(After(SomeArrivals(1), 0));
  for (size_t k = 0; k < kInputs; ++k) {
    EXPECT_EQ(without[k], k < 69 ? with[k] : 0) << k;
  }
  EXPECT_EQ(with[69], 1);
}

TEST(EventMemoryTest, RingAndFlagsAreTheNewestFirst) {
  const std::vector<float> inputs = InputsOf(After({{0, 1}, {1, 2}, {4, 1}, {1, 1}}));
  const double scale = LogScale(After({{0, 1}, {1, 2}, {4, 1}, {1, 1}}));
  EXPECT_NEAR(inputs[2], (std::log(1.0) - scale) / 2, 1e-6);
  EXPECT_NEAR(inputs[3], (std::log(4.0) - scale) / 2, 1e-6);
  EXPECT_EQ(inputs[5], 0);   // absent
  EXPECT_EQ(inputs[18], 1);  // the event before has the same mark
  EXPECT_EQ(inputs[19], 0);
  EXPECT_EQ(inputs[20], 1);
}

TEST(EventMemoryTest, MarksTakeSlotsAndTheLeastRecentlyUsedIsReplaced) {
  EventMemory memory = NoEvents(kNoEpoch);
  for (uint64_t mark = 0; mark < kMarkSlots; ++mark) Observe({.gap = 1, .mark = mark}, memory);
  EXPECT_EQ(memory.live, kMarkSlots);
  Observe({.gap = 1, .mark = 0}, memory);     // now mark 1 is the oldest
  Observe({.gap = 1, .mark = 1000}, memory);  // takes the slot of mark 1
  EXPECT_EQ(FindSlot(memory, 0), 0u);
  EXPECT_EQ(FindSlot(memory, 1), kNewMark);
  EXPECT_EQ(FindSlot(memory, 1000), 1u);
  EXPECT_EQ(memory.distinct, kMarkSlots + 1);
}

TEST(EventMemoryTest, TheNumberOfMarksStopsBeforeItBeginsAnew) {
  EventMemory memory = NoEvents(kNoEpoch);
  memory.distinct = 0xfffffffe;
  for (uint64_t mark = 0; mark < 3; ++mark) Observe({.gap = 1, .mark = mark}, memory);
  EXPECT_EQ(memory.distinct, 0xffffffff);
}

// Marks that come again and again keep their slots among marks that never return, also where the numbers of events,
// 32 bits in a slot, begin again.
TEST(EventMemoryTest, MarksThatReturnKeepTheirSlotsBeyondTwoToThe32Events) {
  EventMemory memory = NoEvents(kNoEpoch);
  uint64_t mark = 100;
  const auto observe = [&] { Observe({.gap = 1, .mark = mark % 3 == 0 ? 1 : mark}, memory), ++mark; };
  for (int i = 0; i < 300; ++i) observe();
  const uint64_t later = (uint64_t{1} << 32) - 400;
  memory.count += later;
  for (MarkSlot& slot : memory.slots) slot.last += static_cast<uint32_t>(later);
  for (int i = 0; i < 600; ++i) {
    observe();
    ASSERT_NE(FindSlot(memory, 1), kNewMark) << "event " << memory.count;
  }
  EXPECT_GT(memory.count, uint64_t{1} << 32);
}

TEST(EventMemoryTest, NothingRefersToAReplacedMark) {
  EventMemory memory = NoEvents(kNoEpoch);
  for (uint64_t mark = 0; mark < 3000; ++mark) Observe({.gap = 1, .mark = mark}, memory);
  for (const MarkSlot& slot : memory.slots) {
    EXPECT_LE(slot.count, 1u);
    for (size_t j = 1; j < kSuccessors; ++j) EXPECT_EQ(slot.successors[j], kNoSlot);
  }
}

TEST(EventMemoryTest, MarkInputsKnowWhatFollows) {
  EventMemory memory = NoEvents(kNoEpoch);
  for (int i = 0; i < 30; ++i) Observe({.gap = 1, .mark = uint64_t(i % 3)}, memory);
  float inputs[3][16] = {};
  WriteMarkInputs(memory, inputs[0], 16);
  // The newest mark is in slot 2, and slot 0 follows.
  EXPECT_EQ(inputs[2][4], 1);
  EXPECT_EQ(inputs[0][7], 1);
  EXPECT_EQ(inputs[1][7], 0);
  EXPECT_EQ(inputs[0][8], 1);
  EXPECT_GT(inputs[0][5], inputs[1][5] + 2);
  EXPECT_EQ(inputs[0][15], 0);  // the padding is unchanged
}

TEST(EventMemoryTest, SilenceOfYearsAndGapsOfANanosecondGiveFiniteInputs) {
  for (const float input : InputsOf(After({{0, 1}, {1e-9, 1}, {3e9, 2}, {1e-9, 1}, {0, 2}}, 1.7e9))) {
    EXPECT_TRUE(std::isfinite(input));
    EXPECT_LE(std::abs(input), 30);
  }
}

}  // namespace
}  // namespace aaren::events
