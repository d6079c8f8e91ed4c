// The error of the bundled model on processes with a known best forecast, over the error of the best forecast.

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "model/engine/cpu/cpu_engine.h"
#include "model/engine/forecast_result.h"
#include "model/package/package.h"
#include "model/tasks/forecasting/parts/random.h"
#include "tests/bench/bench.h"
#include "tests/bench/bench_size.h"
#include "tests/model/engine/stepper.h"

namespace aaren::bench {

const char kOptimumNote[] =
    R"(a row per process: a season of so many values, and noise x' = phi x + N(0, 1). The best forecast knows the season and
phi. Mean absolute errors of the medians, over those of the best forecast, by steps ahead: of the model, and of the
model with a profile of the season. Sessions are sixty seasons old, or 5,760 values.)";

namespace {

using engine::ResultTail;
using forecasting::Random;

constexpr size_t kHorizon = 48, kBands = 3;
constexpr size_t kFirst[kBands + 1] = {1, 9, 25, kHorizon + 1};  // steps
constexpr size_t kOrigins = 150, kEvery = 7;  // forecasts of a series, and tokens between two forecasts

struct Process {
  const char* name;
  size_t season;
  double phi;
};
constexpr Process kProcesses[] = {
    {"noise", 1, 0},
    {"phi 0.5", 1, 0.5},
    {"phi 0.9", 1, 0.9},
    {"walk", 1, 1},
    {"day of 24", 24, 0},
    {"day of 24, 0.9", 24, 0.9},
    {"day of 24, walk", 24, 1},
    {"day of 96, 0.9", 96, 0.9},
    {"day of 96, walk", 96, 1},
    {"week of 168, 0.9", 168, 0.9},
};

// A series, the noise, and the season.
struct Drawn {
  std::vector<double> values, noise, season;

  double Best(size_t t, size_t step, double phi) const {
    return season[(t + step) % season.size()] + std::pow(phi, static_cast<double>(step)) * noise[t];
  }
};

Drawn Draw(const Process& process, size_t number) {
  Random random(17, number);
  Drawn drawn;
  for (size_t i = 0; i < process.season; ++i) {
    const double turn = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(process.season);
    const double shape = 3 * std::sin(turn) + 1.5 * std::sin(2 * turn + 1) + random.Normal();
    drawn.season.push_back(50 + (process.season > 1 ? shape : 0));
  }
  const size_t begin = process.season > 1 ? 60 * process.season : 5760;
  double noise = 0;
  for (size_t t = 0; t < begin + kOrigins * kEvery + kHorizon; ++t) {
    noise = process.phi * noise + random.Normal();
    drawn.noise.push_back(noise);
    drawn.values.push_back(drawn.season[t % process.season] + noise);
  }
  return drawn;
}

struct Errors {
  double model[kBands] = {}, best[kBands] = {};
};

void AddErrors(const Process& process, const Drawn& drawn, size_t levels, engine::Stepper& stepper, Errors& errors) {
  const size_t count = drawn.values.size(), end = count - kHorizon, begin = end - kOrigins * kEvery;
  engine::Portion portion = {.slot = stepper.Open(), .values = engine::RunValues(drawn.values), .forecast = {}};
  for (size_t t = 0; t < count; ++t) portion.forecast.push_back(t >= begin && t < end && (t - begin) % kEvery == 0);
  const std::vector<float> results = stepper.Step({portion})[0].results;
  stepper.lane().Free({&portion.slot, 1});
  const size_t floats = stepper.engine()->result_floats();
  for (size_t i = 0; i < kOrigins; ++i) {
    const float* forecast = &results[i * floats];
    const ResultTail tail = ResultTail::Of(forecast, floats - ResultTail::kFloats);
    const size_t t = begin + i * kEvery;
    for (size_t band = 0; band < kBands; ++band) {
      for (size_t step = kFirst[band]; step < kFirst[band + 1]; ++step) {
        const double value = drawn.values[t + step];
        errors.model[band] += std::abs(value - tail.Absolute(forecast[(step - 1) * levels + levels / 2]));
        errors.best[band] += std::abs(value - drawn.Best(t, step, process.phi));
      }
    }
  }
}

}  // namespace

absl::StatusOr<std::vector<Row>> RunOptimumBench() {
  const absl::StatusOr<package::ModelPackage> package = package::LoadPackage(AAREN_BUNDLED_MODEL);
  if (!package.ok()) return package.status();
  const auto extended = engine::NewCpuEngine(*package, engine::Tier::kExtended);
  if (!extended.ok()) return extended.status();
  engine::Stepper plain(*package), profiled((*extended)->Extended({.profile = true}));
  const auto series = static_cast<size_t>(BenchSessions(10));
  std::vector<Row> rows;
  for (const Process& process : kProcesses) {
    Errors errors[2];
    for (size_t i = 0; i < series; ++i) {
      const Drawn drawn = Draw(process, i);
      AddErrors(process, drawn, package->config.quantiles.size(), plain, errors[0]);
      AddErrors(process, drawn, package->config.quantiles.size(), profiled, errors[1]);
    }
    const auto ratio = [&](size_t which, size_t band) { return errors[which].model[band] / errors[which].best[band]; };
    rows.push_back({{"process", std::string(process.name)},
                    {"1 .. 8", ratio(0, 0)},
                    {"9 .. 24", ratio(0, 1)},
                    {"25 .. 48", ratio(0, 2)},
                    {"profile, 1 .. 8", ratio(1, 0)},
                    {"profile, 9 .. 24", ratio(1, 1)},
                    {"profile, 25 .. 48", ratio(1, 2)}});
  }
  return rows;
}

}  // namespace aaren::bench
