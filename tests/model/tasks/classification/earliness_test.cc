#include "model/tasks/classification/earliness.h"

#include <gtest/gtest.h>

#include <vector>

namespace aaren::classification {
namespace {

// Right from share `right_from` on; the confidence rises in a straight line to 1.
Unfolding Rising(int right_from) {
  Unfolding one;
  for (int i = 0; i < kShares; ++i) {
    one.right[i] = i >= right_from;
    one.confidence[i] = (i + 1.0) / kShares;
  }
  return one;
}

TEST(EarlinessTest, AccuracyGrowsWithTheShareSeen) {
  const std::vector<Unfolding> cases = {Rising(0), Rising(10)};
  const std::array<double, kShares> accuracy = AccuracyByShare(cases);
  EXPECT_DOUBLE_EQ(accuracy[0], 0.5);
  EXPECT_DOUBLE_EQ(accuracy[9], 0.5);
  EXPECT_DOUBLE_EQ(accuracy[10], 1);
}

TEST(EarlinessTest, ACaseIsDecidedOnceItsConfidenceSuffices) {
  const std::vector<Unfolding> cases = {Rising(0)};
  const EarlyScore score = ScoreEarly(cases, 0.5);
  EXPECT_DOUBLE_EQ(score.accuracy, 1);
  EXPECT_DOUBLE_EQ(score.earliness, 0.5);
  EXPECT_DOUBLE_EQ(score.harmonic_mean, 2 * 1 * 0.5 / 1.5);
}

TEST(EarlinessTest, TheEndDecidesAtTheLatest) {
  const std::vector<Unfolding> cases = {Rising(0)};
  const EarlyScore score = ScoreEarly(cases, 2);
  EXPECT_DOUBLE_EQ(score.earliness, 1);
  EXPECT_DOUBLE_EQ(score.harmonic_mean, 0);
}

TEST(EarlinessTest, TheBestThresholdWaitsForTheRightClass) {
  // Right from share 16 of 20 on, at a confidence of 0.8.
  const std::vector<Unfolding> cases = {Rising(15)};
  EXPECT_DOUBLE_EQ(ScoreEarly(cases, BestThreshold(cases)).earliness, 0.8);
}

TEST(EarlinessTest, TheTableHasAccuracyByFifthsAndTheEarlyDecision) {
  const std::vector<Unfolding> cases = {Rising(0), Rising(10)};
  EXPECT_EQ(ScoreTable(cases, 0.5),
            "2 cases, accuracy 100.00 %\n"
            "share seen       20 %      40 %      60 %      80 %     100 %\n"
            "accuracy      50.00 %   50.00 %  100.00 %  100.00 %  100.00 %\n"
            "decided at a probability of 0.50: accuracy 50.00 % after 50.0 % of a case, harmonic mean 0.500\n");
}

}  // namespace
}  // namespace aaren::classification
