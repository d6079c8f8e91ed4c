#include "tests/bench/turns.h"

#include <algorithm>
#include <limits>

namespace aaren::bench {
namespace {

struct Times {
  int runs = 0;
  double total = 0;  // over all runs
  double best = std::numeric_limits<double>::infinity();
};

double Now(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double SecondsOf(const std::function<void()>& work, clockid_t clock) {
  const double start = Now(clock);
  work();
  return Now(clock) - start;
}

void Count(double seconds, Times& times) {
  ++times.runs;
  times.total += seconds;
  times.best = std::min(times.best, seconds);
}

bool Done(const Times& times, const TurnLimits& limits) {
  return times.runs > 0 && (times.total >= limits.slow || (times.runs >= limits.runs && times.total >= limits.seconds));
}

}  // namespace

std::vector<double> TimeInTurns(const std::vector<std::function<void()>>& work, const TurnLimits& limits) {
  std::vector<Times> times(work.size());
  for (size_t i = 0; i < work.size(); ++i) {
    const double seconds = SecondsOf(work[i], limits.clock);
    if (seconds >= limits.slow) Count(seconds, times[i]);
  }
  for (bool any = true; any;) {
    any = false;
    for (size_t i = 0; i < work.size(); ++i) {
      if (Done(times[i], limits)) continue;
      Count(SecondsOf(work[i], limits.clock), times[i]);
      any = true;
    }
  }
  std::vector<double> best;
  for (const Times& t : times) best.push_back(t.best);
  return best;
}

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

}  // namespace aaren::bench
