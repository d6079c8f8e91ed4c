// The price of the server around the model beside a bare gRPC echo, of streams against sessions, and of standing idle.

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "tests/bench/bench.h"
#include "tests/bench/server/driver.h"
#include "tests/bench/server/served.h"
#include "tests/bench/turns.h"

namespace aaren::bench {
namespace {

constexpr int kPairs = 7;
constexpr absl::Duration kSegment = absl::Milliseconds(700);
constexpr int kIdleStreams = 1000;
constexpr int kIdleSessions = 100'000;

// Points a second of both servers in turn, and the median of their ratio pair by pair.
struct Comparison {
  double first = 0, second = 0, ratio = 0;
  double cpu_ratio = 0;  // processor seconds a point, second over first
};

// One server's side of a comparison.
struct Side {
  Served& served;
  std::unique_ptr<Driver> driver;
  std::vector<double> rates, cpu_per_point;

  absl::Status Segment() {
    const double cpu = served.cpu_seconds();
    const uint64_t points = driver->points();
    const absl::StatusOr<double> rate = driver->Run(kSegment);
    if (!rate.ok()) return rate.status();
    rates.push_back(*rate);
    // Run ends with the last answers, which the server has paid for and the rate leaves out.
    cpu_per_point.push_back((served.cpu_seconds() - cpu) / static_cast<double>(driver->points() - points));
    return absl::OkStatus();
  }
};

absl::StatusOr<Comparison> Compare(Served& a, const DriverOptions& options_a, Served& b,
                                   const DriverOptions& options_b) {
  absl::StatusOr<std::unique_ptr<Driver>> driver_a = Driver::Connect(a.target(), options_a);
  if (!driver_a.ok()) return driver_a.status();
  absl::StatusOr<std::unique_ptr<Driver>> driver_b = Driver::Connect(b.target(), options_b);
  if (!driver_b.ok()) return driver_b.status();
  Side first{a, *std::move(driver_a), {}, {}};
  Side second{b, *std::move(driver_b), {}, {}};
  std::vector<double> ratios;
  for (int i = 0; i <= kPairs; ++i) {
    for (Side* side : {&first, &second}) {
      if (absl::Status status = side->Segment(); !status.ok()) return status;
      if (i == 0) side->rates.clear(), side->cpu_per_point.clear();  // warm-up
    }
    if (i > 0) ratios.push_back(first.rates.back() / second.rates.back());
  }
  return Comparison{.first = Median(first.rates),
                    .second = Median(second.rates),
                    .ratio = Median(ratios),
                    .cpu_ratio = Median(second.cpu_per_point) / Median(first.cpu_per_point)};
}

// The real server with an echo for a model against gRPC alone.
absl::StatusOr<Row> ServerOverEcho(Served& server, Served& bare, const DriverOptions& options) {
  const absl::StatusOr<Comparison> result = Compare(server, options, bare, options);
  if (!result.ok()) return result.status();
  return Row{{"points_per_message", int64_t{options.points_per_message}},
             {"items_per_message", options.merge ? "many" : "1"},
             {"streams", int64_t{options.streams}},
             {"sessions", int64_t{options.sessions}},
             {"server_points_per_second", result->first},
             {"echo_points_per_second", result->second},
             {"ratio", result->ratio},
             {"cpu_ratio", result->cpu_ratio}};
}

// The same sessions on few streams and on a stream each, one point a session in flight.
absl::StatusOr<Row> FewStreamsOverMany(Served& server) {
  const DriverOptions few{.streams = 4, .sessions = 1000, .points_per_message = 1, .window = 1, .merge = true};
  const DriverOptions many{.streams = 1000, .sessions = 1000, .points_per_message = 1, .window = 1, .merge = true};
  const absl::StatusOr<Comparison> result = Compare(server, few, server, many);
  if (!result.ok()) return result.status();
  return Row{{"points_per_message", int64_t{1}},
             {"sessions", int64_t{1000}},
             {"points_per_second_4_streams", result->first},
             {"points_per_second_1000_streams", result->second},
             {"streams_speedup", result->ratio}};
}

// Resident bytes that opening `options` adds to a server, in all.
absl::StatusOr<double> MemoryOf(Served& served, const DriverOptions& options) {
  const DriverOptions warm{.streams = 8, .sessions = 8};
  const absl::StatusOr<std::unique_ptr<Driver>> first = Driver::Connect(served.target(), warm);
  if (!first.ok()) return first.status();
  const int64_t before = served.resident_bytes();
  const absl::StatusOr<std::unique_ptr<Driver>> driver = Driver::Connect(served.target(), options);
  if (!driver.ok()) return driver.status();
  return static_cast<double>(served.resident_bytes() - before);
}

// The memory of an idle stream and of an idle session.
absl::StatusOr<Row> IdleMemory() {
  std::vector<double> stream_bytes;
  for (const char* kind : {"echo", "bare"}) {
    absl::StatusOr<std::unique_ptr<Served>> served = Served::Start(kind);
    if (!served.ok()) return served.status();
    const absl::StatusOr<double> bytes =
        MemoryOf(**served, {.streams = kIdleStreams, .sessions = kIdleStreams, .name = "streams"});
    if (!bytes.ok()) return bytes.status();
    stream_bytes.push_back(*bytes / kIdleStreams);
  }
  absl::StatusOr<std::unique_ptr<Served>> served = Served::Start("bundled");
  if (!served.ok()) return served.status();
  const absl::StatusOr<double> bytes =
      MemoryOf(**served, {.streams = 1, .sessions = kIdleSessions, .name = "sessions"});
  if (!bytes.ok()) return bytes.status();
  return Row{{"idle_streams", int64_t{kIdleStreams}}, {"stream_bytes", stream_bytes[0]},
             {"bare_stream_bytes", stream_bytes[1]},  {"stream_bytes_ratio", stream_bytes[0] / stream_bytes[1]},
             {"sessions", int64_t{kIdleSessions}},    {"session_bytes", *bytes / kIdleSessions},
             {"row_bytes", (*served)->row_bytes()}};
}

const DriverOptions kShapes[] = {
    {.points_per_message = 1},
    {.points_per_message = 8},
    {.points_per_message = 64},
    {.points_per_message = 1, .merge = true},
    {.points_per_message = 64, .merge = true},
    {.sessions = 100, .points_per_message = 1, .merge = true},
    {.sessions = 1000, .points_per_message = 1, .window = 1, .merge = true},
    {.streams = 1000, .sessions = 1000, .points_per_message = 1, .window = 1, .merge = true},
    {.streams = 1, .sessions = 1, .points_per_message = 1, .merge = true},
};

absl::StatusOr<Row> ThisOverOther(Served& mine, Served& other, DriverOptions options) {
  options.name = "against";
  const absl::StatusOr<Comparison> result = Compare(mine, options, other, options);
  if (!result.ok()) return result.status();
  return Row{{"points_per_message", int64_t{options.points_per_message}},
             {"items_per_message", options.merge ? "many" : "1"},
             {"streams", int64_t{options.streams}},
             {"sessions", int64_t{options.sessions}},
             {"window", int64_t{options.window}},
             {"points_per_second", result->first},
             {"other_points_per_second", result->second},
             {"ratio", result->ratio},
             {"points_per_cpu_ratio", result->cpu_ratio}};
}

}  // namespace

absl::StatusOr<std::vector<Row>> RunRpcAgainst(const std::string& program) {
  absl::StatusOr<std::unique_ptr<Served>> mine = Served::Start("echo");
  if (!mine.ok()) return mine.status();
  absl::StatusOr<std::unique_ptr<Served>> other = Served::Start("echo", {.program = program});
  if (!other.ok()) return other.status();
  std::vector<Row> rows;
  for (const DriverOptions& shape : kShapes) {
    absl::StatusOr<Row> row = ThisOverOther(**mine, **other, shape);
    if (!row.ok()) return row.status();
    rows.push_back(*std::move(row));
  }
  return rows;
}

absl::StatusOr<std::vector<Row>> RunRpcBench() {
  absl::StatusOr<std::unique_ptr<Served>> server = Served::Start("echo");
  if (!server.ok()) return server.status();
  absl::StatusOr<std::unique_ptr<Served>> bare = Served::Start("bare");
  if (!bare.ok()) return bare.status();
  std::vector<absl::StatusOr<Row>> results;
  for (const int points : {1, 8, 64})
    results.push_back(ServerOverEcho(**server, **bare, {.points_per_message = points}));
  results.push_back(ServerOverEcho(**server, **bare, {.points_per_message = 1, .merge = true}));
  results.push_back(FewStreamsOverMany(**server));
  results.push_back(IdleMemory());
  std::vector<Row> rows;
  for (absl::StatusOr<Row>& row : results) {
    if (!row.ok()) return row.status();
    rows.push_back(*std::move(row));
  }
  return rows;
}

}  // namespace aaren::bench
