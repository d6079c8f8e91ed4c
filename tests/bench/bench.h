#ifndef AAREN_TESTS_BENCH_BENCH_H_
#define AAREN_TESTS_BENCH_BENCH_H_

// A bench measures something together with its baseline in one run and returns rows of named numbers. It makes a claim
// that anybody can repeat; it never fails a build. Machines are shared and differ, so what counts in a row is a ratio.

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"

namespace aaren::bench {

using Cell = std::variant<int64_t, double, std::string>;

// Columns in the order they are printed. Rows of one bench may have different columns.
using Row = std::vector<std::pair<std::string, Cell>>;

struct Bench {
  std::string name;
  std::string summary;
  absl::StatusOr<std::vector<Row>> (*run)();
};

// The server over loopback against a bare echo: throughput, streams against sessions, memory.
absl::StatusOr<std::vector<Row>> RunRpcBench();

// One session through a million tokens: memory and time at both ends.
absl::StatusOr<std::vector<Row>> RunAgeBench();

// The processor's name, its number and the vector instructions it has.
std::string DescribeMachine();

std::string ToTable(const std::vector<Row>& rows);
std::string ToJson(const std::string& bench, const std::string& machine, const std::vector<Row>& rows);

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_BENCH_H_
