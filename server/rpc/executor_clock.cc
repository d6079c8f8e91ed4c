#include "server/rpc/executor_clock.h"

#include <time.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace aaren::rpc {
namespace {

constexpr absl::Duration kBetweenFinds = absl::Milliseconds(200);
constexpr int kLooks = 2;             // at a name: a thread gets it soon after its beginning
constexpr char kName[] = "-executo";  // Linux keeps fifteen letters

// The kernel's clock of a thread, as pthread_getcpuclockid has it of those that one has begun oneself.
clockid_t ClockOf(int thread) { return static_cast<clockid_t>(~static_cast<unsigned>(thread) << 3 | 6); }

bool IsExecutor(int thread) {
  std::string name;
  std::getline(std::ifstream(absl::StrCat("/proc/self/task/", thread, "/comm")), name);
  return absl::EndsWith(name, kName);
}

}  // namespace

void ExecutorClock::Find() {
  std::map<int, Thread> threads;
  std::error_code error;
  for (std::filesystem::directory_iterator at("/proc/self/task", error), end; !error && at != end;
       at.increment(error)) {
    int thread = 0;
    if (!absl::SimpleAtoi(at->path().filename().string(), &thread)) continue;
    Thread& found = threads[thread] = threads_[thread];
    if (found.looks++ < kLooks) found.executor = IsExecutor(thread);
  }
  threads_ = std::move(threads);
}

int64_t ExecutorClock::worked_ns() {
  if (clock_.Now() >= next_find_) {
    next_find_ = clock_.Now() + kBetweenFinds;
    Find();
  }
  int64_t sum_ns = 0;
  for (const auto& [thread, found] : threads_) {
    timespec time{};
    if (found.executor && clock_gettime(ClockOf(thread), &time) == 0)
      sum_ns += time.tv_sec * 1'000'000'000 + time.tv_nsec;
  }
  return sum_ns;
}

}  // namespace aaren::rpc
