// Many sessions: the cost of a token whose row lies in no cache, and the memory of an idle session.

#include <algorithm>
#include <memory>
#include <vector>

#include "tests/bench/bench.h"
#include "tests/bench/bench_size.h"
#include "tests/bench/engine/random_rows.h"
#include "tests/bench/server/driver.h"
#include "tests/bench/server/served.h"

namespace aaren::bench {

const char kStateNote[] =
    R"(one thread, forecasts of 64 sessions a call, in processor time of the thread. hot: of 1,000 sessions, random: of all,
each session once before any comes again; fewer sessions than two million where memory does not hold their rows.
random_over_copy: what a token costs more by that, over the time to copy its whole row at the rate of large copies.
bytes_per_session: what the server's resident memory grew by while they were opened on one stream.)";

namespace {

constexpr int kMostSessions = 100'000;

absl::StatusOr<Row> IdleSession() {
  const absl::StatusOr<std::unique_ptr<Served>> served = Served::Start("bundled");
  if (!served.ok()) return served.status();
  const absl::StatusOr<std::unique_ptr<Driver>> first =
      Driver::Connect((*served)->target(), {.streams = 1, .sessions = 8, .name = "first"});
  if (!first.ok()) return first.status();
  const int64_t before = (*served)->resident_bytes();
  const int sessions = std::min(BenchSessions(kMostSessions), kMostSessions);
  const absl::StatusOr<std::unique_ptr<Driver>> driver =
      Driver::Connect((*served)->target(), {.streams = 1, .sessions = sessions, .name = "idle"});
  if (!driver.ok()) return driver.status();
  const double bytes = static_cast<double>((*served)->resident_bytes() - before) / sessions;
  return Row{{"sessions", int64_t{sessions}},
             {"row_bytes", (*served)->row_bytes()},
             {"bytes_per_session", bytes},
             {"bytes_per_session_over_row", bytes / static_cast<double>((*served)->row_bytes())}};
}

}  // namespace

absl::StatusOr<std::vector<Row>> RunStateBench() {
  absl::StatusOr<std::vector<Row>> rows = RandomRows();
  if (!rows.ok()) return rows;
  absl::StatusOr<Row> idle = IdleSession();
  if (!idle.ok()) return idle.status();
  rows->push_back(*std::move(idle));
  return rows;
}

}  // namespace aaren::bench
