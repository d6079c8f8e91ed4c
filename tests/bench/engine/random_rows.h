#ifndef AAREN_TESTS_BENCH_ENGINE_RANDOM_ROWS_H_
#define AAREN_TESTS_BENCH_ENGINE_RANDOM_ROWS_H_

// The slowdown of the step engine when each token belongs to another session, whose row no cache holds.

#include <vector>

#include "absl/status/statusor.h"
#include "tests/bench/bench.h"

namespace aaren::bench {

// A row for the bundled model and a row for a plain model of small rows: random sessions beside 1,000 hot ones.
absl::StatusOr<std::vector<Row>> RandomRows();

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_ENGINE_RANDOM_ROWS_H_
