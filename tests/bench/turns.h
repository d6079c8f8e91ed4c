#ifndef AAREN_TESTS_BENCH_TURNS_H_
#define AAREN_TESTS_BENCH_TURNS_H_

// Times pieces of work in turns: one run of each, again and again. A machine that slows down for a while slows all
// pieces down alike. The best time of each piece, the least disturbed, counts.

#include <time.h>

#include <functional>
#include <vector>

namespace aaren::bench {

struct TurnLimits {
  int runs = 6;          // for each piece, at least ...
  double seconds = 0.1;  // ... and for this long in all; but
  double slow = 0.5;     // a piece that has taken this long is not run again

  // CLOCK_THREAD_CPUTIME_ID leaves out the time of further programs, for single-threaded work.
  clockid_t clock = CLOCK_MONOTONIC;
};

// Best seconds of each piece. Each piece is run once first, to warm up; the first run counts only if it took `slow`.
std::vector<double> TimeInTurns(const std::vector<std::function<void()>>& work, const TurnLimits& limits = {});

// The upper median, for pieces of work whose best time says nothing. REQUIRES: values are not empty.
double Median(std::vector<double> values);

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_TURNS_H_
