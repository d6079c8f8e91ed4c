#include "model/engine/forecasting/refinement/mixture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "model/engine/forecasting/refinement/quantiles.h"
#include "model/engine/network/activation.h"
#include "model/math/lanes.h"
#include "model/math/scaling.h"

namespace aaren::engine {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();
constexpr double kMemory = 1000;          // tokens
constexpr float kPower = 24.0f;           // power of the errors, after many judgements
constexpr float kHalf = 5.0f;             // judgements after which the power is half of kPower
constexpr float kLeastRatio = 1e-30f;     // keeps the logarithm of a ratio finite
constexpr float kCredit = 0.95f;          // share of the network's and the last value's errors that counts
constexpr double kFarthest = 12.0;        // units: the most that an error or a source's distance counts
constexpr double kMostUnforeseen = 5.0;   // times the least error; a larger miss is unforeseen
constexpr double kAlwaysForeseen = 0.05;  // units: a smaller miss is never unforeseen
constexpr size_t kMostOctaves = 13;       // octaves of a horizon of 4,096

// The judged horizons: in each octave the first horizon, and more at equal distances, eight at most. Several horizons
// are judged because at a multiple of the season alone the last value is as good as the season.
std::vector<size_t> JudgedHorizons(size_t horizon) {
  std::vector<size_t> judged;
  for (size_t first = 1; first <= horizon; first *= 2) {
    for (size_t h = first; h < 2 * first && h <= horizon; h += first / 8 + 1) judged.push_back(h);
  }
  return judged;
}

size_t Octave(size_t horizon) { return static_cast<size_t>(std::bit_width(horizon)) - 1; }

std::vector<size_t> FirstOfEachOctave(const std::vector<Probes::Tracked>& tracked) {
  std::vector<size_t> first;
  for (size_t k = 0; k < tracked.size(); ++k) {
    if (Octave(tracked[k].step + 1) == first.size()) first.push_back(k);
  }
  first.push_back(tracked.size());
  return first;
}

// The error that a source `seasons` seasons back has to expect: the larger of the errors at that distance and at one
// season.
float ErrorOfSeasons(uint64_t seq, const season::LagErrors& errors, int lag, int seasons) {
  return std::max(errors.At(seq, lag), errors.At(seq, lag * seasons));
}

// Writes the errors from which the sources of a new season start in the octave of horizon `first`. The source goes back
// by as many seasons as reach beyond `first`. A mean is no worse than its parts are on average.
void WriteStartingErrors(uint64_t seq, const season::LagErrors& errors, int lag, size_t first, float* season,
                         float* mean) {
  if (lag == 0) return;
  const int seasons = (static_cast<int>(first) + lag - 1) / lag;
  *season = ErrorOfSeasons(seq, errors, lag, seasons);
  if (mean == nullptr) return;
  *mean = 0.0f;
  for (int i = 0; i < season::kSeasonsInMean; ++i) {
    *mean += ErrorOfSeasons(seq, errors, lag, seasons + i) / static_cast<float>(season::kSeasonsInMean);
  }
}

// Writes the ratio of the least error to each error, in (0, 1]; kLeastRatio for an expert that was never judged.
void WriteRatios(const float* error, float* ratios) {
  float credited[Mixture::kExperts];
  std::copy_n(error, Mixture::kExperts, credited);
  credited[0] *= kCredit;
  credited[1 + season::kLastValue] *= kCredit;
  float least = std::numeric_limits<float>::max();
  for (const float one : credited) least = one < least ? one : least;
  for (size_t i = 0; i < Mixture::kExperts; ++i) {
    const float ratio = credited[i] > least ? least / credited[i] : 1.0f;
    ratios[i] = std::isnan(credited[i]) ? kLeastRatio : std::max(ratio, kLeastRatio);
  }
}

}  // namespace

Mixture::Mixture(const package::ForecasterConfig& config)
    : horizon_(static_cast<size_t>(config.horizon)),
      quantiles_(config.quantiles.size()),
      probes_(config, JudgedHorizons(horizon_)),
      first_(FirstOfEachOctave(probes_.tracked())) {}

void Mixture::Reset(float* state) const { std::fill_n(state, state_size(), kMissing); }

void Mixture::Gather(uint64_t seq, const season::Past& past, float level, const season::LagErrors& errors,
                     const season::SeasonChoice* chosen, const season::SeasonChoice& now, float* evidence) const {
  const size_t tracked = probes_.tracked().size();
  *evidence++ = errors.unit;
  probes_.Gather(seq, past.newest, evidence);
  GatherSources(seq, past, level, chosen, evidence + tracked);
  const uint64_t probe = probes_.Number(seq);
  const season::SeasonChoice before = probe == 0 ? season::SeasonChoice() : chosen[(probe - 1) % probes_.under_way()];
  GatherRenewals(seq, errors, before, now, evidence + tracked * kExperts);
}

