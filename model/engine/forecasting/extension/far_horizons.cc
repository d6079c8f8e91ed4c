#include "model/engine/forecasting/extension/far_horizons.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>

#include "absl/strings/str_cat.h"
#include "model/engine/network/activation.h"
#include "model/math/lanes.h"
#include "model/math/scaling.h"

namespace aaren::engine {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();
constexpr size_t kKnots[] = {64, 96, 168, 336, 720};
constexpr size_t kMost = std::size(kKnots) + 1;      // knots, and step T before
constexpr size_t kErrors = FarHorizons::kWords + 1;  // the words' errors, then the mixture's
constexpr double kMemory = 4000.0;                   // tokens until errors are forgotten
constexpr float kPower = 12.0f;                      // power of the errors, after many judgements
constexpr float kHalf = 2.0f;                        // times the kept medians: judgements for half of kPower
constexpr float kLeastRatio = 1e-30f;                // keeps the logarithm of a ratio finite
constexpr double kFarthest = 12.0;                   // units: an error counts no more
constexpr double kWidest = 24.0;                     // units: the largest quantile of errors
constexpr double kPace = 0.12;                       // pace of quantiles of errors, after many judgements
constexpr double kFading = 192.0, kFleeting = 8.0;   // steps until a difference fades to 1 / e
constexpr SecondView::Prior kHalfPrior{.share = 0.9, .judgements = 100.0, .memory = 4000.0};
constexpr double kRamp = 8.0;       // steps beyond T to begin the way to the half-rate view
constexpr size_t kLevelSteps = 24;  // last steps of the model that measure the level

std::vector<size_t> KnotsBeyond(size_t horizon) {
  std::vector<size_t> knots;
  for (const size_t knot : kKnots) {
    if (knot > horizon) knots.push_back(knot);
  }
  return knots;
}

size_t Horizon(const package::ForecasterConfig& config) { return static_cast<size_t>(config.horizon); }

// exp(-distance / length) for the distances 0 ... `count` - 1.
std::vector<float> Decay(size_t count, double length) {
  alignas(64) float x[math::PadToLanes(FarHorizons::kLast)] = {};
  for (size_t i = 0; i < count; ++i) x[i] = static_cast<float>(-static_cast<double>(i) / length);
  Exp(x, math::PadToLanes(count), x);
  return {x, x + count};
}

// The season choice in the place of a float.
season::SeasonChoice ChoiceAt(const float* place) { return std::bit_cast<season::SeasonChoice>(*place); }

}  // namespace

struct FarHorizons::Course {
  size_t knots;
  size_t step[kMost];              // T and the knots
  float weights[kMost][kWords];    // each five add up to 1
  double level = 0.0, last = 0.0;  // the model's last steps less the mixture: on average; at step T, less level
};

bool FarHorizons::Fits(const package::ForecasterConfig& config) { return !KnotsBeyond(Horizon(config)).empty(); }

FarHorizons::FarHorizons(const package::ForecasterConfig& config, bool half)
    : horizon_(Horizon(config)),
      levels_(config.quantiles),
      probes_(config, KnotsBeyond(horizon_)),
      offsets_(probes_.tracked().size() * kErrors),
      medians_(offsets_ + probes_.tracked().size() * levels_.size()),
      means_(medians_ + probes_.kept()),
      half_(half ? std::make_optional<SecondView>(probes_, kHalfPrior) : std::nullopt),
      half_at_(means_ + 2 * places()),
      fading_(Decay(kLast - horizon_ + 1, kFading)),
      fleeting_(Decay(kLast - horizon_ + 1, kFleeting)) {}

void FarHorizons::Reset(float* state) const {
  std::fill_n(state, means_ + places(), kMissing);
  std::fill_n(state + means_ + places(), places(), 0.0f);
  if (half_) half_->Reset(state + half_at_);
}

