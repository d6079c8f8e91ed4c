#include "model/engine/forecasting/row.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "model/math/lanes.h"

namespace aaren::engine {
namespace {

constexpr size_t kRowAlignment = 64;  // bytes: a cache line
constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();
constexpr SecondView::Prior kViewPrior{.share = 0.4, .judgements = 200.0, .memory = 1500.0};
constexpr double kEmptyPeak = -std::numeric_limits<double>::infinity();

// RowHeader has no padding, whose bytes could differ between equal rows.
static_assert(std::is_trivially_copyable_v<RowHeader> && sizeof(RowHeader) == 48);

size_t RoundUp(size_t bytes) { return (bytes + kRowAlignment - 1) / kRowAlignment * kRowAlignment; }

template <typename T>
absl::Status Impossible(absl::string_view field, T value, absl::string_view reason) {
  return absl::DataLossError(absl::StrCat("row: ", field, " is ", value, ", ", reason));
}

}  // namespace

RowLayout::Sizes::Sizes(const package::ForecasterConfig& config)
    : quantiles(config.quantiles.size()),
      layers(static_cast<size_t>(config.layers)),
      heads(static_cast<size_t>(config.heads)),
      output_width(math::PadToLanes(static_cast<size_t>(config.value_width))),
      fold_every(static_cast<size_t>(config.fold_every)),
      history(static_cast<uint64_t>(config.history)) {}

RowLayout::Places::Places(const RowLayout& row)
    : calibration(sizeof(RowHeader) + sizeof(Support) + (row.sizes_.quantiles + season::kSourceCount) * sizeof(float)),
      mixture(calibration + row.calibration_.state_size() * sizeof(float)),
      choices(mixture + row.mixture_.state_size() * sizeof(float)),
      errors(choices + row.probes().under_way() * sizeof(season::SeasonChoice)),
      values(errors + sizeof(season::LagErrors)),
      layers(RoundUp(values + sizeof(season::ValueMemory))),
      layer_bytes((row.sizes_.output_width + 2 * row.sizes_.heads) * sizeof(double)),
      covariates(RoundUp(layers + row.sizes_.layers * layer_bytes)),
      far(covariates + (row.covariates_ ? row.covariates_->state_bytes() : 0)),
      profile(far + (row.far_ ? row.far_->state_size() : 0) * sizeof(float)),
      view(RoundUp(profile +
                   (row.second_view_ ? sizeof(season::Profile) + row.second_view_->state_size() * sizeof(float) : 0))),
      bytes(view + (row.second_view_ ? 2 * covariates : 0)) {}

RowLayout::RowLayout(const package::ForecasterConfig& config, const RowKind& kind)
    : calibration_(config),
      mixture_(config),
      far_(kind.extended ? std::make_optional<FarHorizons>(config, kind.extension.profile) : std::nullopt),
      covariates_(kind.extension.covariates() > 0
                      ? std::make_optional<Covariates>(kind.extension.past, kind.extension.future, probes().every())
                      : std::nullopt),
      second_view_(kind.extension.profile ? std::make_optional<SecondView>(probes(), kViewPrior) : std::nullopt),
      sizes_(config),
      places_(*this) {}

LayerState RowLayout::layer(std::byte* row, size_t layer) const {
  double* output = reinterpret_cast<double*>(row + places_.layers + layer * places_.layer_bytes);
  return {
      .output = output, .weight = output + sizes_.output_width, .peak = output + sizes_.output_width + sizes_.heads};
}

season::SeasonChoice RowLayout::Choice(uint64_t seq, std::byte* row) const {
  const uint64_t made = (seq + 1) / probes().every();
  return made == 0 ? season::SeasonChoice() : choices(row)[(made - 1) % probes().under_way()];
}

void RowLayout::KeepChoice(uint64_t seq, const season::SeasonChoice& choice, std::byte* row) const {
  choices(row)[probes().Number(seq) % probes().under_way()] = choice;
}

bool RowLayout::IsFarFromOrigin(std::byte* row) const {
  return values(row).FarFromOrigin(header(row).statistics.variance) != 0.0;
}

void RowLayout::MoveOrigin(std::byte* row) const {
  const double distance = MovePlainOrigin(row);
  if (distance == 0.0) return;
  if (far_) far_->Shift(distance, far(row));
  if (!second_view_) return;
  profile(row).Shift(distance);
  second_view_->Shift(distance, second_view(row));
}

void RowLayout::MoveOriginOfView(std::byte* view) const { MovePlainOrigin(view); }

// Returns by how much the origin moved.
double RowLayout::MovePlainOrigin(std::byte* row) const {
  RowHeader& head = header(row);
  season::ValueMemory& memory = values(row);
  const double before = std::exchange(head.origin, head.origin + memory.FarFromOrigin(head.statistics.variance));
  const double distance = head.origin - before;
  if (distance == 0.0) return 0.0;  // the origin is too large for the newest value to change
  head.statistics.mean -= distance;
  std::for_each_n(one_step(row), sizes_.quantiles + season::kSourceCount,
                  [=](float& number) { number = math::Shifted(number, distance); });
  calibration_.Shift(distance, calibration(row));
  mixture_.Shift(distance, mixture(row));
  memory.Shift(head.seq, distance);
  return distance;
}

void RowLayout::Reset(absl::Span<std::byte> row) const {
  std::fill(row.begin(), row.end(), std::byte{0});
  ResetView(row.data());
  if (far_) far_->Reset(far(row.data()));
  if (covariates_) covariates_->Reset(covariates(row.data()));
  if (!second_view_) return;
  profile(row.data()).Reset();
  second_view_->Reset(second_view(row.data()));
  ResetView(view(row.data()));
  ResetView(half(row.data()));
}

// Makes `row` a plain row of a series that has seen nothing.
void RowLayout::ResetView(std::byte* row) const {
  std::fill_n(row, places_.covariates, std::byte{0});
  std::fill_n(one_step(row), sizes_.quantiles + season::kSourceCount, kMissing);
  calibration_.Reset(calibration(row));
  mixture_.Reset(mixture(row));
  errors(row).Reset();
  values(row).Reset();
  support(row).Reset();
  for (size_t i = 0; i < sizes_.layers; ++i) std::fill_n(layer(row, i).peak, sizes_.heads, kEmptyPeak);
}

uint64_t RowLayout::seq(absl::Span<const std::byte> row) const {
  uint64_t seq;
  std::memcpy(&seq, row.data() + offsetof(RowHeader, seq), sizeof(seq));
  return seq;
}

absl::Status RowLayout::Check(absl::Span<const std::byte> row, absl::Span<const LayerBound> bounds) const {
  if (row.size() != places_.bytes) return Impossible("its length", row.size(), absl::StrCat("not ", places_.bytes));
  // A row from outside may be unaligned, so the checks read an aligned copy.
  const auto aligned = std::make_unique<std::byte[]>(places_.bytes);
  std::memcpy(aligned.get(), row.data(), places_.bytes);
  const uint64_t seq = header(aligned.get()).seq;
  absl::Status status = CheckPlain(aligned.get(), seq / sizes_.fold_every, bounds);
  if (status.ok() && far_) status = far_->Check(seq, far(aligned.get()));
  if (status.ok() && covariates_) status = covariates_->Check(covariates(aligned.get()));
  if (status.ok() && second_view_) status = CheckView(aligned.get(), bounds);
  return status;
}

absl::Status RowLayout::CheckPlain(std::byte* row, uint64_t folds, absl::Span<const LayerBound> bounds) const {
  const RowHeader& head = header(row);
  absl::Status status = CheckHeader(head);
  if (status.ok()) status = CheckOneStep(head, one_step(row));
  if (status.ok()) status = calibration_.Check(head.seq, calibration(row));
  if (status.ok()) status = mixture_.Check(head.seq, mixture(row));
  if (status.ok()) status = CheckChoices(head, choices(row));
  if (status.ok()) status = errors(row).Check(head.seq);
  if (status.ok()) status = values(row).Check(head.seq);
  if (status.ok()) status = support(row).Check();
  for (size_t i = 0; i < sizes_.layers && status.ok(); ++i) status = CheckLayer(folds, i, layer(row, i), bounds[i]);
  return status;
}

absl::Status RowLayout::CheckView(std::byte* row, absl::Span<const LayerBound> bounds) const {
  const uint64_t seq = header(row).seq, of_view = header(view(row)).seq;
  if (absl::Status status = profile(row).Check(seq); !status.ok()) return status;
  if (absl::Status status = second_view_->Check(seq, second_view(row)); !status.ok()) return status;
  if (of_view > seq - profile(row).behind || (profile(row).season == 0 && of_view > 0)) {
    return Impossible("seq of the second view", of_view, absl::StrCat("impossible after ", seq, " tokens"));
  }
  absl::Status status = CheckPlain(view(row), of_view / sizes_.fold_every, bounds);
  if (!status.ok()) return absl::DataLossError(absl::StrCat("second view: ", status.message()));
  const uint64_t of_half = header(half(row)).seq;
  if (of_half != of_view / 2) {
    return Impossible("seq of the half-rate view", of_half,
                      absl::StrCat("impossible after ", of_view, " of the second"));
  }
  // The newest token folds with the next token of the second view.
  status = CheckPlain(half(row), (of_half - (of_half > 0 && of_view % 2 == 0)) / sizes_.fold_every, bounds);
  if (!status.ok()) status = absl::DataLossError(absl::StrCat("half-rate view: ", status.message()));
  return status;
}

absl::Status RowLayout::CheckHeader(const RowHeader& header) const {
  const math::Statistics& statistics = header.statistics;
  if (header.seq >> 62 != 0) return Impossible("seq", header.seq, "more tokens than anyone can send");
  if (header.claimed != 0) return Impossible("claimed", header.claimed, "not 0");
  if (statistics.count > sizes_.history)
    return Impossible("count", statistics.count, absl::StrCat("more than ", sizes_.history));
  if (statistics.count > header.seq) {
    return Impossible("count", statistics.count, absl::StrCat("more than seq, which is ", header.seq));
  }
  if (statistics.far >= math::Statistics::kFarRun) return Impossible("far", statistics.far, "a new level by then");
  if (statistics.far > statistics.count) return Impossible("far", statistics.far, "more than all values");
  // The factor 1.001 allows for the rounding of a mean of many largest values.
  const double most = statistics.count == 0 ? 0.0 : 1.001 * math::kLargestDistance;
  if (!(std::abs(header.origin) <= (statistics.count == 0 ? 0.0 : 1.001 * math::kLargestValue))) {
    return Impossible("origin", header.origin, "beyond all values");
  }
  if (!(std::abs(statistics.mean) <= most)) return Impossible("mean", statistics.mean, absl::StrCat("beyond ", most));
  // Values within +-most differ from their mean by at most 2 most, so the variance is at most 4 most^2.
  if (!(statistics.variance >= 0.0 && statistics.variance <= 4.0 * most * most)) {
    return Impossible("variance", statistics.variance, "impossible for such values");
  }
  return absl::OkStatus();
}

absl::Status RowLayout::CheckOneStep(const RowHeader& header, const float* one_step) const {
  const bool has_forecast = !std::isnan(one_step[0]);
  if (has_forecast && header.seq == 0) return Impossible("one_step[0]", one_step[0], "before the first token");
  for (size_t i = 0; i < sizes_.quantiles; ++i) {
    const float below = i == 0 ? one_step[0] : one_step[i - 1];
    const bool valid = has_forecast ? std::isfinite(one_step[i]) && one_step[i] >= below : std::isnan(one_step[i]);
    if (!valid) return Impossible(absl::StrCat("one_step[", i, "]"), one_step[i], "not a quantile above the last");
  }
  for (size_t i = 0; i < season::kSourceCount; ++i) {
    const float source = one_step[sizes_.quantiles + i];
    if (has_forecast ? std::isfinite(source) : std::isnan(source)) continue;
    return Impossible(absl::StrCat("one_step source ", i), source, has_forecast ? "not a value" : "of no forecast");
  }
  return absl::OkStatus();
}

absl::Status RowLayout::CheckChoices(const RowHeader& header, const season::SeasonChoice* choices) const {
  for (size_t i = 0; i < probes().under_way(); ++i) {
    for (uint16_t lag : {choices[i].first, choices[i].second}) {
      const bool chosen = lag >= season::kShortestSeason && lag <= season::kLags.back() && lag < header.seq;
      if (lag != 0 && !chosen) return Impossible(absl::StrCat("choice ", i), lag, "no season yet");
    }
  }
  return absl::OkStatus();
}

// True for a layer that has folded nothing yet: regular holes put off the first fold (rule 4.4).
bool RowLayout::IsEmpty(const LayerState& state) const {
  return std::all_of(state.peak, state.peak + sizes_.heads, [](double peak) { return peak == kEmptyPeak; });
}

absl::Status RowLayout::CheckLayer(uint64_t folds, size_t index, const LayerState& state,
                                   const LayerBound& bound) const {
  if (IsEmpty(state)) folds = 0;
  for (size_t h = 0; h < sizes_.heads; ++h) {
    if (absl::Status status = CheckHead(folds, index, h, state, bound); !status.ok()) return status;
  }
  for (size_t i = 0; i < sizes_.output_width; i += 2) {
    const double* pair = state.output + i;
    const double most = folds == 0 ? 0.0 : bound.output[i / 2];
    if (std::sqrt(pair[0] * pair[0] + pair[1] * pair[1]) <= most) continue;
    const size_t worse = std::isnan(pair[0]) || std::abs(pair[0]) >= std::abs(pair[1]) ? i : i + 1;
    return Impossible(absl::StrCat("layer ", index, " o[", worse, "]"), state.output[worse],
                      absl::StrCat("impossible after ", folds, " folds: its pair is at most ", most, " long"));
  }
  return absl::OkStatus();
}

// Checks one head. After the first fold, c counts at least the largest term, which has weight 1, and at most 1 for each
// fold. 1.001 allows for rounding.
absl::Status RowLayout::CheckHead(uint64_t folds, size_t index, size_t head, const LayerState& state,
                                  const LayerBound& bound) const {
  const bool empty = folds == 0;
  const double c = state.weight[head];
  const double m = state.peak[head];
  if (empty ? c != 0.0 : !(c >= 1.0 && c <= 1.001 * static_cast<double>(folds))) {
    return Impossible(absl::StrCat("layer ", index, " c[", head, "]"), c,
                      absl::StrCat("impossible after ", folds, " folds"));
  }
  if (empty ? m != kEmptyPeak : !(std::abs(m) <= bound.peak[head])) {
    return Impossible(absl::StrCat("layer ", index, " m[", head, "]"), m,
                      absl::StrCat("impossible after ", folds, " folds: at most ", bound.peak[head]));
  }
  return absl::OkStatus();
}

}  // namespace aaren::engine
