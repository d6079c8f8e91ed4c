#include "server/operate/admin/profile/cpu_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <time.h>

#include <atomic>
#include <cerrno>
#include <thread>

namespace aaren::admin {

std::atomic<uint64_t> burned{0};

extern "C" __attribute__((noinline)) void profiled_work() {
  for (int i = 0; i < 1000; ++i) burned.fetch_add(static_cast<uint64_t>(i), std::memory_order_relaxed);
}

namespace {

using ::testing::HasSubstr;

absl::Duration CpuTime() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return absl::DurationFromTimespec(now);
}

// By the CPU's clock, to burn as much on a busy machine.
void BurnFor(absl::Duration cpu) {
  const absl::Duration end = CpuTime() + cpu;
  while (CpuTime() < end) profiled_work();
}

class CpuProfileTest : public testing::Test {
 protected:
  void SetUp() override {
#ifdef AAREN_DELAYED_SIGNALS
    GTEST_SKIP() << "the sanitizer hands signals on when a thread is elsewhere";
#endif
  }
};

TEST_F(CpuProfileTest, NamesTheFunctionAndTheThreadThatTakeTheTime) {
  absl::StatusOr<CpuProfile> profile = CpuProfile::Begin(absl::Seconds(1));
  ASSERT_TRUE(profile.ok()) << profile.status();
  std::string name;
  std::thread worker([&] {
    pthread_setname_np(pthread_self(), "burner");
    BurnFor(absl::Seconds(1));
    name = profile->End().stacks;
  });
  worker.join();
  EXPECT_THAT(name, testing::ContainsRegex("burner;.*;profiled_work [1-9]"));
}

// A sample each interval of CPU time; the kernel looks some hundred times a second.
TEST_F(CpuProfileTest, ThereAreAboutAsManySamplesAsIntervals) {
  absl::StatusOr<CpuProfile> profile = CpuProfile::Begin(absl::Seconds(1));
  ASSERT_TRUE(profile.ok()) << profile.status();
  BurnFor(absl::Seconds(1));
  const FoldedProfile folded = profile->End();
  const double expected = absl::FDivDuration(absl::Seconds(1), folded.interval);
  EXPECT_GT(static_cast<double>(folded.samples), expected / 3);
  EXPECT_LT(static_cast<double>(folded.samples), expected * 2);
  EXPECT_EQ(folded.dropped, 0u);
}

TEST_F(CpuProfileTest, LongProfilesOfManyCoresLookLessOften) {
  absl::StatusOr<CpuProfile> profile = CpuProfile::Begin(absl::Hours(10));
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_GT(profile->End().interval, absl::Seconds(4));
}

TEST_F(CpuProfileTest, TwoAtOnceAreRefused) {
  absl::StatusOr<CpuProfile> first = CpuProfile::Begin(absl::Seconds(1));
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(CpuProfile::Begin(absl::Seconds(1)).status().code(), absl::StatusCode::kResourceExhausted);
  first->End();
  EXPECT_TRUE(CpuProfile::Begin(absl::Seconds(1)).ok());
}

// A waiting thread is not woken: no flag of a signal lets epoll_wait go on.
TEST_F(CpuProfileTest, WhoWaitsIsNotInterrupted) {
  absl::StatusOr<CpuProfile> profile = CpuProfile::Begin(absl::Seconds(1));
  ASSERT_TRUE(profile.ok()) << profile.status();
  const int poll = epoll_create1(0);
  int outcome = -1;
  std::thread waiting([&] {
    epoll_event event{};
    outcome = epoll_wait(poll, &event, 1, 500);
  });
  BurnFor(absl::Milliseconds(500));
  waiting.join();
  EXPECT_EQ(outcome, 0);
  EXPECT_GT(profile->End().samples, 0u);
}

}  // namespace
}  // namespace aaren::admin
