#include "tests/server/net/rpc/serving/sum_engine.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "model/engine/cpu/host_lane.h"
#include "model/engine/forecast_result.h"

namespace aaren::rpc {
namespace {

struct Row {
  uint64_t seq = 0;
  float sum = 0;
};

class SumEngine final : public engine::Engine {
 public:
  size_t result_floats() const override {
    return static_cast<size_t>(config_.horizon) * config_.quantiles.size() + engine::ResultTail::kFloats;
  }
  std::string tier() const override { return "exact"; }
  size_t row_bytes() const override { return 64; }
  std::unique_ptr<engine::Lane> NewLane(size_t capacity_rows) const override;
  void ResetRow(absl::Span<std::byte> row) const override { std::memset(row.data(), 0, row.size()); }

  std::vector<double> Remembered(absl::Span<const std::byte>) const override { return {}; }
  absl::StatusOr<uint64_t> CheckRow(absl::Span<const std::byte> row) const override {
    Row content;
    std::memcpy(&content, row.data(), sizeof(content));
    if (std::isnan(content.sum)) return absl::DataLossError("sum is NaN");
    return content.seq;
  }

  absl::Status Step(absl::Span<const engine::Run> runs, engine::StateSlab& rows) const {
    for (const engine::Run& run : runs) Advance(run, rows.Row(run.slot));
    return absl::OkStatus();
  }

 private:
  void Advance(const engine::Run& run, absl::Span<std::byte> bytes) const {
    Row row;
    std::memcpy(&row, bytes.data(), sizeof(row));
    float* out = run.forecasts;
    for (size_t i = 0; i < run.forecast.size(); ++i) {
      const auto value = static_cast<float>(engine::ValueAt(run.values, run.forecast.size(), i));
      ++row.seq;
      row.sum += value;
      if (run.surprises != nullptr) run.surprises[i] = value / 2;
      if (!run.forecast[i]) continue;
      for (int h = 1; h <= config_.horizon; ++h) {
        for (int q = 0; q < config_.quantile_count(); ++q) {
          *out++ = run.refinement >= engine::Refinement::kCalibrated ? SumForecast(row.sum, h, q)
                                                                     : -SumForecast(row.sum, h, q);
        }
      }
      out = std::fill_n(out, engine::ResultTail::kFloats, 0.0f);
    }
    std::memcpy(bytes.data(), &row, sizeof(row));
  }

  const package::ForecasterConfig config_ = SumConfig();
};

class SumLane final : public engine::HostLane {
 public:
  SumLane(const SumEngine& engine, size_t capacity_rows) : engine::HostLane(engine, capacity_rows), engine_(engine) {}

 private:
  absl::Status Step(absl::Span<const engine::Run> runs, engine::StateSlab& rows) override {
    return engine_.Step(runs, rows);
  }

  const SumEngine& engine_;
};

std::unique_ptr<engine::Lane> SumEngine::NewLane(size_t capacity_rows) const {
  return std::make_unique<SumLane>(*this, capacity_rows);
}

}  // namespace

package::ForecasterConfig SumConfig() {
  package::ForecasterConfig config;
  config.horizon = 3;
  config.quantiles = {0.1f, 0.5f, 0.9f};
  return config;
}

std::unique_ptr<engine::Engine> NewSumEngine() { return std::make_unique<SumEngine>(); }

}  // namespace aaren::rpc
