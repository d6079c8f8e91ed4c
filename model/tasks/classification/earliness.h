#ifndef AAREN_MODEL_TASKS_CLASSIFICATION_EARLINESS_H_
#define AAREN_MODEL_TASKS_CLASSIFICATION_EARLINESS_H_

// Scores of classes named before the series ends. A case is classified after each twentieth of its length.
//
// A classifier decides at the first share of the series at which its likeliest class has at least the threshold's
// probability, and at the end at the latest. Earliness is the mean share seen at the decision. The harmonic mean of
// accuracy and 1 - earliness rewards both (Schäfer and Leser, "TEASER", 2020).

#include <array>
#include <string>

#include "absl/types/span.h"

namespace aaren::classification {

inline constexpr int kShares = 20;

// One case after share i + 1 of kShares.
struct Unfolding {
  std::array<bool, kShares> right;         // the likeliest class is the case's own
  std::array<double, kShares> confidence;  // probability of the likeliest class
};

struct EarlyScore {
  double accuracy = 0;       // share of right decisions
  double earliness = 0;      // mean share seen, above 0 and at most 1
  double harmonic_mean = 0;  // mean of accuracy and 1 - earliness
};

// The share of cases that are right after share i + 1 of kShares. REQUIRES: a case.
std::array<double, kShares> AccuracyByShare(absl::Span<const Unfolding> cases);

// REQUIRES: a case.
EarlyScore ScoreEarly(absl::Span<const Unfolding> cases, double threshold);

// The threshold among 0.50, 0.51 ... 1.00 with the largest harmonic mean; the highest of equals. REQUIRES: a case.
double BestThreshold(absl::Span<const Unfolding> cases);

// Lines for people: accuracy of whole cases, of each fifth of their length, and of early decisions. REQUIRES: a case.
std::string ScoreTable(absl::Span<const Unfolding> cases, double threshold);

}  // namespace aaren::classification

#endif  // AAREN_MODEL_TASKS_CLASSIFICATION_EARLINESS_H_
