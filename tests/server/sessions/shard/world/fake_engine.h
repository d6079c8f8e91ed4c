#ifndef AAREN_TESTS_SERVER_SESSIONS_SHARD_WORLD_FAKE_ENGINE_H_
#define AAREN_TESTS_SERVER_SESSIONS_SHARD_WORLD_FAKE_ENGINE_H_

// A FakeEngine computes a simple forecast. Every bit depends on all earlier tokens and on the order of the tokens:
//   state = 0.75 * state + value (missing counts as 0), forecast [4 steps, 3 quantiles] = state + 10 * step + quantile.
// A surprise is the value less the first number of the previous token's forecast, NaN for the first token.

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/engine/cpu/slab.h"
#include "model/engine/engine.h"
#include "model/engine/forecast_result.h"
#include "server/sessions/models/model_table.h"
#include "tests/server/sessions/shard/world/late_engine.h"

namespace aaren::shard {

class FakeEngine : public engine::Engine {
 public:
  explicit FakeEngine(size_t row_bytes = 64);

  static package::ForecasterConfig Config();  // the config of a FakeEngine's packages

  size_t result_floats() const override {
    return static_cast<size_t>(config_.horizon) * config_.quantiles.size() + engine::ResultTail::kFloats;
  }
  std::string tier() const override { return "exact"; }
  size_t row_bytes() const override { return row_bytes_; }
  std::unique_ptr<engine::Lane> NewLane(size_t capacity_rows) const override;
  void ResetRow(absl::Span<std::byte> row) const override;
  absl::StatusOr<uint64_t> CheckRow(absl::Span<const std::byte> row) const override;
  std::vector<double> Remembered(absl::Span<const std::byte>) const override { return {}; }

  // The forecasts of a one-channel session for `values`: Forecasts(values)[i] has all numbers for token i.
  std::vector<std::vector<float>> Forecasts(const std::vector<float>& values) const;

  int calls() const { return calls_; }
  void FailNextStep() { fail_next_ = true; }
  void FailNextCopy() { fail_next_copy_ = true; }  // a copy of a row into a lane or out of a lane

 protected:
  virtual absl::Status Step(absl::Span<const engine::Run> runs, engine::StateSlab& rows) const;

 private:
  class FakeLane;

  void Advance(const engine::Run& run, absl::Span<std::byte> row) const;

  const package::ForecasterConfig config_ = Config();
  size_t row_bytes_;
  mutable std::atomic<int> calls_{0};
  mutable std::atomic<bool> fail_next_{false}, fail_next_copy_{false};
};

// A table with "sum:1" (the default), "sum:2" and "other:1", each with a FakeEngine.
std::unique_ptr<models::ModelTable> FakeModels(size_t row_bytes = 64);
FakeEngine& FakeEngineOf(const models::ModelTable& models, const std::string& name);

// The same behind LateEngines.
std::unique_ptr<models::ModelTable> LateModels();

// All LateEngines of a table.
std::vector<LateEngine*> LateEnginesOf(const models::ModelTable& models);

}  // namespace aaren::shard

#endif  // AAREN_TESTS_SERVER_SESSIONS_SHARD_WORLD_FAKE_ENGINE_H_
