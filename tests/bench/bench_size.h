#ifndef AAREN_TESTS_BENCH_BENCH_SIZE_H_
#define AAREN_TESTS_BENCH_BENCH_SIZE_H_

// How large a bench is. What it claims, it claims at its usual size; the environment makes it larger, for a machine of
// its own, or small enough for a test that only wants to see it run:
//
//   AAREN_BENCH_SESSIONS   sessions of each row
//   AAREN_BENCH_SECONDS    how long one turn under load takes
//   AAREN_BENCH_TOKENS     tokens of the longest session
//
// Threading: free functions; the environment is not changed meanwhile.

#include "absl/time/time.h"

namespace aaren::bench {

// What the environment says, `usual` if it says nothing; at least one.
int BenchSessions(int usual);
int BenchTokens(int usual);

// As above; at least a tenth of a second.
absl::Duration BenchTurn(absl::Duration usual);

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_BENCH_SIZE_H_
