#include "server/operate/trace/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace aaren::trace {
namespace {

constexpr int kMessages = 200'000;

std::vector<int> Sampled(double share, uint64_t seed) {
  Sampler sampler(share, seed);
  std::vector<int> sampled;
  for (int message = 0; message < kMessages; ++message) {
    if (sampler.Next()) sampled.push_back(message);
  }
  return sampled;
}

TEST(SamplerTest, TakesTheShareThatWasAskedFor) {
  for (const double share : {0.001, 0.25, 0.9}) {
    const double deviation = std::sqrt(kMessages * share * (1 - share));
    EXPECT_NEAR(static_cast<double>(Sampled(share, 1).size()), kMessages * share, 4 * deviation) << share;
  }
}

// A message after a taken one is taken as often as any.
TEST(SamplerTest, TakesAMessageWhateverBecameOfTheOneBefore) {
  const double share = 0.25;
  const std::vector<int> sampled = Sampled(share, 2);
  int neighbours = 0;
  for (size_t i = 1; i < sampled.size(); ++i) neighbours += sampled[i] == sampled[i - 1] + 1;
  const auto n = static_cast<double>(sampled.size());
  EXPECT_NEAR(neighbours, n * share, 4 * std::sqrt(n * share * (1 - share)));
}

TEST(SamplerTest, TakesAllAtOne) { EXPECT_EQ(Sampled(1, 3).size(), size_t{kMessages}); }

TEST(SamplerTest, TakesNoneAtZero) { EXPECT_TRUE(Sampled(0, 4).empty()); }

TEST(SamplerTest, RepeatsItselfWithItsSeed) {
  EXPECT_EQ(Sampled(0.1, 5), Sampled(0.1, 5));
  EXPECT_NE(Sampled(0.1, 5), Sampled(0.1, 6));
}

TEST(SamplerTest, IdsDifferBetweenServersWithoutASeed) {
  std::set<TraceId> ids;
  for (int server = 0; server < 100; ++server) ids.insert(Sampler(1, 0).NewTrace());
  EXPECT_EQ(ids.size(), 100u);
}

}  // namespace
}  // namespace aaren::trace
