#include "tests/wall_clock/wall_clock.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

namespace aaren::wall_clock {
namespace {

std::atomic<int64_t> ahead{0};

}  // namespace

void SetAhead(int64_t seconds) { ahead = seconds; }

}  // namespace aaren::wall_clock

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (syscall(SYS_clock_gettime, clock, time) != 0) return -1;
  if (clock == CLOCK_REALTIME) time->tv_sec += aaren::wall_clock::ahead.load();
  return 0;
}