void FarHorizons::Gather(uint64_t seq, const season::Past& past, float mean, float unit,
                         const season::SeasonChoice& choice, float* state, float* evidence) const {
  const uint64_t probe = probes_.Number(seq);
  float* means = state + means_;
  float* choices = means + places();
  *evidence++ = unit;
  for (const Probes::Tracked& knot : probes_.tracked()) {
    const int ahead = static_cast<int>(knot.step) + 1, age = static_cast<int>(knot.kept * probes_.every());
    std::fill_n(evidence, evidence_of_knot(), kMissing);
    if (knot.kept <= probe && age <= past.older) {
      const size_t place = (probe - knot.kept) % places();
      *evidence = past.newest[ahead - age];
      for (size_t i = 0; i < kJudged; ++i) {
        float* judged = evidence + 1 + kWords + i * (1 + kWords);
        const int later = static_cast<int>(i * probes_.every() / kJudged);
        judged[0] = past.newest[-later];
        season::WriteSourcesAt(past.Before(age), ChoiceAt(choices + place), mean, age - later, judged + 1);
        judged[kWords] = means[place];
      }
    }
    season::WriteSourcesAt(past, choice, mean, ahead, evidence + 1);
    evidence[kWords] = mean;
    evidence += evidence_of_knot();
  }
  means[probe % places()] = mean;
  choices[probe % places()] = std::bit_cast<float>(choice);
}

uint64_t FarHorizons::Judged(uint64_t seq, size_t knot) const {
  const uint64_t made = (seq + 1) / probes_.every(), kept = probes_.tracked()[knot].kept;
  return made > kept ? made - kept : 0;
}

// A knot without errors has the errors of the knot before; step T has the errors of the model's mixture.
FarHorizons::Course FarHorizons::CourseOf(uint64_t seq, const Near& near, const float* state) const {
  Course course;
  course.knots = probes_.tracked().size() + 1;
  alignas(64) float weights[math::PadToLanes(kMost * kWords)];
  std::fill_n(weights, std::size(weights), 1.0f);
  float power[kMost];
  for (size_t k = 0; k < course.knots; ++k) {
    float* five = weights + k * kWords;
    const float* errors = k == 0 ? nullptr : state + (k - 1) * kErrors;
    course.step[k] = k == 0 ? horizon_ : probes_.tracked()[k - 1].step + 1;
    if (k > 0 && std::isnan(errors[0])) {
      std::copy_n(five - kWords, kWords, five);
      power[k] = power[k - 1];
      continue;
    }
    float own[kWords] = {near.errors[1], near.errors[2], near.errors[3], near.errors[4], kMissing};
    if (k == 0) errors = own;
    float least = std::numeric_limits<float>::max();
    for (size_t i = 0; i < kWords; ++i) least = errors[i] < least ? errors[i] : least;
    for (size_t i = 0; i < kWords; ++i) {
      const float ratio = errors[i] > least ? least / errors[i] : 1.0f;
      five[i] = std::isnan(errors[i]) ? kLeastRatio : std::max(ratio, kLeastRatio);
    }
    const size_t kept = k == 0 ? (horizon_ + probes_.every() - 1) / probes_.every() : probes_.tracked()[k - 1].kept;
    const uint64_t made = (seq + 1) / probes_.every();
    const float judged = made > kept ? static_cast<float>(made - kept) : 0.0f;
    power[k] = kPower * judged / (judged + kHalf * static_cast<float>(kept));
  }
  Log(weights, std::size(weights), weights);
  for (size_t i = 0; i < course.knots * kWords; ++i) weights[i] *= power[i / kWords];
  Exp(weights, std::size(weights), weights);
  for (size_t k = 0; k < course.knots; ++k) {
    const float* five = weights + k * kWords;
    const float sum = (five[0] + five[1]) + (five[2] + five[3]) + five[4];
    for (size_t i = 0; i < kWords; ++i) course.weights[k][i] = five[i] / sum;
  }
  const size_t count = std::min(kLevelSteps, horizon_), levels = levels_.size();
  const auto difference = [&](size_t step) {
    double mixed = static_cast<double>(course.weights[0][kWords - 1]) * near.mean;
    for (size_t i = 0; i < season::kSourceCount; ++i) {
      mixed += static_cast<double>(course.weights[0][i]) * near.sources[i * horizon_ + step - 1];
    }
    return near.forecast[(step - 1) * levels + levels / 2] - mixed;
  };
  double sum = 0.0;
  for (size_t step = horizon_ - count + 1; step <= horizon_; ++step) sum += difference(step);
  course.level = sum / static_cast<double>(count);
  course.last = difference(horizon_) - course.level;
  return course;
}

