#include "model/tasks/classification/earliness.h"

namespace aaren::classification {
namespace {

// The index of the share at which the case is decided.
int DecidedAt(const Unfolding& one, double threshold) {
  int share = 0;
  while (share < kShares - 1 && one.confidence[share] < threshold) ++share;
  return share;
}

}  // namespace

std::array<double, kShares> AccuracyByShare(absl::Span<const Unfolding> cases) {
  std::array<double, kShares> accuracy = {};
  for (const Unfolding& one : cases) {
    for (int i = 0; i < kShares; ++i) accuracy[i] += one.right[i] / static_cast<double>(cases.size());
  }
  return accuracy;
}

EarlyScore ScoreEarly(absl::Span<const Unfolding> cases, double threshold) {
  const auto count = static_cast<double>(cases.size());
  EarlyScore score;
  for (const Unfolding& one : cases) {
    const int share = DecidedAt(one, threshold);
    score.accuracy += one.right[share] / count;
    score.earliness += (share + 1.0) / kShares / count;
  }
  const double left = 1 - score.earliness;
  if (score.accuracy + left > 0) score.harmonic_mean = 2 * score.accuracy * left / (score.accuracy + left);
  return score;
}

double BestThreshold(absl::Span<const Unfolding> cases) {
  double best = 1, best_mean = -1;
  for (int percent = 100; percent >= 50; --percent) {
    const double mean = ScoreEarly(cases, percent / 100.0).harmonic_mean;
    if (mean <= best_mean) continue;
    best = percent / 100.0;
    best_mean = mean;
  }
  return best;
}

}  // namespace aaren::classification
