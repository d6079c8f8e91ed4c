#include "model/tasks/events/synthetic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "model/tasks/events/processes/process.h"

namespace aaren::events {
namespace {

constexpr int kEvents = 258;

TEST(SyntheticEventsTest, EqualArgumentsGiveEqualSequences) {
  const EventSequence one = SyntheticEvents(3, 17, kEvents), same = SyntheticEvents(3, 17, kEvents);
  EXPECT_EQ(one.times, same.times);
  EXPECT_EQ(one.marks, same.marks);
  EXPECT_NE(one.times, SyntheticEvents(3, 18, kEvents).times);
  EXPECT_NE(one.times, SyntheticEvents(4, 17, kEvents).times);
}

TEST(SyntheticEventsTest, SequencesBeginAtZeroAndNeverGoBack) {
  for (uint64_t index = 0; index < 400; ++index) {
    const EventSequence sequence = SyntheticEvents(1, index, kEvents);
    ASSERT_EQ(sequence.times.size(), size_t{kEvents});
    ASSERT_EQ(sequence.marks.size(), size_t{kEvents});
    EXPECT_EQ(sequence.times[0], 0);
    EXPECT_TRUE(std::is_sorted(sequence.times.begin(), sequence.times.end()));
    EXPECT_TRUE(std::isfinite(sequence.times.back()));
    EXPECT_GE(*std::min_element(sequence.marks.begin(), sequence.marks.end()), 0);
  }
}

TEST(SyntheticEventsTest, SomeSequencesAreRoundedAndSomeHaveTies) {
  int rounded = 0, tied = 0, dated = 0, single = 0;
  for (uint64_t index = 0; index < 400; ++index) {
    const EventSequence sequence = SyntheticEvents(2, index, kEvents);
    rounded += sequence.rounding > 0;
    dated += !std::isnan(sequence.epoch);
    tied += std::adjacent_find(sequence.times.begin(), sequence.times.end()) != sequence.times.end();
    single += std::set<int>(sequence.marks.begin(), sequence.marks.end()).size() == 1;
  }
  EXPECT_NEAR(rounded, 120, 40);
  EXPECT_NEAR(dated, 240, 45);
  EXPECT_GT(tied, 30);
  EXPECT_LT(tied, 250);
  EXPECT_GT(single, 10);
}

TEST(SyntheticEventsTest, RoundedTimesAreMultiples) {
  for (uint64_t index = 0; index < 100; ++index) {
    const EventSequence sequence = SyntheticEvents(5, index, kEvents);
    if (sequence.rounding == 0) continue;
    const double parts = sequence.times.back() / sequence.rounding;
    EXPECT_NEAR(parts, std::round(parts), 1e-6 * std::max(1.0, parts));
  }
}

TEST(ProcessTest, EveryProcessDrawsGapsAboveZeroAndItsOwnMarksForAllEvents) {
  for (const Process& process : Processes()) {
    for (uint64_t index = 0; index < 20; ++index) {
      Random random(7, index);
      const Drawn drawn = process.draw(random, 64);
      ASSERT_EQ(drawn.gaps.size(), 64u) << process.name;
      for (const double gap : drawn.gaps) EXPECT_TRUE(gap > 0 && std::isfinite(gap)) << process.name << " " << gap;
      EXPECT_TRUE(drawn.marks.empty() || drawn.marks.size() == 65) << process.name;
    }
  }
}

TEST(ProcessTest, PartsOfASuperpositionBeginApart) {
  for (uint64_t index = 0; index < 50; ++index) {
    Random random(13, index);
    const std::vector<double> gaps = Superposition(random, 64).gaps;
    std::vector<double> sorted = gaps;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_GT(gaps[0], 1e-8 * sorted[32]) << index;
  }
}

TEST(ProcessTest, AHawkesProcessComesInClusters) {
  double clustered = 0;
  for (uint64_t index = 0; index < 50; ++index) {
    Random random(11, index);
    const std::vector<double> gaps = Hawkes(random, 400).gaps;
    double mean = 0, square = 0;
    for (const double gap : gaps) mean += gap / 400, square += gap * gap / 400;
    clustered += square > 2 * mean * mean;  // an exponential law has exactly twice
  }
  EXPECT_GT(clustered, 30);
}

}  // namespace
}  // namespace aaren::events