// Writes sources: [4, tracked]. Each source forecasts from the probe whose forecasts are judged now, by the values and
// seasons known at that probe.
void Mixture::GatherSources(uint64_t seq, const season::Past& past, float level, const season::SeasonChoice* chosen,
                            float* sources) const {
  const std::vector<Probes::Tracked>& tracked = probes_.tracked();
  const uint64_t probe = probes_.Number(seq);
  std::fill_n(sources, season::kSourceCount * tracked.size(), kMissing);
  for (size_t k = 0; k < tracked.size(); ++k) {
    const uint64_t back = tracked[k].kept;
    if (back > probe) continue;
    const int age = static_cast<int>(back * probes_.every());
    if (age > past.older) continue;
    float said[season::kSourceCount];
    season::WriteSourcesAt(past.Before(age), chosen[(probe - back) % probes_.under_way()], level,
                           static_cast<int>(tracked[k].step) + 1, said);
    for (size_t i = 0; i < season::kSourceCount; ++i) sources[i * tracked.size() + k] = said[i];
  }
}

// Writes renewals: [octaves, 3], for the sources from kSeasonAgo on; NaN where the season did not change.
void Mixture::GatherRenewals(uint64_t seq, const season::LagErrors& errors, const season::SeasonChoice& before,
                             const season::SeasonChoice& now, float* renewals) const {
  std::fill_n(renewals, octaves() * kRenewals, kMissing);
  for (size_t octave = 0; octave < octaves(); ++octave, renewals += kRenewals) {
    const size_t first = size_t{1} << octave;
    if (now.first != before.first) WriteStartingErrors(seq, errors, now.first, first, renewals, renewals + 1);
    if (now.second != before.second) WriteStartingErrors(seq, errors, now.second, first, renewals + 2, nullptr);
  }
}

void Mixture::Learn(uint64_t seq, const Lesson& lesson, float* state) const {
  const std::vector<Probes::Tracked>& tracked = probes_.tracked();
  float* kept = state + octaves() * kExperts;
  const float* renewals = lesson.evidence + 1 + tracked.size() * kExperts;
  for (size_t octave = 0; octave < octaves(); ++octave) {
    float* error = state + octave * kExperts;
    Judge(seq, octave, lesson, kept, error);
    Renew(renewals + kRenewals * octave, error);
  }
  for (const Probes::Tracked& one : tracked) {
    kept[probes_.Place(one, probes_.Number(seq))] = lesson.forecast[one.step * quantiles_ + quantiles_ / 2];
  }
}

void Mixture::Renew(const float* renewals, float* error) const {
  for (size_t i = 0; i < kRenewals; ++i) {
    if (!std::isnan(renewals[i])) error[1 + season::kSeasonAgo + i] = std::max(renewals[i], error[0]);
  }
}

// Judges an octave by the mean over the horizons whose value and all forecasts are known.
void Mixture::Judge(uint64_t seq, size_t octave, const Lesson& lesson, const float* kept, float* error) const {
  double misses[kExperts] = {};
  double known = 0.0;
  for (size_t k = first_[octave]; k < first_[octave + 1]; ++k) {
    const float median = kept[probes_.Place(probes_.tracked()[k], probes_.Number(seq))];
    known += AddMisses(k, median, lesson.evidence, misses) ? 1.0 : 0.0;
  }
  if (known == 0.0) return;
  const double most = std::max(1.0, kMemory / static_cast<double>(probes_.every()));
  const uint64_t places = static_cast<uint64_t>(lesson.places);
  const uint64_t judging =
      Judged(seq, octave) * std::min<uint64_t>(first_[octave + 1] - first_[octave], places) / places;
  const double rate = 1.0 / std::clamp(static_cast<double>(judging), 1.0, most);
  const double weight = Foreseeable(error, misses, known) / known;
  for (size_t i = 0; i < kExperts; ++i) {
    const double miss = misses[i] * weight;
    error[i] = static_cast<float>(std::isnan(error[i]) ? miss : error[i] + (miss - error[i]) * rate);
  }
}

