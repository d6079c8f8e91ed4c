// The server with a model: the speed beside the model alone and the messages alone, and the gain of a second shard.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "tests/bench/bench.h"
#include "tests/bench/bench_size.h"
#include "tests/bench/engine/bundled_rate.h"
#include "tests/bench/server/driver.h"
#include "tests/bench/server/served.h"
#include "tests/bench/turns.h"

namespace aaren::bench {

const char kServerNote[] =
    R"(the bundled model, 1,000 sessions on 4 connections in a closed loop, 16 points of each or one message under way; the
client has a core of its own where there are two. Medians of seven turns. model: the engine alone, forecasts of 64 sessions a call.
echo: the same server, but an engine that only fills in as many numbers. ratio: the server's points a second over
1 / (1 / model + 1 / echo). scaling: two shards over one, server and client on the same cores.)";

namespace {

constexpr int kTurns = 7;
constexpr int kPointsUnderWay = 16;  // for a session, unless a whole message is larger

// A server under load, and the rate in each turn.
struct Contender {
  std::unique_ptr<Served> served;
  std::unique_ptr<Driver> driver;
  std::vector<double> rates;  // points a second
};

absl::StatusOr<Contender> Start(const std::string& kind, int shards, int points) {
  absl::StatusOr<std::unique_ptr<Served>> served = Served::Start(kind, {.shards = shards});
  if (!served.ok()) return served.status();
  absl::StatusOr<std::unique_ptr<Driver>> driver =
      Driver::Connect((*served)->target(), {.streams = 4,
                                            .streams_per_connection = 1,
                                            .points_per_message = points,
                                            .window = std::max(kPointsUnderWay / points, 1),
                                            .name = "server",
                                            .merge = true});
  if (!driver.ok()) return driver.status();
  return Contender{*std::move(served), *std::move(driver), {}};
}

// The model alone and the servers take turns, again and again.
struct Rates {
  double model, echo, one_shard, two_shards;
};

absl::StatusOr<Rates> Measure(int points) {
  std::vector<Contender> sides;
  for (const auto& [kind, shards] : {std::pair("wide", 1), std::pair("bundled", 1), std::pair("bundled", 2)}) {
    absl::StatusOr<Contender> side = Start(kind, shards, points);
    if (!side.ok()) return side.status();
    sides.push_back(*std::move(side));
  }
  absl::StatusOr<std::unique_ptr<BundledRate>> model = BundledRate::New();
  if (!model.ok()) return model.status();
  std::vector<double> alone;
  const absl::Duration turn = BenchTurn(absl::Milliseconds(700));
  for (int i = 0; i <= kTurns; ++i) {
    const bool counts = i > 0;  // the first turn warms up
    const double rate_alone = (*model)->TokensPerSecond(turn / 2);
    if (counts) alone.push_back(rate_alone);
    for (Contender& side : sides) {
      const absl::StatusOr<double> rate = side.driver->Run(turn);
      if (!rate.ok()) return rate.status();
      if (counts) side.rates.push_back(*rate);
    }
  }
  return Rates{Median(alone), Median(sides[0].rates), Median(sides[1].rates), Median(sides[2].rates)};
}

Row ToRow(int points, int shards, const Rates& rates) {
  const double rate = shards == 1 ? rates.one_shard : rates.two_shards;
  const auto only = [&](int of, double value) { return shards == of ? Cell(value) : Cell(std::monostate()); };
  return {{"points_per_message", int64_t{points}},
          {"shards", int64_t{shards}},
          {"points_per_second", rate},
          {"model_points_per_second", only(1, rates.model)},
          {"echo_points_per_second", only(1, rates.echo)},
          {"ratio", only(1, rate * (1 / rates.model + 1 / rates.echo))},
          {"scaling", only(2, rates.two_shards / rates.one_shard)}};
}

}  // namespace

absl::StatusOr<std::vector<Row>> RunServerBench() {
  std::vector<Row> rows;
  for (const int points : {1, 8, 64}) {
    const absl::StatusOr<Rates> rates = Measure(points);
    if (!rates.ok()) return rates.status();
    rows.push_back(ToRow(points, 1, *rates));
    rows.push_back(ToRow(points, 2, *rates));
  }
  return rows;
}

}  // namespace aaren::bench
