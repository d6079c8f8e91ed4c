// simulate: runs the simulation for many seeds, or for a single seed with its history.
//
//   simulate [--first=N] [--seeds=N]     exit status 1 at the first seed with a broken promise, with its history's end
//   simulate --seed=N                    the whole history of a seed

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "model/command_line/flags.h"
#include "server/operate/log/log.h"
#include "tests/server/simulation/simulation.h"

namespace aaren::simulation {
namespace {

constexpr unsigned kPatience = 60;  // seconds for a seed; a seed takes milliseconds
constexpr size_t kLines = 60;

char hanging[96];  // the message for a seed without end

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
    sum.unloaded += report.unloaded;
    sum.refused += report.refused;
  }
  std::printf("%" PRIu64 " seeds, %" PRIu64 " moments: %" PRIu64 " evictions, %" PRIu64 " demotions, %" PRIu64
              " promotions, %" PRIu64 " moves, %" PRIu64 " rewinds, %" PRIu64 " writers fenced, %" PRIu64
              " kills; %" PRIu64 " late batches, %" PRIu64 " waited for, %" PRIu64 " streams cut meanwhile; %" PRIu64
              " models unloaded; %" PRIu64 " Opens refused for other rows; every promise held\n",
              seeds, sum.moments, sum.evicted, sum.demoted, sum.promoted, sum.moved, sum.rewound, sum.fenced, sum.kills,
              sum.late, sum.awaited, sum.cut, sum.unloaded, sum.refused);
  // A storm without events proves nothing.
  const uint64_t least = std::min({sum.evicted, sum.demoted, sum.promoted, sum.moved, sum.rewound, sum.fenced,
                                   sum.kills, sum.late, sum.awaited, sum.cut, sum.unloaded, sum.refused});
  return seeds < 100 || least > 0 ? 0 : 1;
}

int Main(const std::vector<std::string>& words) {
  uint64_t first = 1, seeds = 100, seed = 0;
  command_line::Flags flags("simulate [--first=N] [--seeds=N] | simulate --seed=N",
                            "Runs the simulation for many seeds, or one of them with its history.");
  flags.Add("first", &first, "the first seed");
  flags.Add("seeds", &seeds, "so many; the first that breaks a promise ends the run, with its history's end");
  flags.Add("seed", &seed, "this one alone, with its whole history").AtLeast(1);
  const absl::StatusOr<command_line::Parsed> parsed = flags.Parse(words);
  if (!parsed.ok()) {
    std::fprintf(stderr, "simulate: %s\n", std::string(parsed.status().message()).c_str());
    return 2;
  }
  if (!parsed->answer.empty()) return std::fputs(parsed->answer.c_str(), stdout), 0;
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  log::SetUpLog(log::LogFormat::kText, log::LogLevel::kError);  // the history has the failed saves
  signal(SIGALRM, OnAlarm);
  return seed > 0 ? RunOne(seed) : RunMany(first, seeds);
}

}  // namespace
}  // namespace aaren::simulation

int main(int argc, char** argv) { return aaren::simulation::Main(std::vector<std::string>(argv + 1, argv + argc)); }
