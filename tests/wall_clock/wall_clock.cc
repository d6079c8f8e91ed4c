#include "tests/wall_clock/wall_clock.h"

#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

namespace aaren::wall_clock {
namespace {

std::atomic<int64_t> ahead{0};

}  // namespace

void SetAhead(int64_t seconds) { ahead = seconds; }

}  // namespace aaren::wall_clock

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (syscall(SYS_clock_gettime, clock, time) != 0) return -1;
  if (clock == CLOCK_REALTIME) time->tv_sec += aaren::wall_clock::ahead.load();
  return 0;
}

// Abseil's deadlines come from here.
int gettimeofday(timeval* time, void*) noexcept {
  timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  *time = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

}  // extern "C"
