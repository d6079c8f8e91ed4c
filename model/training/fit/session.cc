#include "model/training/fit/session.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "model/engine/cpu/cpu_engine.h"
#include "model/engine/forecast_result.h"

namespace aaren::training {
namespace {

constexpr size_t kPortion = 256;  // tokens of a run

// The numbers of a token beside its value: the covariates now, and the future ones at the steps ahead.
void AppendCovariates(const engine::Extension& covariates, const BacktestSeries& series, size_t row, size_t steps,
                      std::vector<float>& numbers) {
  const auto at = [&](size_t k, size_t t) {
    const std::vector<double>& values = series.covariates[k];
    return t < values.size() ? static_cast<float>(values[t]) : std::numeric_limits<float>::quiet_NaN();
  };
  for (size_t k = 0; k < covariates.covariates(); ++k) numbers.push_back(at(k, row));
  for (size_t step = 1; step <= steps; ++step) {
    for (size_t k = covariates.past; k < covariates.covariates(); ++k) numbers.push_back(at(k, row + step));
  }
}

// One row of a lane, which takes a series portion by portion.
class Session {
 public:
  Session(const engine::Engine& engine, const engine::Extension& covariates, const BacktestSeries& series)
      : engine_(engine), covariates_(covariates), series_(series), lane_(engine.NewLane(1)) {}

  absl::Status Begin() {
    absl::Status status = lane_->Allocate({&slot_, 1});
    return status.ok() ? lane_->Reset({&slot_, 1}) : status;
  }

  // Takes rows from ... to - 1. Results are written to `results` for the wanted rows.
  absl::Status Take(size_t from, size_t to, const engine::Selection* selection, absl::Span<const uint8_t> wanted,
                    float* results) {
    std::vector<float> numbers;
    for (size_t row = from; row < to; ++row) {
      const std::vector<float> value = engine::RunValues({&series_.values[row], 1});
      numbers.insert(numbers.end(), value.begin(), value.end());
      AppendCovariates(covariates_, series_, row, selection == nullptr ? 0 : selection->steps.size(), numbers);
    }
    const engine::Run run = {
        .slot = slot_, .values = numbers, .forecast = wanted, .forecasts = results, .selection = selection};
    const absl::StatusOr<engine::Ticket> ticket = lane_->Submit({&run, 1});
    return ticket.ok() ? lane_->Wait(*ticket) : ticket.status();
  }

  // The newest `count` values that the row remembers.
  absl::StatusOr<std::vector<double>> Newest(size_t count) {
    std::vector<std::byte> row(engine_.row_bytes());
    const engine::RowRead read = {slot_, row.data()};
    if (absl::Status status = lane_->Read({&read, 1}); !status.ok()) return status;
    const std::vector<double> remembered = engine_.Remembered(row);
    return std::vector<double>(remembered.end() - static_cast<int64_t>(count), remembered.end());
  }

 private:
  const engine::Engine& engine_;
  const engine::Extension covariates_;
  const BacktestSeries& series_;
  const std::unique_ptr<engine::Lane> lane_;
  engine::Slot slot_;
};

// The selected quantiles of a result, in the units of the series.
WindowQuantiles Absolute(const float* result, size_t quantiles, size_t first, size_t count) {
  WindowQuantiles window;
  if (std::isnan(result[first])) return window;  // before the first value
  const engine::ResultTail tail = engine::ResultTail::Of(result, quantiles);
  for (size_t k = 0; k < count; ++k) window.push_back(tail.Absolute(result[first + k]));
  return window;
}

}  // namespace

absl::StatusOr<std::unique_ptr<engine::Engine>> NewSessionEngine(const package::ModelPackage& package,
                                                                 const engine::Extension& covariates) {
  if (covariates.covariates() == 0) return engine::NewCpuEngine(package);
  const absl::StatusOr<std::unique_ptr<engine::Engine>> extended =
      engine::NewCpuEngine(package, engine::Tier::kExtended);
  if (!extended.ok()) return extended.status();
  return (*extended)->Extended(covariates);
}

absl::StatusOr<std::vector<WindowQuantiles>> StreamSeries(const engine::Engine& engine, const Backtest& backtest,
                                                          const BacktestSeries& series) {
  engine::Selection selection;
  selection.steps.resize(static_cast<size_t>(backtest.horizon));
  std::iota(selection.steps.begin(), selection.steps.end(), 1);
  selection.levels.assign(backtest.levels.begin(), backtest.levels.end());
  const size_t floats = engine.result_floats(), count = selection.floats();
  const size_t tokens = series.origins.empty() ? 0 : series.origins.back();  // no later row is known to any forecast
  std::vector<uint8_t> wanted(tokens);
  for (const size_t origin : series.origins) wanted[origin - 1] = 1;
  Session session(engine, backtest.covariates, series);
  if (absl::Status status = session.Begin(); !status.ok()) return status;
  std::vector<WindowQuantiles> windows;
  for (size_t from = 0; from < tokens; from += kPortion) {
    const size_t to = std::min(from + kPortion, tokens);
    const auto asked = std::count(wanted.begin() + from, wanted.begin() + to, 1);
    std::vector<float> results(static_cast<size_t>(asked) * (floats + count));
    absl::Status status = session.Take(from, to, &selection, {&wanted[from], to - from}, results.data());
    if (!status.ok()) return status;
    for (size_t i = 0; i < results.size(); i += floats + count) {
      windows.push_back(Absolute(&results[i], floats - engine::ResultTail::kFloats, floats, count));
    }
  }
  return windows;
}

absl::StatusOr<std::vector<double>> LessCovariates(const engine::Engine& engine, const engine::Extension& covariates,
                                                   const BacktestSeries& series) {
  Session session(engine, covariates, series);
  if (absl::Status status = session.Begin(); !status.ok()) return status;
  std::vector<double> less;
  for (size_t from = 0; from < series.values.size(); from += kPortion) {
    const size_t to = std::min(from + kPortion, series.values.size());
    absl::Status status = session.Take(from, to, nullptr, std::vector<uint8_t>(to - from), nullptr);
    if (!status.ok()) return status;
    const absl::StatusOr<std::vector<double>> newest = session.Newest(to - from);
    if (!newest.ok()) return newest.status();
    less.insert(less.end(), newest->begin(), newest->end());
  }
  return less;
}

}  // namespace aaren::training