// The median of a step. Words are `stride` floats apart.
double FarHorizons::Median(const Course& course, size_t step, const float* words, size_t stride) const {
  size_t low = 0;
  while (low + 1 < course.knots && course.step[low + 1] <= step) ++low;
  const size_t high = std::min(low + 1, course.knots - 1);
  const double share = high == low ? 0.0
                                   : static_cast<double>(step - course.step[low]) /
                                         static_cast<double>(course.step[high] - course.step[low]);
  double median = 0.0;
  for (size_t i = 0; i < kWords; ++i) {
    const double from = course.weights[low][i], to = course.weights[high][i];
    median += (from + share * (to - from)) * words[i * stride];
  }
  const size_t beyond = step - horizon_;
  return median + course.level * fading_[beyond] + course.last * fleeting_[beyond];
}

// The distance of a quantile from the median, in units. Between knots linear; without a further knot as the fourth root
// of the step.
float FarHorizons::Offset(const Near& near, const float* state, size_t step, size_t level) const {
  const float* row = near.forecast + (horizon_ - 1) * levels_.size();
  double below = static_cast<double>(row[level]) - row[levels_.size() / 2];
  size_t at = horizon_;
  const std::vector<Probes::Tracked>& knots = probes_.tracked();
  for (size_t k = 0; k < knots.size(); ++k) {
    const float offset = state[offsets_ + k * levels_.size() + level];
    if (std::isnan(offset)) break;
    const double units = static_cast<double>(offset) * near.unit;
    const size_t knot = knots[k].step + 1;
    if (knot >= step) {
      return math::ToFloat(below + (units - below) * (static_cast<double>(step - at) / static_cast<double>(knot - at)));
    }
    below = units;
    at = knot;
  }
  return math::ToFloat(below * std::sqrt(std::sqrt(static_cast<double>(step) / static_cast<double>(at))));
}

void FarHorizons::Judge(uint64_t seq, size_t knot, const Near& near, const float* evidence, float* state) const {
  const Probes::Tracked& tracked = probes_.tracked()[knot];
  const double judged = static_cast<double>(Judged(seq, knot));
  const double rate = 1.0 / std::clamp(judged, 1.0, kMemory / static_cast<double>(probes_.every()));
  float* errors = state + knot * kErrors;
  double misses[kWords] = {}, known = 0.0;
  for (size_t i = 0; i < kJudged; ++i) {
    const float* one = evidence + 1 + kWords + i * (1 + kWords);
    double each[kWords], least = kFarthest;
    for (size_t w = 0; w < kWords; ++w) {
      each[w] = std::min(std::abs(static_cast<double>(one[0]) - one[1 + w]) / near.unit, kFarthest);
      least = std::min(least, each[w]);
    }
    if (std::isnan(one[0]) || std::isnan(one[kWords]) || least == kFarthest) continue;
    known += 1.0;
    for (size_t w = 0; w < kWords; ++w) misses[w] += each[w];
  }
  for (size_t w = 0; w < kWords && known > 0.0; ++w) {
    const double miss = misses[w] / known;
    errors[w] = static_cast<float>(std::isnan(errors[w]) ? miss : errors[w] + (miss - errors[w]) * rate);
  }
  const float value = evidence[0], median = state[medians_ + probes_.Place(tracked, probes_.Number(seq))];
  if (std::isnan(value) || std::isnan(median)) return;
  float* offsets = state + offsets_ + knot * levels_.size();
  if (std::isnan(offsets[0])) {
    for (size_t i = 0; i < levels_.size(); ++i) {
      const double offset = Offset(near, state, tracked.step + 1, i) / static_cast<double>(near.unit);
      offsets[i] = static_cast<float>(std::clamp(offset, -kWidest, kWidest));
    }
  }
  const double miss = std::clamp((static_cast<double>(value) - median) / near.unit, -kFarthest, kFarthest);
  float& own = errors[kWords];
  own = static_cast<float>(std::isnan(own) ? std::abs(miss) : own + (std::abs(miss) - own) * rate);
  // Judgements of a far knot overlap, so the quantiles go slowly.
  const double pace = std::max(kPace / std::sqrt(static_cast<double>(tracked.kept)), 1.0 / (judged + 3.0));
  const double by = 4.0 * pace * own;
  for (size_t i = 0; i < levels_.size(); ++i) {
    const double moved = offsets[i] + by * (levels_[i] - (miss < offsets[i] ? 1.0 : 0.0));
    offsets[i] = static_cast<float>(std::clamp(moved, -kWidest, kWidest));
  }
}

