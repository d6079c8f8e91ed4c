// The cost of saving for a busy server: INTERVAL beside NONE, and EVERY_TOKEN.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/load/load.h"
#include "tests/bench/bench_size.h"
#include "tests/bench/store/saving_server.h"
#include "tests/bench/store/store_rows.h"

namespace aaren::bench {
namespace {

using client::Durability;
using client::LoadReport;

constexpr int kPairs = 3;

absl::StatusOr<LoadReport> Turn(const soak::ServerProcess& server, int sessions, Durability durability) {
  absl::StatusOr<LoadReport> report = client::RunLoad({.target = server.address(),
                                                       .sessions = static_cast<uint32_t>(sessions),
                                                       .streams = static_cast<uint32_t>(std::min(sessions, 4)),
                                                       .window = 1,
                                                       .duration = BenchTurn(absl::Seconds(5)),
                                                       .durability = durability});
  if (report.ok() && report->errors > 0) return absl::InternalError("under load: " + report->first_error);
  return report;
}

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// The turns of one server.
struct Turns {
  std::vector<double> rates, p99;
  void Add(const LoadReport& report) {
    rates.push_back(report.tokens_per_second);
    p99.push_back(report.latency_us.p99);
  }
};

Row RowOf(const char* operation, int sessions, double per_second, Cell p99_us, Cell bare, Cell ratio) {
  return {{"store", std::string("rocksdb")}, {"operation", std::string(operation)},
          {"sessions", int64_t{sessions}},   {"per_second", per_second},
          {"p99_us", std::move(p99_us)},     {"bare_per_second", std::move(bare)},
          {"ratio", std::move(ratio)},       {"bytes_per_session", std::monostate()}};
}

}  // namespace

absl::StatusOr<std::vector<Row>> IntervalRows(const std::string& folder) {
  const int sessions = BenchSessions(10'000);
  absl::StatusOr<std::unique_ptr<soak::ServerProcess>> saving =
      StartSavingServer(folder + "/interval", {"--metrics_listen="});
  if (!saving.ok()) return saving.status();
  absl::StatusOr<std::unique_ptr<soak::ServerProcess>> bare =
      StartSavingServer(folder + "/none", {"--metrics_listen="});
  if (!bare.ok()) return bare.status();
  Turns interval, none;
  std::vector<double> ratios;
  for (int pair = 0; pair < kPairs; ++pair) {
    const absl::StatusOr<LoadReport> saved = Turn(**saving, sessions, Durability::kInterval);
    if (!saved.ok()) return saved.status();
    const absl::StatusOr<LoadReport> unsaved = Turn(**bare, sessions, Durability::kNone);
    if (!unsaved.ok()) return unsaved.status();
    interval.Add(*saved);
    none.Add(*unsaved);
    ratios.push_back(saved->tokens_per_second / unsaved->tokens_per_second);
  }
  return std::vector<Row>{
      RowOf("tokens, none", sessions, Median(none.rates), Median(none.p99), std::monostate(), std::monostate()),
      RowOf("tokens, interval", sessions, Median(interval.rates), Median(interval.p99), Median(none.rates),
            Median(ratios))};
}

absl::StatusOr<std::vector<Row>> EveryTokenRows(const std::string& folder) {
  const int sessions = BenchSessions(1'000);
  absl::StatusOr<std::unique_ptr<soak::ServerProcess>> server =
      StartSavingServer(folder + "/every_token", {"--metrics_listen=127.0.0.1:0"});
  if (!server.ok()) return server.status();
  const double before = StoreCalls(**server, "save");
  const absl::StatusOr<LoadReport> report = Turn(**server, sessions, Durability::kEveryToken);
  if (!report.ok()) return report.status();
  const double commits = (StoreCalls(**server, "save") - before) / report->seconds;
  return std::vector<Row>{
      RowOf("tokens, every_token", sessions, report->tokens_per_second, report->latency_us.p99, std::monostate(),
            std::monostate()),
      RowOf("commits, every_token", sessions, commits, std::monostate(), std::monostate(), std::monostate())};
}

}  // namespace aaren::bench