// Adds the misses at one horizon. Returns false if the value or a forecast is missing, or if all experts missed by 12
// units or more, which tells nothing about any of them.
bool Mixture::AddMisses(size_t tracked, float median, const float* evidence, double* misses) const {
  const size_t count = probes_.tracked().size();
  const float* values = evidence + 1 + tracked;
  const double unit = evidence[0], value = *values;
  double each[kExperts];
  double least = kFarthest;
  for (size_t i = 0; i < kExperts; ++i) {
    const double said = i == 0 ? median : values[i * count];
    each[i] = std::min(std::abs(value - said) / unit, kFarthest);
    if (std::isnan(said) || std::isnan(value)) return false;
    least = std::min(least, each[i]);
  }
  if (least == kFarthest) return false;
  for (size_t i = 0; i < kExperts; ++i) misses[i] += each[i];
  return true;
}

// The share of the misses that counts. An outage or a jump that no expert foresaw says little of any expert, and would
// make all experts alike for long.
double Mixture::Foreseeable(const float* error, const double* misses, double known) const {
  const double usual = *std::min_element(error, error + kExperts), least = *std::min_element(misses, misses + kExperts);
  const double most = (kMostUnforeseen * usual + kAlwaysForeseen) * known;
  return least > most ? most / least : 1.0;
}

uint64_t Mixture::Judged(uint64_t seq, size_t octave) const {
  const uint64_t made = (seq + 1) / probes_.every();
  const uint64_t kept = probes_.tracked()[first_[octave]].kept;
  return made > kept ? made - kept : 0;
}

void Mixture::WriteWeights(uint64_t seq, const float* state, float* weights) const {
  const size_t count = octaves() * kExperts;
  const size_t padded = math::PadToLanes(count);
  std::fill_n(weights, padded, 1.0f);
  for (size_t k = 0; k < count; k += kExperts) WriteRatios(state + k, weights + k);
  Log(weights, padded, weights);
  for (size_t octave = 0; octave < octaves(); ++octave) {
    const float judged = static_cast<float>(Judged(seq, octave));
    const float power = kPower * judged / (judged + kHalf);
    for (size_t i = 0; i < kExperts; ++i) weights[octave * kExperts + i] *= power;
  }
  Exp(weights, padded, weights);
  for (size_t k = 0; k < count; k += kExperts) {
    float* five = weights + k;
    if (std::isnan(state[k])) {
      std::fill_n(five, kExperts, 0.0f);
      five[0] = 1.0f;
    }
    const float sum = (five[0] + five[1]) + (five[2] + five[3]) + five[4];
    for (size_t i = 0; i < kExperts; ++i) five[i] /= sum;
  }
}

void Mixture::Mix(uint64_t seq, const float* state, float unit, const float* sources, float* forecast) const {
  alignas(64) float weights[math::PadToLanes(kMostOctaves * kExperts)];
  WriteWeights(seq, state, weights);
  Pull pulls[kMostOctaves];
  for (size_t octave = 0; octave < octaves(); ++octave) {
    const size_t begin = (size_t{1} << octave) - 1, end = std::min(2 * begin + 1, horizon_);
    pulls[octave] = {weights + octave * kExperts + 1, kFarthest * unit, sources + begin, horizon_, end - begin};
  }
  PullQuantiles({pulls, octaves()}, {horizon_, quantiles_}, forecast);
}

void Mixture::MixOneStep(uint64_t seq, const float* state, float unit, const float* sources, float* quantiles) const {
  alignas(64) float weights[math::PadToLanes(kMostOctaves * kExperts)];
  WriteWeights(seq, state, weights);
  const Pull pull{weights + 1, kFarthest * unit, sources, 1, 1};
  PullQuantiles({&pull, 1}, {1, quantiles_}, quantiles);
}

void Mixture::Shift(double distance, float* state) const {
  std::for_each(state + octaves() * kExperts, state + state_size(),
                [=](float& median) { median = math::Shifted(median, distance); });
}

absl::Status Mixture::Check(uint64_t seq, const float* state) const {
  const size_t errors = octaves() * kExperts;
  const bool fresh = seq < probes_.every();
  for (size_t i = 0; i < state_size(); ++i) {
    if (std::isnan(state[i]) ||
        (!fresh && std::isfinite(state[i]) && (i >= errors || (state[i] >= 0.0f && state[i] <= kFarthest))))
      continue;
    const std::string name = i < errors
                                 ? absl::StrCat("the error of expert ", i % kExperts, " in octave ", i / kExperts)
                                 : absl::StrCat("the kept median ", i - errors);
    return absl::DataLossError(absl::StrCat("row: ", name, " is ", state[i], ", impossible after ", seq, " tokens"));
  }
  return absl::OkStatus();
}

}  // namespace aaren::engine