void FarHorizons::Learn(uint64_t seq, const Near& near, const float* evidence, float* state) const {
  ++evidence;
  const std::vector<Probes::Tracked>& knots = probes_.tracked();
  for (size_t k = 0; k < knots.size(); ++k) Judge(seq, k, near, evidence + k * evidence_of_knot(), state);
  const Course course = CourseOf(seq, near, state);
  float medians[kMost], values[kMost], views[kMost];
  for (size_t k = 0; k < knots.size(); ++k) {
    const float* of_knot = evidence + k * evidence_of_knot();
    values[k] = of_knot[0];
    medians[k] = math::ToForecast(Median(course, knots[k].step + 1, of_knot + 1, 1));
    views[k] = near.half.empty() ? kMissing : near.half[knots[k].step];
  }
  if (half_) half_->Learn(seq, {values, medians, views, near.unit}, state + half_at_);
  for (size_t k = 0; k < knots.size(); ++k) {
    state[medians_ + probes_.Place(knots[k], probes_.Number(seq))] =
        math::ToForecast(Moved(seq, near, knots[k].step + 1, medians[k], state));
  }
}

// A median on its way to the half-rate view. The way begins at step T, so forecasts have no jump there.
double FarHorizons::Moved(uint64_t seq, const Near& near, size_t step, double median, const float* state) const {
  if (!half_ || near.half.empty() || std::isnan(near.half[step - 1])) return median;
  const double begun = std::min(1.0, static_cast<double>(step - horizon_) / kRamp);
  const double weight = begun * half_->WeightAt(seq, state + half_at_, step);
  return median + SecondView::Way(weight, near.unit, near.half[step - 1], math::ToForecast(median));
}

void FarHorizons::Extend(uint64_t seq, const Near& near, const float* sources, absl::Span<const uint32_t> steps,
                         const float* state, float* out) const {
  const Course course = CourseOf(seq, near, state);
  const size_t levels = levels_.size(), middle = levels / 2;
  float words[kWords];
  words[kWords - 1] = near.mean;
  for (const uint32_t step : steps) {
    for (size_t i = 0; i < season::kSourceCount; ++i) words[i] = sources[i * kLast + step - 1];
    const double median = Moved(seq, near, step, Median(course, step, words, 1), state);
    for (size_t i = 0; i < levels; ++i) {
      const double offset = i == middle ? 0.0 : static_cast<double>(Offset(near, state, step, i));
      out[i] = math::ToForecast(median + offset);
    }
    for (size_t i = middle + 1; i < levels; ++i) out[i] = std::max(out[i], out[i - 1]);
    for (size_t i = middle; i > 0; --i) out[i - 1] = std::min(out[i - 1], out[i]);
    out += levels;
  }
}

void FarHorizons::Shift(double distance, float* state) const {
  std::for_each(state + medians_, state + means_ + places(),
                [=](float& number) { number = math::Shifted(number, distance); });
  if (half_) half_->Shift(distance, state + half_at_);
}

absl::Status FarHorizons::Check(uint64_t seq, const float* state) const {
  const bool fresh = seq < probes_.every();
  const auto impossible = [seq](absl::string_view what, size_t i, float value) {
    return absl::DataLossError(
        absl::StrCat("row: the far ", what, " ", i, " is ", value, ", impossible after ", seq, " tokens"));
  };
  for (size_t i = 0; i < medians_; ++i) {
    const bool error = i < offsets_;
    const float least = error ? 0.0f : -static_cast<float>(kWidest);
    const float most = static_cast<float>(error ? kFarthest : kWidest);
    if (std::isnan(state[i]) || (!fresh && state[i] >= least && state[i] <= most)) continue;
    return impossible(error ? "error" : "quantile", i, state[i]);
  }
  for (size_t i = medians_; i < means_ + places(); ++i) {
    if (!std::isnan(state[i]) && (fresh || !std::isfinite(state[i]))) return impossible("median", i, state[i]);
  }
  for (size_t i = 0; i < places(); ++i) {
    const season::SeasonChoice choice = ChoiceAt(state + means_ + places() + i);
    for (const uint16_t lag : {choice.first, choice.second}) {
      const bool chosen = lag >= season::kShortestSeason && lag <= season::kLags.back() && lag < seq;
      if (lag != 0 && !chosen) return impossible("choice", i, lag);
    }
  }
  return half_ ? half_->Check(seq, state + half_at_) : absl::OkStatus();
}

}  // namespace aaren::engine
