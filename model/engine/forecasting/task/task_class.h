#ifndef AAREN_MODEL_ENGINE_FORECASTING_TASK_TASK_CLASS_H_
#define AAREN_MODEL_ENGINE_FORECASTING_TASK_TASK_CLASS_H_

// ForecastingTask is the task of forecasting_task.h. Its jobs have a file each: take_run takes values into a row,
// add_token makes tokens of a tile, refine finishes their forecasts. This header is for those files alone. series_input
// and views serve the task.
//
// Threading: immutable; a row and a Tile belong to one thread at a time.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "model/engine/forecast_result.h"
#include "model/engine/forecasting/row.h"
#include "model/engine/forecasting/task/forecasting_task.h"
#include "model/engine/forecasting/task/series_input.h"
#include "model/engine/forecasting/task/views.h"
#include "model/engine/forecasting/tile.h"
#include "model/engine/network/layer_bound.h"
#include "model/math/scaling.h"

namespace aaren::engine {

// The numbers of token i of a run.
inline const float* InputsOf(const Run& run, size_t i) {
  return &run.values[run.values.size() / run.forecast.size() * i];
}

class ForecastingTask final : public Task {
 public:
  ForecastingTask(const package::ForecasterConfig& config, std::vector<LayerBound> bounds,
                  std::shared_ptr<const Network> network, const RowKind& rows)
      : config_(config),
        rows_(rows),
        layout_(config_, rows_),
        input_(config_, layout_),
        views_(config_, layout_, input_),
        bounds_(std::move(bounds)),
        network_(std::move(network)) {}

  std::unique_ptr<Task> Extended(const Extension& extension) const override {
    if (!rows_.extended) return nullptr;
    return std::make_unique<ForecastingTask>(config_, bounds_, network_, RowKind{true, extension});
  }
  std::unique_ptr<Scratch> NewScratch() const override { return std::make_unique<Tile>(config_, layout_, *network_); }
  size_t row_bytes() const override { return layout_.bytes(); }
  size_t task_bytes() const override { return layout_.layers_offset(); }
  size_t result_floats() const override { return quantiles() + ResultTail::kFloats; }
  void ResetRow(absl::Span<std::byte> row) const override { layout_.Reset(row); }
  absl::StatusOr<uint64_t> CheckRow(absl::Span<const std::byte> row) const override;
  std::vector<double> Remembered(absl::Span<const std::byte> row) const override;
  uint64_t& claim(std::byte* row) const override { return layout_.header(row).claimed; }
  absl::Status CheckRun(const Run& run) const override;
  void Take(const Run& run, std::byte* row, Scratch& scratch) const override {
    TakeRun(run, row, static_cast<Tile&>(scratch));
  }
  void Begin(Scratch& scratch) const override { BeginTile(static_cast<Tile&>(scratch)); }
  bool Done(Scratch& scratch) const override;
  absl::Status Finish(Scratch& scratch) const override;

 private:
  static constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

  // The last step that a forecast may have.
  uint32_t last_step() const { return layout_.far() ? FarHorizons::kLast : static_cast<uint32_t>(config_.horizon); }
  size_t quantiles() const { return static_cast<size_t>(config_.horizon) * config_.quantiles.size(); }
  bool SelectsFar(bool wanted, const Selection* selection) const {
    return wanted && selection != nullptr && !selection->steps.empty() &&
           selection->steps.back() > static_cast<uint32_t>(config_.horizon);
  }
  bool SelectsFar(const TileToken& token) const { return SelectsFar(token.wanted, token.selection); }
  float* SelectedPart(const TileToken& token) const { return token.forecast + result_floats(); }
  size_t tokens_per_value() const { return layout_.second_view() ? 3 : 1; }  // a tile's tokens, at most

  void BeginTile(Tile& tile) const;
  void FinishTile(Tile& tile) const;

  // take_run.cc
  void TakeRun(const Run& run, std::byte* row, Tile& tile) const;
  bool Prepare(std::byte* row, Tile& tile) const;
  void Advance(std::byte* row) const;
  double TakeCovariates(const Run& run, size_t i, std::byte* row) const;
  void TakeSurprise(const Run& run, size_t i, double x, std::byte* row, TileToken* pending, Tile& tile) const;
  SurpriseRange RangeOf(float value, std::byte* row, Tile& tile) const;
  float OneStepSurprise(const Run& run, float value, std::byte* row, Tile& tile) const;
  void ClearOneStep(std::byte* row) const;

  // add_token.cc
  void AddToken(const Run& run, size_t i, std::byte* row, float* forecast, const ViewPlaces& views, Tile& tile) const;
  void AddEffects(const Run& run, size_t i, const TileToken& token, Tile& tile) const;
  void AddFarSources(const season::Past& places, const TileToken& token, Tile& tile) const;
  void AddEvidence(const season::Past& past, double scale, std::byte* row, Tile& tile) const;

  // refine.cc
  void Refine(Tile& tile) const;
  void RefineWanted(Tile& tile, size_t t) const;
  void Select(Tile& tile, size_t t) const;
  FarHorizons::Near NearOf(Tile& tile, size_t t, const float* forecast) const;
  void KeepOneStep(Tile& tile, size_t t) const;
  void Learn(Tile& tile, size_t t) const;
  void LearnView(Tile& tile, size_t t) const;
  void LearnCovariates(Tile& tile, size_t t) const;
  void Mix(Tile& tile, size_t t, float* forecast) const;
  void MoveToView(Tile& tile, size_t t, float* forecast) const;

  package::ForecasterConfig config_;
  RowKind rows_;
  RowLayout layout_;
  SeriesInput input_;
  Views views_;
  std::vector<LayerBound> bounds_;  // the bounds of each layer, which CheckRow applies
  std::shared_ptr<const Network> network_;
};

}  // namespace aaren::engine

#endif  // AAREN_MODEL_ENGINE_FORECASTING_TASK_TASK_CLASS_H_
