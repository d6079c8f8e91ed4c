#include "model/engine/forecasting/extension/second_view.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "model/math/scaling.h"

namespace aaren::engine {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();
constexpr double kLeastRate = 0.002;               // the usual error moves no slower
constexpr double kLeastError = 1e-4;               // units: a smaller error weighs no more
constexpr double kFarthest = 12.0;                 // units: the most that an error counts
constexpr double kFarthestView = 6.0;              // units: the most that the views' distance counts
constexpr double kYoung = 200.0, kAgeing = 800.0;  // tokens until the share begins, and until the share is whole
constexpr double kWorse = 1.1, kFading = 0.1;      // the share ends where the view errs so many times as much

size_t Octave(size_t step) { return static_cast<size_t>(std::bit_width(step)) - 1; }

}  // namespace

struct SecondView::Evidence {
  float squares;      // S: of distances, each by 1 / usual error
  float products;     // g: of distances and errors
  float judged;       // N
  float view_error;   // E_v: sums of errors, in units
  float mixed_error;  // E_b
  float usual;        // m: the mixed forecast's usual error, in units
};

SecondView::SecondView(const Probes& probes, const Prior& prior)
    : probes_(probes),
      prior_(prior),
      octaves_(Octave(probes.tracked().back().step + 1) - Octave(probes.tracked().front().step + 1) + 1),
      views_(octaves_ * sizeof(Evidence) / sizeof(float)),
      medians_(views_ + probes.kept()),
      units_(medians_ + probes.kept()),
      next_(units_ + probes.tracked().back().kept) {}

SecondView::Evidence& SecondView::At(size_t octave, float* state) const {
  return reinterpret_cast<Evidence*>(state)[octave];
}

void SecondView::Reset(float* state) const {
  std::fill_n(state, views_, 0.0f);
  std::fill_n(state + views_, units_ - views_, kMissing);
  std::fill_n(state + units_, probes_.tracked().back().kept, 0.0f);
  Next(state) = kMissing;
}

// Least squares of the error on the distance of the views. Each term is weighed by the inverse of the error, so that a
// few large errors do not decide.
void SecondView::Judge(double error, double distance, Evidence& evidence) const {
  const double miss = std::clamp(error, -kFarthest, kFarthest);
  const double far = std::clamp(distance, -kFarthestView, kFarthestView);
  const double usual =
      evidence.usual + (std::abs(miss) - evidence.usual) * std::max(1.0 / (evidence.judged + 1.0), kLeastRate);
  const double most = std::max({std::abs(miss), usual, kLeastError});
  evidence.usual = static_cast<float>(usual);
  evidence.squares = static_cast<float>(evidence.squares + far * far / most);
  evidence.products = static_cast<float>(evidence.products + far * miss / most);
  evidence.view_error = static_cast<float>(evidence.view_error + std::min(std::abs(error - distance), kFarthest));
  evidence.mixed_error = static_cast<float>(evidence.mixed_error + std::abs(miss));
  evidence.judged += 1.0f;
}

void SecondView::Learn(uint64_t seq, const Lesson& lesson, float* state) const {
  const uint64_t probe = probes_.Number(seq);
  const double kept_share = 1.0 - static_cast<double>(probes_.every()) / prior_.memory;
  for (size_t octave = 0; octave < octaves_; ++octave) {
    Evidence& evidence = At(octave, state);
    for (float* sum :
         {&evidence.squares, &evidence.products, &evidence.judged, &evidence.view_error, &evidence.mixed_error}) {
      *sum = static_cast<float>(*sum * kept_share);
    }
  }
  for (size_t k = 0; k < probes_.tracked().size(); ++k) {
    const Probes::Tracked& tracked = probes_.tracked()[k];
    const size_t place = probes_.Place(tracked, probe);
    float& view = state[views_ + place];
    float& median = state[medians_ + place];
    const double unit =
        probe < tracked.kept ? 0.0 : state[units_ + (probe - tracked.kept) % probes_.tracked().back().kept];
    if (unit > 0.0 && !std::isnan(view) && !std::isnan(lesson.values[k])) {
      Judge((static_cast<double>(lesson.values[k]) - median) / unit, (static_cast<double>(view) - median) / unit,
            At(OctaveOf(tracked.step + 1), state));
    }
    view = lesson.views[k];
    median = lesson.medians[k];
  }
  state[units_ + probe % probes_.tracked().back().kept] = lesson.unit;
}

double SecondView::Weight(uint64_t seq, const Evidence& evidence) const {
  const double age = std::clamp((static_cast<double>(seq + 1) - kYoung) / kAgeing, 0.0, 1.0);
  const double better = kWorse * evidence.mixed_error - evidence.view_error, fading = kFading * evidence.mixed_error;
  const double trusted = fading > 0.0 ? std::clamp(better / fading, 0.0, 1.0) : better < 0.0 ? 0.0 : 1.0;
  const double share = prior_.share * age * trusted;
  if (!(evidence.squares > 0.0f && evidence.judged > 0.0f)) return share;
  const double prior = prior_.judgements / evidence.judged, squares = evidence.squares;
  return std::clamp((evidence.products + squares * prior * share) / (squares * (1.0 + prior)), 0.0, 1.0);
}

// Steps below the first tracked horizon count in its octave.
size_t SecondView::OctaveOf(size_t step) const {
  const size_t first = Octave(probes_.tracked().front().step + 1);
  return std::clamp(Octave(step), first, first + octaves_ - 1) - first;
}

double SecondView::WeightAt(uint64_t seq, const float* state, size_t step) const {
  return Weight(seq, reinterpret_cast<const Evidence*>(state)[OctaveOf(step)]);
}

float SecondView::Way(double weight, float unit, float view, float median) {
  const double most = kFarthestView * unit;
  return math::ToFloat(weight * std::clamp(static_cast<double>(view) - median, -most, most));
}

void SecondView::Move(uint64_t seq, const float* state, float unit, absl::Span<const float> view, size_t levels,
                      float* forecast) const {
  double weight = 0.0;
  for (size_t step = 1; step <= view.size(); ++step, forecast += levels) {
    if (std::has_single_bit(step)) weight = WeightAt(seq, state, step);
    if (std::isnan(view[step - 1])) continue;
    const float way = Way(weight, unit, view[step - 1], forecast[levels / 2]);
    for (size_t i = 0; i < levels; ++i) forecast[i] = math::ToForecast(forecast[i] + way);
  }
}

void SecondView::Shift(double distance, float* state) const {
  std::for_each(state + views_, state + units_, [=](float& median) { median = math::Shifted(median, distance); });
  Next(state) = math::Shifted(Next(state), distance);
}

absl::Status SecondView::Check(uint64_t seq, const float* state) const {
  const bool fresh = seq < probes_.every();
  constexpr double kMostSum = 1e9;  // above the sum of terms of the least error
  for (size_t i = 0; i < state_size(); ++i) {
    const float number = state[i];
    const bool kept = i >= views_ && i < units_, next = i == next_, unit = i >= units_ && !next;
    const bool product = i < views_ && i % 6 == 1;
    bool possible;
    if (kept || next) {
      possible = std::isnan(number) || (std::isfinite(number) && seq > 0 && !(kept && fresh));
    } else {
      const double most = fresh ? 0.0 : unit ? std::numeric_limits<float>::max() : kMostSum;
      possible = std::abs(number) <= most && (product || number >= 0.0f);
    }
    if (possible) continue;
    return absl::DataLossError(
        absl::StrCat("row: number ", i, " of the second view is ", number, ", impossible after ", seq, " tokens"));
  }
  return absl::OkStatus();
}

}  // namespace aaren::engine
