#ifndef AAREN_TESTS_BENCH_STORE_STORE_ROWS_H_
#define AAREN_TESTS_BENCH_STORE_STORE_ROWS_H_

// The parts of `aaren-bench store`, a function each: the stores by themselves, then the cost of saving for a running
// server. Rows have equal columns, for a single table: `bare_per_second` is the roof of a row, `ratio` the row's share
// of the roof.
//
// Threading: one after another, without disturbing one another. Each function blocks until done, and takes some ten
// seconds. `folder` exists and is writable; the caller removes its content.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tests/bench/bench.h"

namespace aaren::bench {

// Bytes of all files below the folder.
int64_t BytesOf(const std::string& folder);

absl::StatusOr<std::vector<Row>> MemoryRows();
absl::StatusOr<std::vector<Row>> RocksDbRows(const std::string& folder);
// Unavailable without a redis-server.
absl::StatusOr<std::vector<Row>> RedisRows();

// aaren-server on one shard and RocksDB, driven by the load harness.
//
// Tokens a second of 10,000 sessions with INTERVAL, and of as many with NONE on a second server, in turns.
absl::StatusOr<std::vector<Row>> IntervalRows(const std::string& folder);
// Tokens a second of 1,000 sessions with EVERY_TOKEN, and the time of a reply; and the commits of grouped saves a
// second.
absl::StatusOr<std::vector<Row>> EveryTokenRows(const std::string& folder);
// 100,000 sessions with one unsaved token each: from SIGTERM to the end of the process. DataLoss if the server ended
// with unsaved sessions.
absl::StatusOr<std::vector<Row>> LeavingRows(const std::string& folder);

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_STORE_STORE_ROWS_H_
