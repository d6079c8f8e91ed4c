#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "model/engine/engine.h"
#include "model/engine/fma.h"
#include "model/engine/forward.h"
#include "model/engine/row.h"
#include "model/engine/surprise.h"
#include "model/engine/tile.h"
#include "model/engine/weights.h"

namespace aaren {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

float Clean(float value) {
  if (std::isnan(value)) return kMissing;
  return std::abs(value) < kLeastValue ? 0.0f : std::clamp(value, -kLargestValue, kLargestValue);
}

class CpuEngine : public Engine {
 public:
  explicit CpuEngine(const ModelPackage& package)
      : config_(package.config), layout_(package.config), weights_(package) {}

  const ForecasterConfig& config() const override { return config_; }
  std::string tier() const override { return "exact"; }
  size_t row_bytes() const override { return layout_.bytes(); }
  std::unique_ptr<Workspace> NewWorkspace() const override {
    return std::make_unique<Tile>(config_, weights_, layout_);
  }
  void ResetRow(absl::Span<std::byte> row) const override { layout_.Reset(row); }
  absl::StatusOr<uint64_t> CheckRow(absl::Span<const std::byte> row) const override;
  absl::Status Step(absl::Span<const Run> runs, StateSlab& rows, Workspace& workspace) const override;

 private:
  absl::Status Claim(const Run& run, StateSlab& rows) const;
  void Release(absl::Span<const Run> runs, StateSlab& rows) const;
  void TakeRun(const Run& run, std::byte* row, Tile& tile) const;
  void TakeSurprise(const Run& run, size_t i, std::byte* row, TileToken* pending, Tile& tile) const;
  float OneStepSurprise(const Run& run, float value, std::byte* row, Tile& tile) const;
  void AddToken(const Run& run, std::byte* row, float* forecast, Tile& tile) const;
  void Finish(Tile& tile) const;

  ForecasterConfig config_;
  RowLayout layout_;
  Weights weights_;
};

absl::StatusOr<uint64_t> CpuEngine::CheckRow(absl::Span<const std::byte> row) const {
  if (absl::Status status = layout_.Check(row, weights_.bounds); !status.ok()) return status;
  return layout_.seq(row);
}

absl::Status CpuEngine::Step(absl::Span<const Run> runs, StateSlab& rows, Workspace& workspace) const {
  if (rows.row_bytes() != layout_.bytes()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the slab's rows have ", rows.row_bytes(), " bytes, not ", layout_.bytes()));
  }
  for (size_t i = 0; i < runs.size(); ++i) {
    if (absl::Status status = Claim(runs[i], rows); !status.ok()) {
      Release(runs.first(i), rows);
      return absl::InvalidArgumentError(absl::StrCat("run ", i, ": ", status.message()));
    }
  }
  Tile& tile = static_cast<Tile&>(workspace);
  for (const Run& run : runs) TakeRun(run, rows.Row(run.slot).data(), tile);
  Finish(tile);
  Release(runs, rows);
  return absl::OkStatus();
}

// Checks a run and marks its row, so that the next run with the same row is noticed without memory for a set.
absl::Status CpuEngine::Claim(const Run& run, StateSlab& rows) const {
  const absl::Span<std::byte> row = rows.Row(run.slot);
  if (row.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("slot ", run.slot.index, " of generation ", run.slot.generation, " is stale"));
  }
  if (run.values.empty()) return absl::InvalidArgumentError("has no tokens");
  if (run.forecast.size() != run.values.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("has ", run.values.size(), " values, but ", run.forecast.size(), " forecast flags"));
  }
  const bool wants = std::any_of(run.forecast.begin(), run.forecast.end(), [](uint8_t flag) { return flag != 0; });
  if (wants && run.forecasts == nullptr) return absl::InvalidArgumentError("wants a forecast, but has no place for it");
  uint64_t& claimed = layout_.header(row.data()).claimed;
  if (claimed != 0)
    return absl::InvalidArgumentError(absl::StrCat("slot ", run.slot.index, " is in an earlier run too"));
  claimed = 1;
  return absl::OkStatus();
}

void CpuEngine::Release(absl::Span<const Run> runs, StateSlab& rows) const {
  for (const Run& run : runs) layout_.header(rows.Row(run.slot).data()).claimed = 0;
}

