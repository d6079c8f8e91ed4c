#include "server/sessions/shard/step/slice_pace.h"

#include <gtest/gtest.h>

namespace aaren::shard {
namespace {

constexpr int64_t kMillisecond = 1'000'000;

// The pace's units after full slices on a machine of `ns_per_unit` nanoseconds a unit.
int64_t UnitsAfter(SlicePace& pace, int slices, int64_t ns_per_unit) {
  for (int i = 0; i < slices; ++i) pace.Adapt(pace.units(), pace.units() * ns_per_unit, true);
  return pace.units();
}

TEST(SlicePaceTest, FullSlicesComeToLastAsLongAsTheyShould) {
  SlicePace pace(absl::Milliseconds(1));
  EXPECT_NEAR(static_cast<double>(UnitsAfter(pace, 60, 250)), kMillisecond / 250.0, 1);
}

TEST(SlicePaceTest, OneSliceThatWasKeptWaitingChangesNothing) {
  SlicePace pace(absl::Milliseconds(1));
  const int64_t before = UnitsAfter(pace, 60, 250);
  pace.Adapt(before, 50 * kMillisecond, true);
  EXPECT_EQ(pace.units(), before);
}

TEST(SlicePaceTest, TwoSlowSlicesHalveIt) {
  SlicePace pace(absl::Milliseconds(1));
  const int64_t before = UnitsAfter(pace, 60, 250);
  for (int i = 0; i < 2; ++i) pace.Adapt(before, 50 * kMillisecond, true);
  EXPECT_EQ(pace.units(), before / 2);
}

TEST(SlicePaceTest, AQuickSliceBehindWhichNothingWaitsSaysNothing) {
  SlicePace pace(absl::Milliseconds(1));
  const int64_t before = pace.units();
  pace.Adapt(1, kMillisecond / 10, false);
  EXPECT_EQ(pace.units(), before);
}

TEST(SlicePaceTest, ASliceNeverShrinksToNothing) {
  SlicePace pace(absl::Milliseconds(1));
  EXPECT_GT(UnitsAfter(pace, 100, 100 * kMillisecond), 0);
}

}  // namespace
}  // namespace aaren::shard
