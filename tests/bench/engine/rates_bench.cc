// How far intervals and alerts of the bundled model hold, by kind of series: 40 series of each kind, whole and with
// holes of each pattern, judged one step ahead.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "model/engine/forecast_result.h"
#include "model/package/package.h"
#include "model/tasks/forecasting/parts/random.h"
#include "tests/bench/bench.h"
#include "tests/bench/bench_size.h"
#include "tests/model/engine/stepper.h"

namespace aaren::bench {

const char kRatesNote[] =
    R"(a row per kind and pattern of holes. in_80: the share of present values in the 80 % interval one step ahead. alerts,
per_mille: surprises below rate / 2 or above 1 - rate / 2, as a multiple of the rates 0.01 and 0.001. learning: alerts
at 0.01, as a multiple, while the session is learning, which nobody is told. Values are those after learning.)";

namespace {

using engine::Outputs;
using engine::ResultTail;
using forecasting::Random;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr size_t kValues = 600;  // present values of a series

double Wave(double t, double period) { return std::sin(2 * std::numbers::pi * t / period); }

// A kind draws the next value of a series at time t; `at` is the kind's own memory.
struct SeriesKind {
  const char* name;
  double (*draw)(Random& random, double t, double& at);
};
constexpr SeriesKind kSeriesKinds[] = {
    {"noise", [](Random& random, double, double&) { return 50 + 3 * random.Normal(); }},
    {"heavy tails", [](Random& random, double, double&) { return 50 + random.StudentT(3); }},
    {"walk", [](Random& random, double, double& at) { return at += random.Normal(); }},
    {"day of 24", [](Random& random, double t, double&) { return 20 + 8 * Wave(t, 24) + random.Normal(); }},
    {"day of 48", [](Random& random, double t, double&) { return 20 + 8 * Wave(t, 48) + random.Normal(); }},
    {"smooth", [](Random& random, double t, double&) { return 20 + 8 * Wave(t, 96) + 0.02 * random.Normal(); }},
    {"flag 0.5", [](Random& random, double, double&) { return random.Chance(0.5) ? 1.0 : 0.0; }},
    {"flag 0.1", [](Random& random, double, double&) { return random.Chance(0.1) ? 1.0 : 0.0; }},
    {"flag 0.01", [](Random& random, double, double&) { return random.Chance(0.01) ? 1.0 : 0.0; }},
    {"counts 0.5", [](Random& random, double, double&) { return static_cast<double>(random.Poisson(0.5)); }},
    {"counts 3", [](Random& random, double, double&) { return static_cast<double>(random.Poisson(3)); }},
    {"counts 30", [](Random& random, double, double&) { return static_cast<double>(random.Poisson(30)); }},
};

// A pattern tells which rows have a value; `one_of` rows have about one value.
struct Holes {
  const char* name;
  size_t one_of;
  bool (*present)(Random& random, size_t t);
};
constexpr Holes kHoles[] = {
    {"none", 1, [](Random&, size_t) { return true; }},
    {"every 2nd", 2, [](Random&, size_t t) { return t % 2 == 0; }},
    {"every 3rd", 3, [](Random&, size_t t) { return t % 3 == 0; }},
    {"every 6th", 6, [](Random&, size_t t) { return t % 6 == 0; }},
    {"every 12th", 12, [](Random&, size_t t) { return t % 12 == 0; }},
    {"tenth lost", 1, [](Random& random, size_t) { return random.Chance(0.9); }},
    {"half, by chance", 2, [](Random& random, size_t) { return random.Chance(0.5); }},
    {"sixth, by chance", 6, [](Random& random, size_t) { return random.Chance(1.0 / 6); }},
    {"pairs of 4", 2, [](Random&, size_t t) { return t % 4 < 2; }},
    {"no weekends", 1, [](Random&, size_t t) { return t % 7 < 5; }},
    {"no nights", 2, [](Random&, size_t t) { return t % 24 >= 8; }},
};

struct Judgement {
  double values = 0, inside = 0, alerts = 0, rare = 0;
  double young = 0, young_alerts = 0;  // while the session is learning
};

bool IsAlert(float surprise, double rate) { return surprise < rate / 2 || surprise > 1 - rate / 2; }

class RatesBench {
 public:
  explicit RatesBench(const package::ModelPackage& package)
      : levels_(package.config.quantiles.size()), stepper_(package) {}

  Row Judge(const SeriesKind& kind, const Holes& holes, size_t series) {
    Judgement judgement;
    for (size_t i = 0; i < series; ++i) Add(Draw(kind, holes, i), judgement);
    const auto share = [](double count, double all) { return all > 0 ? Cell(count / all) : Cell(); };
    return {{"kind", std::string(kind.name)},
            {"holes", std::string(holes.name)},
            {"values", static_cast<int64_t>(judgement.values)},
            {"in_80", share(judgement.inside, judgement.values)},
            {"alerts", share(judgement.alerts / 0.01, judgement.values)},
            {"per_mille", share(judgement.rare / 0.001, judgement.values)},
            {"learning", share(judgement.young_alerts / 0.01, judgement.young)}};
  }

 private:
  static std::vector<double> Draw(const SeriesKind& kind, const Holes& holes, size_t i) {
    Random random(91, i);
    double at = 100;
    std::vector<double> values;
    for (size_t t = 0; t < kValues * holes.one_of; ++t) {
      // A series with holes is the same series seen more often: its seasons have as many values.
      const double value = kind.draw(random, static_cast<double>(t) / static_cast<double>(holes.one_of), at);
      values.push_back(holes.present(random, t) ? value : kMissing);
    }
    return values;
  }

  void Add(const std::vector<double>& values, Judgement& judgement) {
    const engine::Slot slot = stepper_.Open();
    const Outputs outputs = stepper_.FeedDoubles(slot, values);
    stepper_.lane().Free({&slot, 1});
    const size_t floats = stepper_.engine()->result_floats();
    const auto tail = [&](size_t t) {
      return ResultTail::Of(&outputs.results[t * floats], floats - ResultTail::kFloats);
    };
    for (size_t t = 1; t < values.size(); ++t) {
      const float surprise = outputs.surprises[t];
      if (std::isnan(values[t]) || std::isnan(surprise)) continue;
      const bool alert = IsAlert(surprise, 0.01);
      if (tail(t).learning) {
        judgement.young += 1;
        judgement.young_alerts += alert;
        continue;
      }
      const float* quantiles = &outputs.results[(t - 1) * floats];
      const float value = static_cast<float>(values[t] - tail(t - 1).origin);
      judgement.values += 1;
      judgement.inside += quantiles[0] <= value && value <= quantiles[levels_ - 1];
      judgement.alerts += alert;
      judgement.rare += IsAlert(surprise, 0.001);
    }
  }

  const size_t levels_;
  engine::Stepper stepper_;
};

}  // namespace

absl::StatusOr<std::vector<Row>> RunRatesBench() {
  const absl::StatusOr<package::ModelPackage> package = package::LoadPackage(AAREN_BUNDLED_MODEL);
  if (!package.ok()) return package.status();
  RatesBench bench(*package);
  const auto series = static_cast<size_t>(BenchSessions(40));
  std::vector<Row> rows;
  for (const SeriesKind& kind : kSeriesKinds) {
    for (const Holes& holes : kHoles) rows.push_back(bench.Judge(kind, holes, series));
  }
  return rows;
}

}  // namespace aaren::bench
