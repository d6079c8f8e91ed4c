#ifndef AAREN_TESTS_BENCH_TURNS_H_
#define AAREN_TESTS_BENCH_TURNS_H_

// Pieces of work timed in turns: one run of each, again and again, so that a machine that slows down for a while slows
// all of them down alike. What counts is the best time of each, the one least disturbed.

#include <time.h>

#include <functional>
#include <vector>

namespace aaren::bench {

struct TurnLimits {
  int runs = 6;          // of each piece, at least ...
  double seconds = 0.1;  // ... and for so long in all; but
  double slow = 0.5;     // a piece that has taken this long in all is not run again

  // CLOCK_THREAD_CPUTIME_ID leaves out what other programs take of a core, for work that is one thread's.
  clockid_t clock = CLOCK_MONOTONIC;
};

// Best seconds of each piece. Each is run once first, to warm up; that run counts only if it took `slow`.
std::vector<double> TimeInTurns(const std::vector<std::function<void()>>& work, const TurnLimits& limits = {});

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_TURNS_H_
