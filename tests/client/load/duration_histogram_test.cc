#include "client/load/duration_histogram.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace aaren::client {
namespace {

TEST(DurationHistogramTest, QuantilesAreWithinOnePercent) {
  DurationHistogram histogram;
  for (int64_t value = 1; value <= 1000000; ++value) histogram.Record(value, 1);
  for (const double fraction : {0.1, 0.5, 0.9, 0.99, 0.999}) {
    EXPECT_GE(histogram.Quantile(fraction), fraction * 1e6);
    EXPECT_LE(histogram.Quantile(fraction), fraction * 1e6 * 1.01);
  }
}

TEST(DurationHistogramTest, SmallDurationsAreExact) {
  DurationHistogram histogram;
  for (int64_t value = 0; value < 100; ++value) histogram.Record(value, 1);
  EXPECT_EQ(histogram.Quantile(0.5), 49);
  EXPECT_EQ(histogram.Quantile(1), 99);
}

TEST(DurationHistogramTest, NoQuantileExceedsTheMaximum) {
  DurationHistogram histogram;
  histogram.Record(123456789, 1);
  EXPECT_EQ(histogram.Quantile(0.5), 123456789);
  EXPECT_EQ(histogram.max(), 123456789);
}

TEST(DurationHistogramTest, CountsWeigh) {
  DurationHistogram histogram;
  histogram.Record(10, 98);
  histogram.Record(1000, 2);
  EXPECT_EQ(histogram.count(), 100u);
  EXPECT_EQ(histogram.Quantile(0.98), 10);
  EXPECT_EQ(histogram.Quantile(0.99), 1000);
}

TEST(DurationHistogramTest, MergingEqualsRecordingTogether) {
  DurationHistogram one;
  DurationHistogram two;
  DurationHistogram both;
  for (int64_t value = 1; value < 5000; value += 3) {
    (value % 2 == 0 ? one : two).Record(value * value, 1);
    both.Record(value * value, 1);
  }
  one.Merge(two);
  EXPECT_EQ(one.count(), both.count());
  EXPECT_EQ(one.max(), both.max());
  EXPECT_EQ(one.Quantile(0.7), both.Quantile(0.7));
}

TEST(DurationHistogramTest, TakesTheLargestDuration) {
  DurationHistogram histogram;
  histogram.Record(INT64_MAX, 1);
  histogram.Record(-5, 1);
  EXPECT_EQ(histogram.Quantile(0.5), 0);
  EXPECT_EQ(histogram.Quantile(1), INT64_MAX);
}

TEST(DurationHistogramTest, AnEmptyOneIsZero) { EXPECT_EQ(DurationHistogram().Quantile(0.99), 0); }

}  // namespace
}  // namespace aaren::client
