// simulate: runs the simulation for many seeds, or one of them with its history.
//
//   simulate [--first=N] [--seeds=N]     exit status 1 at the first seed that breaks a promise, with its history's end
//   simulate --seed=N                    the whole history of one seed

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/synchronization/mutex.h"
#include "server/log/log.h"
#include "tests/server/simulation/simulation.h"

namespace aaren::simulation {
namespace {

constexpr unsigned kPatience = 60;  // seconds for one seed, which takes milliseconds
constexpr size_t kLines = 60;

char hanging[96];  // what to say if a seed never ends

void OnAlarm(int) {
  (void)!write(STDERR_FILENO, hanging, strlen(hanging));
  _exit(1);
}

void Print(const std::vector<std::string>& history, size_t lines) {
  const size_t from = history.size() - std::min(history.size(), lines);
  for (size_t i = from; i < history.size(); ++i) std::printf("%s\n", history[i].c_str());
}

Report RunWatched(uint64_t seed, bool keep_history) {
  std::snprintf(hanging, sizeof(hanging), "seed %" PRIu64 " hangs: simulate --seed=%" PRIu64 "\n", seed, seed);
  alarm(kPatience);
  Report report = Run(seed, keep_history);
  alarm(0);
  return report;
}

int RunOne(uint64_t seed) {
  const Report report = RunWatched(seed, true);
  Print(report.history, report.history.size());
  std::printf("seed %" PRIu64 ": %s\n", seed, report.broken.empty() ? "every promise held" : report.broken.c_str());
  return report.broken.empty() ? 0 : 1;
}

int RunMany(uint64_t first, uint64_t seeds) {
  Report sum;
  for (uint64_t seed = first; seed < first + seeds; ++seed) {
    const Report report = RunWatched(seed, false);
    if (!report.broken.empty()) {
      Print(RunWatched(seed, true).history, kLines);
      std::printf("seed %" PRIu64 ": %s\nthe whole history: simulate --seed=%" PRIu64 "\n", seed, report.broken.c_str(),
                  seed);
      return 1;
    }
    sum.moments += report.moments;
    sum.evicted += report.evicted;
    sum.demoted += report.demoted;
    sum.promoted += report.promoted;
    sum.moved += report.moved;
    sum.rewound += report.rewound;
    sum.fenced += report.fenced;
    sum.kills += report.kills;
    sum.late += report.late;
    sum.awaited += report.awaited;
    sum.cut += report.cut;
  }
  std::printf("%" PRIu64 " seeds, %" PRIu64 " moments: %" PRIu64 " evictions, %" PRIu64 " demotions, %" PRIu64
              " promotions, %" PRIu64 " moves, %" PRIu64 " rewinds, %" PRIu64 " writers fenced, %" PRIu64
              " kills; %" PRIu64 " late batches, %" PRIu64 " waited for, %" PRIu64
              " streams cut meanwhile; every promise held\n",
              seeds, sum.moments, sum.evicted, sum.demoted, sum.promoted, sum.moved, sum.rewound, sum.fenced, sum.kills,
              sum.late, sum.awaited, sum.cut);
  // A storm in which nothing happens proves nothing.
  const uint64_t least = std::min({sum.evicted, sum.demoted, sum.promoted, sum.moved, sum.rewound, sum.fenced,
                                   sum.kills, sum.late, sum.awaited, sum.cut});
  return seeds < 100 || least > 0 ? 0 : 1;
}

int Main(int argc, char** argv) {
  uint64_t first = 1, seeds = 100, seed = 0;
  for (int i = 1; i < argc; ++i) {
    absl::string_view flag = argv[i];
    const bool known = (absl::ConsumePrefix(&flag, "--first=") && absl::SimpleAtoi(flag, &first)) ||
                       (absl::ConsumePrefix(&flag, "--seeds=") && absl::SimpleAtoi(flag, &seeds)) ||
                       (absl::ConsumePrefix(&flag, "--seed=") && absl::SimpleAtoi(flag, &seed) && seed > 0);
    if (known) continue;
    std::fprintf(stderr, "simulate: cannot use '%s'; see the head of main.cc\n", argv[i]);
    return 2;
  }
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  SetUpLog(LogFormat::kText, LogLevel::kError);  // the history tells of saves that fail
  signal(SIGALRM, OnAlarm);
  return seed > 0 ? RunOne(seed) : RunMany(first, seeds);
}

}  // namespace
}  // namespace aaren::simulation

int main(int argc, char** argv) { return aaren::simulation::Main(argc, argv); }
