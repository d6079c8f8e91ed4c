// The values that a row remembers of its series.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/model/engine/random_package.h"
#include "tests/model/engine/stepper.h"

namespace aaren::engine {
namespace {

constexpr size_t kBlock = 48, kBlocks = 31;  // model/README.md, step 1

class RememberedTest : public testing::Test {
 protected:
  std::vector<double> After(const std::vector<float>& series) {
    const Slot slot = stepper_.Open();
    if (!series.empty()) stepper_.Step({{slot, series, std::vector<uint8_t>(series.size(), 0)}});
    return stepper_.engine()->Remembered(stepper_.RowBytes(slot));
  }

  Stepper stepper_{RandomPackage(TinyConfig(), 3)};
};

bool Equal(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

TEST_F(RememberedTest, RowThatHasSeenNothingKnowsNothing) { EXPECT_TRUE(After({}).empty()); }

TEST_F(RememberedTest, ShortSeriesIsKnownExactlyWithWhatWasMissing) {
  const std::vector<float> series = Series(1, kBlock - 1);
  const std::vector<double> known = After(series);
  ASSERT_EQ(known.size(), series.size());
  for (size_t i = 0; i < series.size(); ++i) EXPECT_TRUE(Equal(known[i], series[i])) << i;
}

TEST_F(RememberedTest, OfALongSeriesTheLast31BlocksAndTheOneUnderWayAreKnown) {
  for (const size_t tokens : {3000u, 3023u, 3024u}) {
    EXPECT_EQ(After(Series(1, tokens)).size(), kBlock * kBlocks + tokens % kBlock) << tokens;
  }
}

// Tolerates half a step of a block's grid. A step is a power of two, at most twice the range over 65,534.
TEST_F(RememberedTest, OlderValuesAreWithinAStepOfTheirBlocksRange) {
  const size_t tokens = 1000;
  const std::vector<float> series = Series(1, tokens);
  const std::vector<double> known = After(series);
  ASSERT_EQ(known.size(), tokens);
  for (size_t block = 0; block < tokens / kBlock; ++block) {
    float least = INFINITY, most = -INFINITY;
    for (size_t i = block * kBlock; i < (block + 1) * kBlock; ++i) {
      least = std::fmin(least, series[i]), most = std::fmax(most, series[i]);
    }
    for (size_t i = block * kBlock; i < (block + 1) * kBlock; ++i) {
      if (std::isnan(series[i])) {
        EXPECT_TRUE(std::isnan(known[i])) << i;
      } else {
        EXPECT_NEAR(known[i], series[i], (most - least) / 65534 + 1e-6f * std::abs(series[i])) << i;
      }
    }
  }
}

}  // namespace
}  // namespace aaren::engine
