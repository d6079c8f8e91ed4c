#include "model/engine/forecasting/forecasting_task.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "model/engine/forecast_result.h"
#include "model/engine/forecasting/refinement/level_place.h"
#include "model/engine/forecasting/refinement/surprise.h"
#include "model/engine/forecasting/row.h"
#include "model/engine/forecasting/tile.h"
#include "model/engine/forecasting/weights.h"
#include "model/engine/network/layer_bound.h"
#include "model/season/lag_search.h"
#include "model/season/seasonal_input.h"
#include "model/season/seasons.h"
#include "model/season/sources.h"
#include "model/season/thinning.h"

namespace aaren::engine {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();
constexpr int kOlder = season::ValueMemory::kValues - 1;

constexpr uint32_t kLearned = 100;     // values after which a surprise may be believed
constexpr float kLearnedScore = 0.5f;  // of a season after which a surprise may be believed before
constexpr double kMost = math::kLargestValue;

// A number, within the values that a row takes; NaN stays.
double Bounded(double value) { return std::abs(value) < math::kLeastValue ? 0.0 : std::clamp(value, -kMost, kMost); }

// The numbers of token i of a run.
const float* InputsOf(const Run& run, size_t i) { return &run.values[run.values.size() / run.forecast.size() * i]; }

// The value of token i of a run.
double ValueOf(const Run& run, size_t i) {
  const float* inputs = InputsOf(run, i);
  return Bounded(run.values.size() == run.forecast.size() ? static_cast<double>(*inputs) : DoubleAt(inputs));
}

// True if a value is still to tell what is usual for the series.
bool IsLearning(uint64_t seq, uint32_t count, const season::LagErrors& errors, const season::SeasonChoice& choice) {
  if (count >= kLearned) return false;
  if (choice.first == 0 || seq < 2 * uint64_t{choice.first}) return true;
  const float score = season::DescribeSeasons(seq, errors, choice).first.score;  // 0: none
  return !(score > 0.0f && score < kLearnedScore);
}

// The value relative to the origin, as rows keep values.
float Relative(double value, double origin) { return std::isnan(value) ? kMissing : math::ToForecast(value - origin); }

class ForecastingTask final : public Task {
 public:
  ForecastingTask(const package::ForecasterConfig& config, std::vector<LayerBound> bounds,
                  std::shared_ptr<const Network> network, const RowKind& rows)
      : config_(config), rows_(rows), layout_(config, rows), bounds_(std::move(bounds)), network_(std::move(network)) {}

