#ifndef AAREN_TESTS_BENCH_BENCH_H_
#define AAREN_TESTS_BENCH_BENCH_H_

// A bench measures something together with its baseline in one run and returns rows of named numbers. Anybody can
// repeat a bench's claim; a bench never fails a build. Machines are shared and differ: only the ratios in a row count.

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace aaren::bench {

// std::monostate is an unmeasured cell: "-" in a table, null in JSON, nothing in CSV.
using Cell = std::variant<int64_t, double, std::string, std::monostate>;

// Columns in printed order. Rows of one bench may have different columns.
using Row = std::vector<std::pair<std::string, Cell>>;

struct Bench {
  std::string name;
  std::string summary;
  absl::StatusOr<std::vector<Row>> (*run)();
  // Printed below the table: facts that a reader of the table must know.
  std::string note = "";
  // Writes the rows as files into an existing folder; null: this bench writes no files.
  absl::Status (*save)(const std::vector<Row>& rows, const std::string& folder) = nullptr;
  // Compares the server beside this program with another build's, given the path of the other aaren-bench-server. Null:
  // the bench measures no server with a second build.
  absl::StatusOr<std::vector<Row>> (*run_against)(const std::string& other) = nullptr;
};

// The server over loopback against a bare echo: throughput, streams against sessions, memory.
absl::StatusOr<std::vector<Row>> RunRpcBench();
// The same shapes of load for this build's server and another build's in turn: points a second of processor time.
absl::StatusOr<std::vector<Row>> RunRpcAgainst(const std::string& other);

// One session through a million tokens: memory and time at both ends.
absl::StatusOr<std::vector<Row>> RunAgeBench();

// Events a second of one core, with and without the numbers of replies.
absl::StatusOr<std::vector<Row>> RunEventsBench();
extern const char kEventsNote[];

// Saves and loads a second of each store, beside the same bytes by a bare RocksDB.
absl::StatusOr<std::vector<Row>> RunStoreBench();
extern const char kStoreNote[];

// Many sessions, few of them active: memory by tier, and the time for a session to come back from RocksDB.
absl::StatusOr<std::vector<Row>> RunTiersBench();
extern const char kTiersNote[];

// The fused scan against Hillis-Steele, cumulative tensor ops, causal attention and the machine's copy bandwidth.
absl::StatusOr<std::vector<Row>> RunScanBench();
extern const char kScanNote[];

// Calls of the step engine by the number of tokens, beside the machine's multiply-adds, its reads and LibTorch.
absl::StatusOr<std::vector<Row>> RunStepBench();
extern const char kStepNote[];

// The same for tokens without a wanted forecast.
absl::StatusOr<std::vector<Row>> RunSilentBench();
extern const char kSilentNote[];

// How far intervals and alerts of the bundled model hold, by kind of series and pattern of holes.
absl::StatusOr<std::vector<Row>> RunRatesBench();
extern const char kRatesNote[];
absl::StatusOr<std::vector<Row>> RunOptimumBench();
extern const char kOptimumNote[];

// The cost of a tile of tokens on a GPU, counted on this CPU from the kernel's text.
absl::StatusOr<std::vector<Row>> RunDeviceBench();
extern const char kDeviceNote[];

// The error of a state after a hundred million tokens, beside the paper's plain state, and the price of the difference.
absl::StatusOr<std::vector<Row>> RunNumericsBench();
extern const char kNumericsNote[];

// Random sessions among two million beside a thousand hot ones, and the memory of an idle session.
absl::StatusOr<std::vector<Row>> RunStateBench();
extern const char kStateNote[];

// The server with its model beside model and messages alone, and with a second shard.
absl::StatusOr<std::vector<Row>> RunServerBench();
extern const char kServerNote[];

// Ten thousand tokens, one at a time, through a stack of each sequence mixer. Bytes of state and cumulative seconds
// (the paper's Figure 5, §4.5), then the exponents of both growths.
absl::StatusOr<std::vector<Row>> RunStreamingBench();
extern const char kStreamingNote[];
// Writes streaming.csv, streaming.svg and streaming.png. FailedPrecondition without gnuplot; the CSV is written then.
absl::Status SaveStreaming(const std::vector<Row>& rows, const std::string& folder);

// The processor's name, the number of processors, and the vector instructions.
std::string DescribeMachine();

std::string ToTable(const std::vector<Row>& rows);
// REQUIRES: rows of equal columns.
std::string ToCsv(const std::vector<Row>& rows);
std::string ToJson(const std::string& bench, const std::string& machine, const std::vector<Row>& rows);

}  // namespace aaren::bench

#endif  // AAREN_TESTS_BENCH_BENCH_H_