void CpuEngine::TakeRun(const Run& run, std::byte* row, Tile& tile) const {
  RowHeader& header = layout_.header(row);
  float* forecast = run.forecasts;
  const size_t forecast_size = static_cast<size_t>(config_.horizon) * config_.quantiles.size();
  TileToken* pending = nullptr;  // The token before, if its forecast is still to be made.
  for (size_t i = 0; i < run.values.size(); ++i, ++header.seq) {
    const float value = Clean(run.values[i]);
    layout_.ring(row)[header.seq % static_cast<uint64_t>(config_.ring)] = value;
    if (!std::isnan(value)) header.statistics.Add(value, static_cast<uint64_t>(config_.history));
    TakeSurprise(run, i, row, pending, tile);
    pending = nullptr;
    const bool wanted = run.forecast[i] != 0;
    if (!wanted) std::fill_n(layout_.one_step(row), config_.quantiles.size(), kMissing);
    const bool folds = (header.seq + 1) % static_cast<uint64_t>(config_.fold_every) == 0;
    if (!wanted && !folds && !layout_.calibration().Probes(header.seq)) continue;

    AddToken(run, row, wanted ? forecast : nullptr, tile);
    if (wanted) {
      forecast += forecast_size;
      pending = &tile.tokens[tile.size - 1];
    }
    if (tile.size == Tile::kTokens) {
      Finish(tile);
      pending = nullptr;
    }
  }
}

// The surprise of token i under the forecast of the one before, which may not be there yet: then it waits for it.
void CpuEngine::TakeSurprise(const Run& run, size_t i, std::byte* row, TileToken* pending, Tile& tile) const {
  float* surprise = run.surprises == nullptr ? nullptr : run.surprises + i;
  const float value = Clean(run.values[i]);
  if (pending != nullptr) {
    pending->followed = true;
    pending->next_value = value;
    pending->next_surprise = surprise;
  } else if (surprise != nullptr) {
    *surprise = OneStepSurprise(run, value, row, tile);
  }
}

// Under the forecast that the row keeps. Nothing was learned since: its correction is the one it was sent with.
float CpuEngine::OneStepSurprise(const Run& run, float value, std::byte* row, Tile& tile) const {
  const float* one_step = layout_.one_step(row);
  if (!run.calibrated || std::isnan(one_step[0])) return Surprise(config_.quantiles, one_step, value);
  std::copy_n(one_step, tile.quantiles.size(), tile.quantiles.begin());
  layout_.calibration().CorrectOneStep(layout_.calibration(row), tile.quantiles.data());
  return Surprise(config_.quantiles, tile.quantiles.data(), value);
}

// The input, and what a probe learns from, are taken now: the ring goes on before the tile is full.
void CpuEngine::AddToken(const Run& run, std::byte* row, float* forecast, Tile& tile) const {
  const RowHeader& header = layout_.header(row);
  const size_t ring = static_cast<size_t>(config_.ring);
  const size_t since_fold = header.seq % static_cast<uint64_t>(config_.fold_every);
  const Scaling scaling =
      BuildInput(layout_.ring(row), ring, header.seq % ring, header.statistics, tile.window, tile.input[tile.size]);
  const bool probes = layout_.calibration().Probes(header.seq);
  if (probes) layout_.calibration().Gather(header.seq, layout_.ring(row), tile.judging[tile.size]);
  tile.tokens[tile.size++] = {.row = row,
                              .seq = header.seq,
                              .age = since_fold + 1,
                              .folds = since_fold + 1 == static_cast<size_t>(config_.fold_every),
                              .probes = probes,
                              .wanted = forecast != nullptr,
                              .calibrated = run.calibrated,
                              .forecast = forecast,
                              .scaling = scaling,
                              .followed = false,
                              .next_value = kMissing,
                              .next_surprise = nullptr};
}

// Sends the tile through the network, learns from its probes and empties it. The last forecast of a row stays there,
// as the network made it, for the surprise of a later call.
void CpuEngine::Finish(Tile& tile) const {
  if (tile.size == 0) return;
  Forward(config_, weights_, layout_, tile);
  for (size_t t = 0; t < tile.size; ++t) {
    const TileToken& token = tile.tokens[t];
    float* state = layout_.calibration(token.row);
    if (token.probes) layout_.calibration().Learn(token.seq, tile.judging[t], token.forecast, state);
    if (!token.wanted) continue;
    if (!token.followed) std::copy_n(token.forecast, config_.quantiles.size(), layout_.one_step(token.row));
    if (token.calibrated) layout_.calibration().Correct(state, token.forecast);
    if (token.next_surprise != nullptr) {
      *token.next_surprise = Surprise(config_.quantiles, token.forecast, token.next_value);
    }
  }
  tile.size = 0;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Engine>> NewCpuEngine(const ModelPackage& package) {
  if (!HasFma()) {
    return absl::FailedPreconditionError("this CPU has no fused multiply-add (x86: AVX2 and FMA), so no exact tier");
  }
  return std::make_unique<CpuEngine>(package);
}

}  // namespace aaren
