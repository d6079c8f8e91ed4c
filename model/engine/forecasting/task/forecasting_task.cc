#include "model/engine/forecasting/task/forecasting_task.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "model/engine/forecasting/task/task_class.h"
#include "model/engine/forecasting/weights.h"

namespace aaren::engine {

absl::StatusOr<uint64_t> ForecastingTask::CheckRow(absl::Span<const std::byte> row) const {
  if (absl::Status status = layout_.Check(row, bounds_); !status.ok()) return status;
  return layout_.seq(row);
}

std::vector<double> ForecastingTask::Remembered(absl::Span<const std::byte> row) const {
  const uint64_t seq = layout_.seq(row);
  if (seq == 0) return {};
  // A row from outside may be unaligned, so the memory is read from an aligned copy.
  const auto aligned = std::make_unique<std::byte[]>(row.size());
  std::memcpy(aligned.get(), row.data(), row.size());
  const auto window = std::make_unique<season::ValueMemory::Window>();
  const float* newest = layout_.values(aligned.get()).Unroll(seq - 1, season::kAnywhere, *window);
  const size_t known = std::min<uint64_t>(seq, static_cast<size_t>(newest + 1 - window->values));
  std::vector<double> values(newest + 1 - known, newest + 1);
  for (double& value : values) value += layout_.header(aligned.get()).origin;
  return values;
}

absl::Status ForecastingTask::CheckRun(const Run& run) const {
  const size_t tokens = run.forecast.size(), steps = run.selection == nullptr ? 0 : run.selection->steps.size();
  const bool floats = !layout_.covariates() && run.values.size() == tokens;
  if (!floats && run.values.size() != rows_.inputs(steps) * tokens) {
    return absl::InvalidArgumentError(
        absl::StrCat("has ", run.values.size(), " values, but ", tokens, " forecast flags"));
  }
  const bool wants = std::any_of(run.forecast.begin(), run.forecast.end(), [](uint8_t flag) { return flag != 0; });
  if (wants && run.forecasts == nullptr) return absl::InvalidArgumentError("wants a forecast, but has no place for it");
  if (run.selection != nullptr && !run.selection->steps.empty() &&
      (run.selection->steps.front() < 1 || run.selection->steps.back() > last_step())) {
    return absl::InvalidArgumentError(absl::StrCat("selects a step that is not in 1 .. ", last_step()));
  }
  return absl::OkStatus();
}

void ForecastingTask::BeginTile(Tile& tile) const {
  if (tile.size == 0 || tile.under_way) return;
  tile.pass->Begin(tile);
  tile.under_way = true;
}

bool ForecastingTask::Done(Scratch& scratch) const {
  Tile& tile = static_cast<Tile&>(scratch);
  return !tile.under_way || tile.pass->Done();
}

absl::Status ForecastingTask::Finish(Scratch& scratch) const {
  Tile& tile = static_cast<Tile&>(scratch);
  FinishTile(tile);
  return std::exchange(tile.status, absl::OkStatus());
}

// Takes the tile through the network, learns from its probes and empties the tile.
void ForecastingTask::FinishTile(Tile& tile) const {
  BeginTile(tile);
  if (!tile.under_way) return;
  tile.under_way = false;
  const absl::Status status = tile.pass->End(tile);
  tile.status.Update(status);
  if (status.ok()) Refine(tile);
  tile.size = 0;
}

std::unique_ptr<Task> NewForecastingTask(const package::ModelPackage& package, std::unique_ptr<const Network> network,
                                         const RowKind& rows) {
  return std::make_unique<ForecastingTask>(package.config, BoundsOf(package), std::move(network), rows);
}

}  // namespace aaren::engine
