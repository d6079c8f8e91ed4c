#include "model/tasks/classification/earliness.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace aaren::classification {
namespace {

constexpr int kFifth = kShares / 5;

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

std::string ScoreTable(absl::Span<const Unfolding> cases, double threshold) {
  const std::array<double, kShares> accuracy = AccuracyByShare(cases);
  const EarlyScore early = ScoreEarly(cases, threshold);
  std::string text = absl::StrFormat("%d cases, accuracy %.2f %%\nshare seen ", cases.size(), 100 * accuracy.back());
  for (int i = kFifth; i <= kShares; i += kFifth) absl::StrAppendFormat(&text, "%8d %%", 100 * i / kShares);
  absl::StrAppend(&text, "\naccuracy   ");
  for (int i = kFifth; i <= kShares; i += kFifth) absl::StrAppendFormat(&text, "%8.2f %%", 100 * accuracy[i - 1]);
  absl::StrAppendFormat(&text,
                        "\ndecided at a probability of %.2f: accuracy %.2f %% after %.1f %% of a case, harmonic mean "
                        "%.3f\n",
                        threshold, 100 * early.accuracy, 100 * early.earliness, early.harmonic_mean);
  return text;
}

}  // namespace aaren::classification
