#include "tests/model/specification/refinement/mixture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "tests/model/specification/functions.h"

namespace aaren::specification {
namespace {

// The misses of five experts at a horizon (6.31), or nullopt if the horizon is left out (6.33).
std::optional<std::array<double, 5>> Misses(float y, float median, const std::array<float, 4>& sources, float unit) {
  const float words[5] = {median, sources[0], sources[1], sources[2], sources[3]};
  std::array<double, 5> misses;
  bool present = !Missing(y);
  for (int i = 0; i < 5; ++i) {
    present = present && !Missing(words[i]);
    misses[i] = std::min(std::fabs(double{y} - double{words[i]}) / unit, 12.0);
  }
  const bool all_far = std::count(misses.begin(), misses.end(), 12.0) == 5;
  if (!present || all_far) return std::nullopt;
  return misses;
}

double Least(const auto& numbers) { return *std::min_element(numbers.begin(), numbers.end()); }

}  // namespace

Mixture::Mixture(const Sizes& sizes) : choices(sizes.ProbesFor(sizes.T)), sizes_(sizes) {
  for (const std::vector<int>& octave : sizes.judged) {
    E.push_back({kMissing, kMissing, kMissing, kMissing, kMissing});
    medians.emplace_back();
    for (int h : octave) medians.back().emplace_back(sizes.ProbesFor(h), kMissing);
  }
  evidence_.resize(E.size());
}

void Mixture::Shift(double distance) {
  for (std::vector<Vector>& octave : medians) {
    for (Vector& places : octave) {
      for (float& median : places) median = Shifted(median, distance);
    }
  }
}

int64_t Mixture::Judgements(int64_t probes, size_t octave) const {
  return std::max<int64_t>(probes - sizes_.ProbesFor(1 << octave), 0);
}

void Mixture::Judge(int64_t p, int64_t k, float unit, const Vector& network) {
  for (size_t octave = 0; octave < E.size(); ++octave) JudgeOctave(p, k, octave, unit);
  for (size_t octave = 0; octave < E.size(); ++octave) {
    for (size_t i = 0; i < medians[octave].size(); ++i) {
      Vector& places = medians[octave][i];
      places[p % places.size()] = network[(sizes_.judged[octave][i] - 1) * sizes_.Q + sizes_.M];
    }
  }
}

void Mixture::JudgeOctave(int64_t p, int64_t k, size_t octave, float unit) {
  std::array<float, 5>& e = E[octave];
  std::array<double, 5> J = {};  // 6.35
  double w = 0;                  // 6.34
  for (size_t i = 0; i < medians[octave].size(); ++i) {
    const Evidence::Word& word = evidence_[octave].words[i];
    const Vector& places = medians[octave][i];
    const auto misses = Misses(word.y, places[p % places.size()], word.sources, unit);  // 6.32
    if (!misses) continue;
    w += 1;
    for (int expert = 0; expert < 5; ++expert) J[expert] += (*misses)[expert];
  }
  if (w > 0) {
    const double most = Missing(e[0]) ? 0 : (5 * Least(e) + 0.05) * w;  // 6.36
    const double weight = !Missing(e[0]) && Least(J) > most ? most / Least(J) / w : 1 / w;
    const int64_t judged = static_cast<int64_t>(medians[octave].size());
    const double n = static_cast<double>(Judgements(p + 1, octave) * std::min(judged, k) / k);
    const double rate = 1 / Clamp(n, 1.0, std::max(1.0, 1000.0 / sizes_.D));
    for (int i = 0; i < 5; ++i) {
      const double miss = J[i] * weight;
      e[i] = static_cast<float>(Missing(e[i]) ? miss : e[i] + (miss - e[i]) * rate);  // 6.39
    }
  }
  for (int i = 0; i < 3; ++i) {
    const float renewal = evidence_[octave].renewals[i];
    if (!Missing(renewal)) e[2 + i] = std::fmax(renewal, e[0]);  // 6.40
  }
}

std::array<float, 5> Mixture::Weights(int64_t t, size_t octave) const {
  std::array<float, 5> e = E[octave];
  if (Missing(e[0])) return {1, 0, 0, 0, 0};  // 6.44
  for (int i : {0, 1}) e[i] = 0.95f * e[i];   // 6.42: F
  const float n = static_cast<float>(Judgements((t + 1) / sizes_.D, octave));
  const float power = 24.0f * n / (n + 5.0f);
  float least = kMissing;
  for (float error : e) least = std::fmin(least, error);
  std::array<float, 5> g;
  for (int i = 0; i < 5; ++i) {
    float ratio = 1e-30f;  // 6.42
    if (!Missing(e[i])) ratio = e[i] == least ? 1.0f : std::max(least / e[i], 1e-30f);
    g[i] = Exp(Log(ratio) * power);
  }
  const float sum = ((g[0] + g[1]) + (g[2] + g[3])) + g[4];
  for (float& weight : g) weight = weight / sum;
  return g;
}

void Mixture::Mix(int64_t t, int j, const std::array<float, 4>& sources, float unit, float* q) const {
  const std::array<float, 5> weights = Weights(t, std::bit_width(static_cast<unsigned>(j)) - 1);
  const double most = 12.0 * unit, median = q[sizes_.M];
  double shift = 0;
  for (int i = 0; i < 4; ++i) shift += weights[i + 1] * Clamp(sources[i] - median, -most, most);
  const int M = sizes_.M;
  for (int i = 0; i < sizes_.Q; ++i) {
    const float share = M == 0 ? 1.0f : 1.0f - 0.5f * (static_cast<float>(std::abs(i - M)) / static_cast<float>(M));
    q[i] = ToForecast(q[i] + ToFloat(shift) * share);  // 6.47
  }
  Order(M, q, sizes_.Q);
}

}  // namespace aaren::specification
