#include "client/cli/sources/system_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/time/clock.h"
#include "tests/wall_clock/wall_clock.h"

namespace aaren::cli {
namespace {

class SystemSourceTest : public ::testing::Test {
 protected:
  void TearDown() override { wall_clock::SetAhead(0); }

  Row NextRow() {
    Row row;
    EXPECT_TRUE(source_->Next(row).value_or(false));
    return row;
  }

  Interrupt interrupt_;
  std::unique_ptr<SystemSource> source_ = SystemSource::Open("", absl::Milliseconds(10), interrupt_).value();
};

TEST_F(SystemSourceTest, GoesOnWhenTheWallClockIsSetBack) {
  wall_clock::SetAhead(3600);
  const Row before = NextRow();
  wall_clock::SetAhead(0);
  EXPECT_EQ(NextRow().time_ns, before.time_ns);
}

// A row of a moment would show the load of a moment.
TEST_F(SystemSourceTest, AfterAStallTheNextRowIsHalfAnIntervalAwayAtLeast) {
  source_ = SystemSource::Open("", absl::Milliseconds(80), interrupt_).value();
  absl::SleepFor(absl::Milliseconds(150));
  const Row stalled = NextRow();
  EXPECT_GE(NextRow().time_ns - stalled.time_ns, 20'000'000);
}

TEST(SystemIntervalTest, NamesTheFlagOfAnIntervalThatNoClockCounts) {
  const Interrupt interrupt;
  for (const absl::Duration interval : {absl::Milliseconds(9), absl::Hours(25), absl::InfiniteDuration()}) {
    const absl::Status status = SystemSource::Open("", interval, interrupt).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << interval;
    EXPECT_THAT(std::string(status.message()), testing::StartsWith("--interval=" + absl::FormatDuration(interval)));
  }
  EXPECT_TRUE(SystemSource::Open("", absl::Hours(24), interrupt).ok());
}

}  // namespace
}  // namespace aaren::cli
