#include "server/sessions/task/output.h"

#include <gtest/gtest.h>

namespace aaren::task {
namespace {

std::vector<uint64_t> SentOf(const OutputPlan& plan) {
  std::vector<uint64_t> seqs;
  for (uint64_t seq = 0; seq < 7; ++seq) {
    if (plan.Sends(seq)) seqs.push_back(seq);
  }
  return seqs;
}

std::vector<uint64_t> ComputedOf(const OutputPlan& plan) {
  std::vector<uint64_t> seqs;
  for (uint64_t seq = 0; seq < 7; ++seq) {
    if (plan.Computes(seq)) seqs.push_back(seq);
  }
  return seqs;
}

TEST(OutputPlanTest, SendsEachTokensResultIfNothingElseIsAsked) {
  EXPECT_EQ(SentOf({}), (std::vector<uint64_t>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(OutputPlanTest, SendsEveryThirdFromTheFirstOn) {
  EXPECT_EQ(SentOf({.every = 3}), (std::vector<uint64_t>{0, 3, 6}));
}

TEST(OutputPlanTest, ComputesWhatItSends) { EXPECT_EQ(ComputedOf({.every = 3}), (std::vector<uint64_t>{0, 3, 6})); }

TEST(OutputPlanTest, ComputesTheForecastBeforeEachSurprise) {
  EXPECT_EQ(ComputedOf({.every = 3, .surprise = true}), (std::vector<uint64_t>{0, 2, 3, 5, 6}));
}

}  // namespace
}  // namespace aaren::task