  std::unique_ptr<Task> WithCovariates(uint32_t past, uint32_t future) const override {
    if (!rows_.extended) return nullptr;
    return std::make_unique<ForecastingTask>(config_, bounds_, network_, RowKind{true, past, future});
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
  // The last step that a forecast may have.
  uint32_t last_step() const { return layout_.far() ? FarHorizons::kLast : static_cast<uint32_t>(config_.horizon); }
  FarHorizons::Near NearOf(Tile& tile, size_t t, const float* forecast) const;
  size_t quantiles() const { return static_cast<size_t>(config_.horizon) * config_.quantiles.size(); }

  void TakeRun(const Run& run, std::byte* row, Tile& tile) const;
  double TakeCovariates(const Run& run, size_t i, std::byte* row) const;
  void TakeValue(double value, double x, std::byte* row) const;
  void TakeSurprise(const Run& run, size_t i, double x, std::byte* row, TileToken* pending, Tile& tile) const;
  SurpriseRange RangeOf(float value, std::byte* row, Tile& tile) const;
  float OneStepSurprise(const Run& run, float value, std::byte* row, Tile& tile) const;
  void AddToken(const Run& run, size_t i, std::byte* row, float* forecast, Tile& tile) const;
  void AddEffects(const Run& run, size_t i, const TileToken& token, Tile& tile) const;
  season::Past PlacesOf(const season::Past& past, const season::Thinning& thinning, Tile& tile) const;
  void AddSources(const season::Past& places, const TileToken& token, Tile& tile) const;
  void AddFarSources(const season::Past& places, const TileToken& token, Tile& tile) const;
  bool SelectsFar(const TileToken& token) const {
    return token.wanted && token.selection != nullptr && !token.selection->steps.empty() &&
           token.selection->steps.back() > static_cast<uint32_t>(config_.horizon);
  }
  void AddSeasons(const season::Past& places, const TileToken& token, Tile& tile) const;
  void AddEvidence(const season::Past& past, double scale, std::byte* row, Tile& tile) const;
  void BeginTile(Tile& tile) const;
  void FinishTile(Tile& tile) const;
  void Refine(Tile& tile) const;
  void RefineWanted(Tile& tile, size_t t) const;
  float* SelectedPart(const TileToken& token) const { return token.forecast + result_floats(); }
  void Select(Tile& tile, size_t t) const;
  void LearnCovariates(Tile& tile, size_t t) const;
  void KeepOneStep(Tile& tile, size_t t) const;
  void Learn(Tile& tile, size_t t) const;
  void Mix(Tile& tile, size_t t, float* forecast) const;

  package::ForecasterConfig config_;
  RowKind rows_;
  RowLayout layout_;
  std::vector<LayerBound> bounds_;  // the bounds of each layer, which CheckRow applies
  std::shared_ptr<const Network> network_;
};

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

void ForecastingTask::TakeRun(const Run& run, std::byte* row, Tile& tile) const {
  RowHeader& header = layout_.header(row);
  float* forecast = run.forecasts;
  TileToken* pending = nullptr;  // the token before, if its forecast is still to be made
  for (size_t i = 0; i < run.forecast.size(); ++i, ++header.seq) {
    // Tokens that wait in the tile are relative to the origin as it is, so the tile goes first.
    if (header.seq % season::ValueMemory::kBlock == 0 && header.seq > 0 && layout_.IsFarFromOrigin(row)) {
      FinishTile(tile);
      pending = nullptr;
      layout_.MoveOrigin(row);
    }
    // The surprise comes first, because it judges the row as it was before the value (rule 1.3).
    const double value = ValueOf(run, i), x = layout_.covariates() ? TakeCovariates(run, i, row) : value;
    TakeSurprise(run, i, x, row, pending, tile);
    TakeValue(value, x, row);
    pending = nullptr;
    const bool wanted = run.forecast[i] != 0;
    // A row keeps a one-step forecast of the newest token only (rule 8.1), so a token without a forecast clears that.
    if (!wanted) std::fill_n(layout_.one_step(row), config_.quantiles.size() + season::kSourceCount, kMissing);
    const bool folds = (header.seq + 1) % static_cast<uint64_t>(config_.fold_every) == 0;
    if (!wanted && !folds && !layout_.probes().At(header.seq)) continue;

    AddToken(run, i, row, wanted ? forecast : nullptr, tile);
    if (wanted) {
      forecast += result_floats() + (run.selection == nullptr ? 0 : run.selection->floats());
      pending = &tile.tokens[tile.size - 1];
    }
    // A probe that learns of covariates changes the next value that the row takes, so the probe does not wait.
    const bool learns = layout_.covariates() && layout_.probes().At(header.seq);
    if (tile.size == tile.capacity() || learns) {
      FinishTile(tile);
      pending = nullptr;
    }
  }
}

// Returns the value less the effect of its future covariates.
double ForecastingTask::TakeCovariates(const Run& run, size_t i, std::byte* row) const {
  const float* now = InputsOf(run, i) + kFloatsOfDouble;
  return Bounded(ValueOf(run, i) - layout_.covariates()->Take(layout_.header(row).seq, now, layout_.covariates(row)));
}

// Takes a value, and x, which is the value less the effect of covariates. A row remembers x; a series' possible values
// are of the value itself.
void ForecastingTask::TakeValue(double value, double x, std::byte* row) const {
  RowHeader& header = layout_.header(row);
  if (header.statistics.count == 0 && !std::isnan(value)) header.origin = x;
  const float relative = Relative(x, header.origin);
  if (!std::isnan(value)) {
    if (header.statistics.Believes(relative)) layout_.support(row).Add(value);
    header.statistics.Add(relative, static_cast<uint64_t>(config_.history));
  }
  const season::Bounds bounds = season::ReachOf(header.statistics);
  layout_.values(row).Add(header.seq, relative, bounds);
  layout_.errors(row).Add(header.seq, relative, bounds, layout_.values(row));
}

// Writes the surprise of token i under the forecast of the token before. If that forecast is not made yet, the token
// before keeps the value and the place of the surprise.
void ForecastingTask::TakeSurprise(const Run& run, size_t i, double x, std::byte* row, TileToken* pending,
                                   Tile& tile) const {
  float* surprise = run.surprises == nullptr ? nullptr : run.surprises + i;
  const float value = Relative(x, layout_.header(row).origin);
  if (pending != nullptr) {
    pending->followed = true;
    pending->next_value = value;
    pending->next_surprise = surprise;
    if (surprise != nullptr) pending->next_range = RangeOf(value, row, tile);
  } else if (surprise != nullptr) {
    *surprise = OneStepSurprise(run, value, row, tile);
  }
}

// The range of the surprise of a value that the row has not taken yet.
SurpriseRange ForecastingTask::RangeOf(float value, std::byte* row, Tile& tile) const {
  SurpriseRange range;
  const RowHeader& header = layout_.header(row);
  if (std::isnan(value) || !layout_.support(row).IsFew()) return range;
  const float* newest = layout_.values(row).Unroll(header.seq - 1, season::ReachOf(header.statistics), tile.values);
  range.Count(newest, std::min<uint64_t>(header.seq, kOlder), value, layout_.support(row).span);
  return range;
}

// The surprise under the forecast that the row keeps, made from the token before. The row has learned nothing since, so
// the forecast is refined exactly as before.
float ForecastingTask::OneStepSurprise(const Run& run, float value, std::byte* row, Tile& tile) const {
  const float* one_step = layout_.one_step(row);
  if (std::isnan(one_step[0])) return kMissing;
  float* quantiles = tile.quantiles.data();
  std::copy_n(one_step, tile.quantiles.size(), quantiles);
  if (run.refinement != Refinement::kNetwork) {
    layout_.mixture().MixOneStep(layout_.header(row).seq - 1, layout_.mixture(row), layout_.errors(row).unit,
                                 layout_.one_step_sources(row), quantiles);
  }
  if (run.refinement >= Refinement::kCalibrated) {
    layout_.calibration().CorrectOneStep(layout_.calibration(row), quantiles);
  }
  return RangeOf(value, row, tile).Apply(Surprise(config_.quantiles, quantiles, value));
}

// The input and a probe's evidence are computed now, because the row changes before the tile is full.
void ForecastingTask::AddToken(const Run& run, size_t i, std::byte* row, float* forecast, Tile& tile) const {
  const RowHeader& header = layout_.header(row);
  const uint32_t count = header.statistics.count;
  const float* newest = layout_.values(row).Unroll(header.seq, season::ReachOf(header.statistics), tile.values);
  const season::Past past{newest, kOlder, layout_.values(row).typical, static_cast<int>(header.statistics.far)};
  const season::Thinning thinning = season::ThinningOf(newest);
  const season::Past places = PlacesOf(past, thinning, tile);
  const math::Scaling scaling = BuildInput(places.newest, static_cast<size_t>(config_.ring),
                                           {header.statistics, header.origin}, tile.window, tile.input[tile.size]);
  const bool probes = layout_.probes().At(header.seq) && count > 0;
  if (probes) AddEvidence(past, scaling.scale, row, tile);
  const season::SeasonChoice choice = layout_.Choice(header.seq, row);
  const uint64_t every = static_cast<uint64_t>(thinning.every),
                 fold_every = every * static_cast<uint64_t>(config_.fold_every);
  TileToken& token = tile.tokens[tile.size];
  token = {.row = row,
           .seq = header.seq,
           .age = header.seq % fold_every / every + 1,
           .folds = (header.seq + 1) % fold_every == 0,
           .probes = probes,
           .wanted = forecast != nullptr,
           .refinement = run.refinement,
           .forecast = forecast,
           .scaling = scaling,
           .thinning = thinning,
           .unit = layout_.errors(row).unit,
           .support = layout_.support(row),
           .count = count,
           .mean = static_cast<float>(header.statistics.mean),
           .tail = {header.origin, forecast != nullptr && IsLearning(header.seq, count, layout_.errors(row), choice)},
           .selection = run.selection,
           .followed = false,
           .next_value = kMissing,
           .next_range = {},
           .next_surprise = nullptr};
  if (config_.seasons) AddSeasons(places, token, tile);
  if (token.forecasts()) AddSources(places, token, tile);
  if (SelectsFar(token)) AddFarSources(places, token, tile);
  if (layout_.covariates() && token.wanted && token.selection != nullptr) AddEffects(run, i, token, tile);
  ++tile.size;
}

// The past without regular holes.
season::Past ForecastingTask::PlacesOf(const season::Past& past, const season::Thinning& thinning, Tile& tile) const {
  return thinning.every == 1 ? past : season::Thinned(past, thinning, tile.places);
}

// Adds the naive forecasts: by tokens and in the units of the series for the mixture; by places and on the token's
// scale for a network with seasons.
void ForecastingTask::AddSources(const season::Past& places, const TileToken& token, Tile& tile) const {
  const size_t horizon = static_cast<size_t>(config_.horizon);
  float* sources = tile.sources[tile.size];
  season::WriteSources(places, season::Thinned(layout_.Choice(token.seq, token.row), token.thinning),
                       static_cast<float>(layout_.header(token.row).statistics.mean), horizon, sources);
  if (config_.seasons)
    season::StandardizeSources(sources, season::kSourceCount * horizon, token.scaling, tile.standard[tile.size]);
  for (size_t i = 0; i < season::kSourceCount && token.thinning.every > 1; ++i) {
    season::Spread(token.thinning, horizon, 1, sources + i * horizon);
  }
}

// Adds the effects of covariates on the selected steps.
void ForecastingTask::AddEffects(const Run& run, size_t i, const TileToken& token, Tile& tile) const {
  const size_t known = kFloatsOfDouble + layout_.covariates()->count();
  layout_.covariates()->WriteEffects(token.seq, token.selection->steps, InputsOf(run, i) + known,
                                     layout_.covariates(token.row), tile.effects[tile.size]);
}

// Adds the naive forecasts of all far steps.
void ForecastingTask::AddFarSources(const season::Past& places, const TileToken& token, Tile& tile) const {
  float* sources = tile.far_sources[tile.size];
  season::WriteSources(places, season::Thinned(layout_.Choice(token.seq, token.row), token.thinning), token.mean,
                       FarHorizons::kLast, sources);
  for (size_t i = 0; i < season::kSourceCount && token.thinning.every > 1; ++i) {
    season::Spread(token.thinning, FarHorizons::kLast, 1, sources + i * FarHorizons::kLast);
  }
}

// Adds the seasonal inputs of the network, except for the sources.
void ForecastingTask::AddSeasons(const season::Past& places, const TileToken& token, Tile& tile) const {
  constexpr size_t kResiduals = package::ForecasterConfig::kSeasonalResiduals;
  const int every = token.thinning.every;
  const season::SeasonChoice choice = season::Thinned(layout_.Choice(token.seq, token.row), token.thinning);
  float residuals[season::kSeasonSources * season::kJudgedResiduals];
  season::WriteStandardResiduals(places, choice, token.scaling.scale, season::kJudgedResiduals, residuals);
  double numbers[season::kSeasonalNumbers];
  season::WriteSeasonalNumbers(token.seq, layout_.errors(token.row), season::InTokens(choice, token.thinning),
                               residuals, every, numbers);
  AddSeasonalNumbers(numbers, tile.input[tile.size] + config_.ring + package::ForecasterConfig::kSummaries);
  float* newest = tile.residuals[tile.size];
  for (size_t i = 0; i < season::kSeasonSources * kResiduals; ++i) {
    const float residual = residuals[i / kResiduals * season::kJudgedResiduals + i % kResiduals];
    newest[i] = std::isnan(residual) ? 0.0f : residual;
  }
}

// Adds the evidence by which a probe judges. A probe also chooses the seasons and the unit of errors for all tokens
// until the next probe.
void ForecastingTask::AddEvidence(const season::Past& past, double scale, std::byte* row, Tile& tile) const {
  const RowHeader& header = layout_.header(row);
  const Probes& probes = layout_.probes();
  layout_.errors(row).SetUnit(scale);
  const season::SeasonChoice now = season::ChooseAndSearch(header.seq, past.newest, layout_.errors(row));
  layout_.calibration().probes().Gather(header.seq, past.newest, tile.judging[tile.size]);
  layout_.mixture().Gather(header.seq, past, static_cast<float>(header.statistics.mean), layout_.errors(row),
                           layout_.choices(row), now, tile.evidence[tile.size]);
  layout_.choices(row)[probes.Number(header.seq) % probes.under_way()] = now;
  if (!layout_.far()) return;
  layout_.far()->Gather(header.seq, past, static_cast<float>(header.statistics.mean), layout_.errors(row).unit, now,
                        layout_.far(row), tile.far_evidence[tile.size]);
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

// Refines what the network made of each token as far as asked. A row's last forecast stays in the row, unrefined, for
// the surprise of a later call.
void ForecastingTask::Refine(Tile& tile) const {
  for (size_t t = 0; t < tile.size; ++t) {
    const TileToken& token = tile.tokens[t];
    if (!token.forecasts()) continue;
    if (token.count == 0) std::fill_n(token.forecast, quantiles(), kMissing);  // nothing is known of the series
    if (token.thinning.every > 1) {
      season::Spread(token.thinning, static_cast<size_t>(config_.horizon), config_.quantiles.size(), token.forecast);
    }
    if (token.probes) Learn(tile, t);
    if (!token.wanted) continue;
    if (!token.followed) KeepOneStep(tile, t);
    token.tail.Write(token.forecast, quantiles());
    if (token.count > 0) {
      RefineWanted(tile, t);
      continue;
    }
    if (token.selection != nullptr) std::fill_n(SelectedPart(token), token.selection->floats(), kMissing);
    if (token.next_surprise != nullptr) *token.next_surprise = kMissing;
  }
}

// Refines a forecast for the call that asked for the forecast, and judges the next value if it came meanwhile.
void ForecastingTask::RefineWanted(Tile& tile, size_t t) const {
  const TileToken& token = tile.tokens[t];
  if (token.refinement != Refinement::kNetwork) Mix(tile, t, token.forecast);
  if (token.refinement >= Refinement::kCalibrated) {
    layout_.calibration().Correct(layout_.calibration(token.row), token.forecast);
  }
  if (token.next_surprise != nullptr) {
    *token.next_surprise = token.next_range.Apply(Surprise(config_.quantiles, token.forecast, token.next_value));
  }
  if (token.selection != nullptr) Select(tile, t);
  if (token.refinement != Refinement::kRestricted) return;
  // With covariates, only the selection is of the values whose support the row knows.
  if (!layout_.covariates()) token.support.Restrict(token.count, token.tail.origin, quantiles(), token.forecast);
  if (token.selection != nullptr) {
    token.support.Restrict(token.count, token.tail.origin, token.selection->floats(), SelectedPart(token));
  }
}

// Writes the selected steps and levels from the unrestricted forecast: the surprise is of an unrestricted forecast,
// too.
void ForecastingTask::Select(Tile& tile, size_t t) const {
  const TileToken& token = tile.tokens[t];
  const std::vector<float>& levels = token.selection->levels;
  const absl::Span<const uint32_t> steps = token.selection->steps;
  const auto horizon = static_cast<uint32_t>(config_.horizon);
  const size_t near = static_cast<size_t>(std::upper_bound(steps.begin(), steps.end(), horizon) - steps.begin());
  if (SelectsFar(token)) {
    layout_.far()->Extend(token.seq, NearOf(tile, t, token.forecast), tile.far_sources[t], steps.subspan(near),
                          layout_.far(token.row), tile.far.data());
  }
  for (size_t i = 0; i < levels.size(); ++i) {
    const LevelPlace place(config_.quantiles, levels[i]);
    float* out = SelectedPart(token) + i;
    for (size_t k = 0; k < steps.size(); ++k, out += levels.size()) {
      const float* from = k < near ? token.forecast + (steps[k] - 1) * config_.quantiles.size()
                                   : tile.far.data() + (k - near) * config_.quantiles.size();
      *out = place.In(from);
      if (layout_.covariates()) *out = math::ToForecast(static_cast<double>(*out) + tile.effects[t][k]);
    }
  }
}

FarHorizons::Near ForecastingTask::NearOf(Tile& tile, size_t t, const float* forecast) const {
  const TileToken& token = tile.tokens[t];
  return {.forecast = forecast,
          .sources = tile.sources[t],
          .errors = layout_.mixture().LastErrors(layout_.mixture(token.row)),
          .unit = token.unit,
          .mean = token.mean};
}

void ForecastingTask::KeepOneStep(Tile& tile, size_t t) const {
  const TileToken& token = tile.tokens[t];
  std::copy_n(token.forecast, config_.quantiles.size(), layout_.one_step(token.row));
  for (size_t i = 0; i < season::kSourceCount; ++i) {
    const float source = tile.sources[t][i * static_cast<size_t>(config_.horizon)];
    layout_.one_step_sources(token.row)[i] = token.count == 0 ? kMissing : source;
  }
}

// The row learns from a copy of the forecast, because learning must not depend on the refinement that a call asks for.
void ForecastingTask::Learn(Tile& tile, size_t t) const {
  const TileToken& token = tile.tokens[t];
  const int places = token.thinning.every;
  if (layout_.covariates()) LearnCovariates(tile, t);
  layout_.mixture().Learn(token.seq, {tile.evidence[t], token.forecast, places}, layout_.mixture(token.row));
  std::copy_n(token.forecast, tile.forecast.size(), tile.forecast.begin());
  Mix(tile, t, tile.forecast.data());
  layout_.calibration().Learn(token.seq, places, tile.judging[t], tile.forecast.data(), layout_.calibration(token.row));
  if (!layout_.far()) return;
  layout_.far()->Learn(token.seq, NearOf(tile, t, tile.forecast.data()), tile.far_evidence[t], layout_.far(token.row));
}

void ForecastingTask::LearnCovariates(Tile& tile, size_t t) const {
  const TileToken& token = tile.tokens[t];
  const Mixture& mixture = layout_.mixture();
  layout_.covariates()->Learn(token.seq,
                              {.horizons = mixture.probes().tracked(),
                               .values = tile.evidence[t] + 1,
                               .medians = mixture.Medians(layout_.mixture(token.row)),
                               .probes = mixture.probes(),
                               .unit = token.unit},
                              layout_.covariates(token.row));
}

void ForecastingTask::Mix(Tile& tile, size_t t, float* forecast) const {
  const TileToken& token = tile.tokens[t];
  layout_.mixture().Mix(token.seq, layout_.mixture(token.row), token.unit, tile.sources[t], forecast);
}

}  // namespace

std::unique_ptr<Task> NewForecastingTask(const package::ModelPackage& package, std::unique_ptr<const Network> network,
                                         const RowKind& rows) {
  return std::make_unique<ForecastingTask>(package.config, BoundsOf(package), std::move(network), rows);
}

}  // namespace aaren::engine
