#ifndef AAREN_TESTS_BENCH_BENCH_H_
#define AAREN_TESTS_BENCH_BENCH_H_

// A bench measures something together with its baseline in one run and returns rows of named numbers. It makes a claim
// that anybody can repeat; it never fails a build. Machines are shared and differ, so what counts in a row is a ratio.

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace aaren::bench {

// std::monostate is what a row has not measured: "-" in a table, null in JSON, nothing in CSV.
using Cell = std::variant<int64_t, double, std::string, std::monostate>;

// Columns in the order they are printed. Rows of one bench may have different columns.
using Row = std::vector<std::pair<std::string, Cell>>;

struct Bench {
  std::string name;
  std::string summary;
  absl::StatusOr<std::vector<Row>> (*run)();
  // What a reader of the table must know; printed below it.
  std::string note = "";
  // Writes the rows as files into a folder that exists; null: this bench has none to write.
  absl::Status (*save)(const std::vector<Row>& rows, const std::string& folder) = nullptr;
  // Compares the server beside this program with another build's: the path of its aaren-bench-server. Null: the bench
  // measures no server that could have another build.
  absl::StatusOr<std::vector<Row>> (*run_against)(const std::string& other) = nullptr;
};

// The server over loopback against a bare echo: throughput, streams against sessions, memory.
absl::StatusOr<std::vector<Row>> RunRpcBench();
// The same shapes of load for this build's server and another's in turn: points a second of processor time.
absl::StatusOr<std::vector<Row>> RunRpcAgainst(const std::string& other);

// One session through a million tokens: memory and time at both ends.
absl::StatusOr<std::vector<Row>> RunAgeBench();

// Saves and loads a second of each store, beside the same bytes by a bare RocksDB.
absl::StatusOr<std::vector<Row>> RunStoreBench();
extern const char kStoreNote[];

// Many sessions, few of them active: memory by where a session is, and how long one takes to come back from RocksDB.
absl::StatusOr<std::vector<Row>> RunTiersBench();
extern const char kTiersNote[];

// The fused scan against Hillis-Steele, cumulative tensor ops, causal attention and the machine's copy bandwidth.
absl::StatusOr<std::vector<Row>> RunScanBench();
extern const char kScanNote[];

// Calls of the step engine by the tokens in them, beside the machine's multiply-adds, its reads and LibTorch.
absl::StatusOr<std::vector<Row>> RunStepBench();
extern const char kStepNote[];

// The same of tokens whose forecast nobody wants.
absl::StatusOr<std::vector<Row>> RunSilentBench();
extern const char kSilentNote[];

// What a tile of tokens takes of a GPU, counted on this CPU from the kernel's text.
absl::StatusOr<std::vector<Row>> RunDeviceBench();
extern const char kDeviceNote[];

// The error of a state after a hundred million tokens, beside the paper's plain one, and what the difference costs.
absl::StatusOr<std::vector<Row>> RunNumericsBench();
extern const char kNumericsNote[];

// Random sessions of two million beside a thousand hot ones, and the memory of an idle one.
absl::StatusOr<std::vector<Row>> RunStateBench();
extern const char kStateNote[];

// The server with its model beside its model and its messages alone, and with a second shard.
absl::StatusOr<std::vector<Row>> RunServerBench();
extern const char kServerNote[];

// Ten thousand tokens, one at a time, through a stack of each sequence mixer. Bytes of state and cumulative seconds
// (the paper's Figure 5, §4.5), then the exponents with which both grow.
absl::StatusOr<std::vector<Row>> RunStreamingBench();
extern const char kStreamingNote[];
// streaming.csv, streaming.svg and streaming.png. FailedPrecondition without gnuplot; the CSV is written then.
absl::Status SaveStreaming(const std::vector<Row>& rows, const std::string& folder);

// The processor's name, its number and the vector instructions it has.
std::string DescribeMachine();

std::string ToTable(const std::vector<Row>& rows);
// REQUIRES: rows of equal columns.
std::string ToCsv(const std::vector<Row>& rows);
std::string ToJson(const std::string& bench, const std::string& machine, const std::vector<Row>& rows);

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_BENCH_H_
