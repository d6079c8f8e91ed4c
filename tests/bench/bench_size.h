#ifndef AAREN_TESTS_BENCH_BENCH_SIZE_H_
#define AAREN_TESTS_BENCH_BENCH_SIZE_H_

// The size of a bench. A bench's claims hold for its usual size; the environment makes the bench larger, for a
// dedicated machine, or small enough for a test that only runs it:
//
//   AAREN_BENCH_SESSIONS   sessions of each row
//   AAREN_BENCH_SECONDS    length of one turn under load
//   AAREN_BENCH_TOKENS     tokens of the longest session
//
// Threading: free functions; the environment does not change meanwhile.

#include "absl/time/time.h"

namespace aaren::bench {

// The environment's value, or `usual` without one; at least one.
int BenchSessions(int usual);
int BenchTokens(int usual);

// The same; at least a tenth of a second.
absl::Duration BenchTurn(absl::Duration usual);

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_BENCH_SIZE_H_
