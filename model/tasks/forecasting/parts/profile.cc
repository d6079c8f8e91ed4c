#include "model/tasks/forecasting/parts/profile.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace aaren::forecasting {
namespace {

constexpr int kFinest = 288;  // most steps computed; a finer profile is read between these

// Samples value(phase) at every step.
template <class Function>
Profile Sampled(int steps, const Function& value) {
  Profile coarse(std::min(steps, kFinest));
  for (size_t i = 0; i < coarse.size(); ++i) coarse[i] = value(static_cast<double>(i) / coarse.size());
  if (steps <= kFinest) return coarse;
  Profile fine(steps);
  for (int i = 0; i < steps; ++i) fine[i] = Read(coarse, static_cast<double>(i) / steps);
  return fine;
}

// Scales a profile to 0 .. 1; a constant becomes zeros.
Profile Scaled(Profile profile) {
  const auto [low, high] = std::minmax_element(profile.begin(), profile.end());
  const double least = *low, range = *high - least;
  for (double& value : profile) value = range > 1e-12 ? (value - least) / range : 0;
  return profile;
}

Profile Lines(Random& random, int steps, bool flat) {
  Profile knots(2 + random.Below(11));
  for (double& height : knots) height = random.Normal();
  const double count = static_cast<double>(knots.size());
  return Scaled(Sampled(
      steps, [&](double phase) { return flat ? knots[static_cast<size_t>(phase * count)] : Read(knots, phase); }));
}

Profile RandomPeaks(Random& random, int steps) {
  std::vector<Peak> peaks(1 + random.Below(4));
  for (Peak& peak : peaks) {
    peak = {.at = random.Uniform(), .width = random.LogUniform(0.008, 0.2), .height = random.Uniform(0.2, 1)};
  }
  return Peaks(peaks, steps);
}

}  // namespace

Profile Peaks(absl::Span<const Peak> peaks, int steps) {
  Profile profile = Sampled(steps, [&](double phase) {
    double sum = 0;
    for (const Peak& peak : peaks) {
      // The distance goes the shorter way around the cycle.
      const double away = (phase - peak.at - std::round(phase - peak.at)) / peak.width;
      sum += peak.height * std::exp(-0.5 * away * away);
    }
    return sum;
  });
  const double highest = *std::max_element(profile.begin(), profile.end());
  // Peaks narrower than a step may fall between all steps, and leave nothing to divide by.
  for (double& value : profile) value /= std::max(highest, 1e-12);
  return profile;
}

Profile Plateau(double rise, double fall, double softness, int steps) {
  // With the factor 4, the flank rises from 0.12 to 0.88 over `softness`.
  const auto soft = [&](double away) { return 1 / (1 + std::exp(-4 * away / softness)); };
  return Scaled(Sampled(steps, [&](double phase) { return soft(phase - rise) * soft(fall - phase); }));
}

Profile Warmth(double sunrise, double noon, double cooling, int steps) {
  const double warming = noon - sunrise;
  return Scaled(Sampled(steps, [&](double phase) {
    const double since = phase - sunrise - std::floor(phase - sunrise);
    if (since < warming) return 0.5 - 0.5 * std::cos(std::numbers::pi * since / warming);
    const double night = (since - warming) / (1 - warming);
    return (std::exp(-cooling * night) - std::exp(-cooling)) / (1 - std::exp(-cooling));
  }));
}

Profile Harmonics(Random& random, int steps) {
  const int count = 1 + random.Below(6);
  const double fall = random.Uniform(0.5, 2);
  std::vector<double> gains, phases;
  for (int k = 1; k <= count; ++k) {
    gains.push_back(random.Normal() / std::pow(k, fall));
    phases.push_back(random.Uniform());
  }
  return Scaled(Sampled(steps, [&](double phase) {
    double sum = 0;
    for (int k = 1; k <= count; ++k) sum += gains[k - 1] * std::sin(2 * std::numbers::pi * (k * phase + phases[k - 1]));
    return sum;
  }));
}

Profile RandomProfile(Random& random, int steps) {
  switch (random.Below(8)) {
    case 0:
    case 1:
      return Harmonics(random, steps);
    case 2:
      return Lines(random, steps, /*flat=*/false);
    case 3:
      return Lines(random, steps, /*flat=*/true);
    case 4: {
      const double rise = random.Uniform(0.1, 0.5), wide = random.Uniform(0.15, 0.5);
      return Plateau(rise, rise + wide, random.LogUniform(0.01, 0.3), steps);
    }
    case 5: {
      const double sunrise = random.Uniform(0, 0.5), warming = random.Uniform(0.15, 0.7);
      return Warmth(sunrise, sunrise + warming, random.Uniform(0.5, 4), steps);
    }
    default:
      return RandomPeaks(random, steps);
  }
}

Profile Blend(const Profile& one, double share, const Profile& other) {
  Profile blend(one.size());
  for (size_t i = 0; i < one.size(); ++i) blend[i] = share * one[i] + (1 - share) * other[i];
  return blend;
}

double Read(const Profile& profile, double phase) {
  const double at = (phase - std::floor(phase)) * static_cast<double>(profile.size());
  const size_t i = std::min(static_cast<size_t>(at), profile.size() - 1);
  const size_t next = i + 1 < profile.size() ? i + 1 : 0;
  return profile[i] + (at - static_cast<double>(i)) * (profile[next] - profile[i]);
}

}  // namespace aaren::forecasting
