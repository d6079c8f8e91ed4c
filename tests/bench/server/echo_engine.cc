#include "tests/bench/server/echo_engine.h"

#include <algorithm>
#include <cstring>

#include "model/engine/cpu/host_lane.h"
#include "model/engine/forecast_result.h"

namespace aaren::bench {
namespace {

class EchoEngine final : public engine::Engine {
 public:
  explicit EchoEngine(const package::ForecasterConfig& config) : config_(config) {}

  size_t result_floats() const override {
    return static_cast<size_t>(config_.horizon) * config_.quantiles.size() + engine::ResultTail::kFloats;
  }
  std::string tier() const override { return "exact"; }
  size_t row_bytes() const override { return 64; }
  std::unique_ptr<engine::Lane> NewLane(size_t capacity_rows) const override;
  void ResetRow(absl::Span<std::byte> row) const override { std::memset(row.data(), 0, row.size()); }

  std::vector<double> Remembered(absl::Span<const std::byte>) const override { return {}; }
  absl::StatusOr<uint64_t> CheckRow(absl::Span<const std::byte> row) const override {
    uint64_t seq;
    std::memcpy(&seq, row.data(), sizeof(seq));
    return seq;
  }

  absl::Status Step(absl::Span<const engine::Run> runs, engine::StateSlab& rows) const {
    const size_t size = config_.horizon * config_.quantiles.size();
    for (const engine::Run& run : runs) {
      std::byte* row = rows.Row(run.slot).data();
      uint64_t seq;
      std::memcpy(&seq, row, sizeof(seq));
      seq += run.forecast.size();
      std::memcpy(row, &seq, sizeof(seq));
      float* out = run.forecasts;
      for (size_t i = 0; i < run.forecast.size(); ++i) {
        if (!run.forecast[i]) continue;
        out = std::fill_n(out, size, static_cast<float>(engine::ValueAt(run.values, run.forecast.size(), i)));
        out = std::fill_n(out, engine::ResultTail::kFloats, 0.0f);
      }
    }
    return absl::OkStatus();
  }

 private:
  const package::ForecasterConfig config_;
};

class EchoLane final : public engine::HostLane {
 public:
  EchoLane(const EchoEngine& engine, size_t capacity_rows) : engine::HostLane(engine, capacity_rows), engine_(engine) {}

 private:
  absl::Status Step(absl::Span<const engine::Run> runs, engine::StateSlab& rows) override {
    return engine_.Step(runs, rows);
  }

  const EchoEngine& engine_;
};

std::unique_ptr<engine::Lane> EchoEngine::NewLane(size_t capacity_rows) const {
  return std::make_unique<EchoLane>(*this, capacity_rows);
}

}  // namespace

package::ForecasterConfig EchoConfig() {
  package::ForecasterConfig config;
  config.horizon = 3;
  return config;
}

std::unique_ptr<engine::Engine> NewEchoEngine(const package::ForecasterConfig& config) {
  return std::make_unique<EchoEngine>(config);
}

}  // namespace aaren::bench
