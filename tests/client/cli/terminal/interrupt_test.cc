#include "client/cli/terminal/interrupt.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "absl/synchronization/notification.h"

namespace aaren::cli {
namespace {

constexpr Interrupt::Clock::time_point kNever = Interrupt::Clock::time_point::max();

TEST(InterruptTest, CtrlCStopsAndIsRemembered) {
  Interrupt interrupt;
  kill(getpid(), SIGINT);
  EXPECT_FALSE(interrupt.WaitUntil(kNever));
  EXPECT_EQ(interrupt.signal(), SIGINT);
}

TEST(InterruptTest, SecondCtrlCForces) {
  Interrupt interrupt;
  absl::Notification forced;
  interrupt.SetForce([&] { forced.Notify(); });
  kill(getpid(), SIGINT);
  interrupt.WaitUntil(kNever);
  EXPECT_FALSE(forced.HasBeenNotified());
  kill(getpid(), SIGINT);
  forced.WaitForNotification();
}

TEST(InterruptTest, DurationStopsWithoutASignal) {
  Interrupt interrupt(absl::Milliseconds(5));
  EXPECT_FALSE(interrupt.WaitUntil(kNever));
  EXPECT_EQ(interrupt.signal(), 0);
}

TEST(InterruptTest, WaitEndsAtItsTime) {
  Interrupt interrupt;
  EXPECT_TRUE(interrupt.WaitUntil(Interrupt::Clock::now() + std::chrono::milliseconds(2)));
}

TEST(InterruptTest, StopWakesAReader) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  Interrupt interrupt;
  const ByteSource bytes = interrupt.Bytes(pipe_ends[0], "a pipe");
  ASSERT_EQ(write(pipe_ends[1], "ab", 2), 2);
  char buffer[8];
  EXPECT_EQ(bytes(buffer, sizeof buffer).value(), 2u);
  std::thread stopper([&] { interrupt.Stop(); });
  EXPECT_EQ(bytes(buffer, sizeof buffer).status().code(), absl::StatusCode::kCancelled);
  stopper.join();
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

}  // namespace
}  // namespace aaren::cli
