#include "model/engine/network/fold.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace aaren::engine {
namespace {

// Two heads of eight values: the first plain and without decay, the second rotary and forgetting.
constexpr size_t kHeads = 2, kHeadWidth = 8, kWidth = 16, kPairs = kWidth / 2;

class FoldTest : public testing::Test {
 protected:
  // fold_every = 2: one token peeks, one folds.
  Ageing MakeAgeing(float decay, double omega) {
    const package::ForecasterConfig config{.heads = kHeads, .value_width = kWidth, .fold_every = 2};
    package::Tensor cosine{{2, kPairs}, std::vector<float>(2 * kPairs, 1.0f)};
    package::Tensor sine{{2, kPairs}, std::vector<float>(2 * kPairs, 0.0f)};
    for (size_t age = 1; age <= 2; ++age) {
      for (size_t j = kPairs / 2; j < kPairs; ++j) {
        const double angle = omega * static_cast<double>(age * (j - kPairs / 2 + 1));
        cosine.data[(age - 1) * kPairs + j] = static_cast<float>(std::cos(angle));
        sine.data[(age - 1) * kPairs + j] = static_cast<float>(std::sin(angle));
      }
    }
    return Ageing(config, {{kHeads}, {0.0f, decay}}, cosine, sine);
  }

  void Draw(std::mt19937_64& random) {
    const auto uniform = [&] { return static_cast<float>(static_cast<double>(random() >> 11) * 0x1p-53 - 0.5); };
    for (float& score : scores_) score = 3.0f * uniform();
    for (float& value : values_) value = 1.0f + 3.0f * uniform();
  }

  void FoldNow(const Ageing& ageing, size_t age, bool store) {
    LayerFold fold(ageing, scratch_);
    const FoldToken token = {.age = age, .scores = scores_, .values = values_};
    store ? fold.Fold(token, State(), out_) : fold.Peek(token, State(), out_);
  }

  LayerState State() { return {.output = output_, .weight = weight_, .peak = peak_}; }

  alignas(64) float scores_[16] = {};
  alignas(64) float values_[kWidth] = {};
  alignas(64) float out_[kWidth] = {};
  double output_[kWidth] = {};
  double weight_[kHeads] = {};
  double peak_[kHeads] = {-INFINITY, -INFINITY};
  FoldScratch scratch_{kHeads, kWidth};
};

TEST_F(FoldTest, FirstTokenIsAllThereIs) {
  std::mt19937_64 random(1);
  Draw(random);
  FoldNow(MakeAgeing(0.1f, 0.3), 1, true);
  for (size_t i = 0; i < kWidth; ++i) EXPECT_EQ(out_[i], values_[i]);
  for (size_t h = 0; h < kHeads; ++h) EXPECT_EQ(weight_[h], 1.0);
  for (size_t h = 0; h < kHeads; ++h) EXPECT_EQ(peak_[h], scores_[h]);
}

TEST_F(FoldTest, PeekReadsWhatFoldWouldAndStoresNothing) {
  std::mt19937_64 random(2);
  const Ageing ageing = MakeAgeing(0.1f, 0.3);
  for (int i = 0; i < 10; ++i) {
    Draw(random);
    FoldNow(ageing, 2, true);
  }
  Draw(random);
  const std::vector<double> before(output_, output_ + kWidth);
  FoldNow(ageing, 2, false);
  const std::vector<float> peeked(out_, out_ + kWidth);
  EXPECT_EQ(std::vector<double>(output_, output_ + kWidth), before);
  FoldNow(ageing, 2, true);
  EXPECT_EQ(std::vector<float>(out_, out_ + kWidth), peeked);
  EXPECT_NE(std::vector<double>(output_, output_ + kWidth), before);
}

TEST_F(FoldTest, HugeDecayForgetsAllButTheNewest) {
  std::mt19937_64 random(3);
  const Ageing ageing = MakeAgeing(1e4f, 0.3);
  for (int i = 0; i < 3; ++i) {
    Draw(random);
    FoldNow(ageing, 2, true);
  }
  for (size_t i = kHeadWidth; i < kWidth; ++i) EXPECT_EQ(out_[i], values_[i]);
}

TEST_F(FoldTest, ScoresFarApartDoNotOverflow) {
  const Ageing ageing = MakeAgeing(0.0f, 0.3);
  std::mt19937_64 random(4);
  for (float score : {-1e30f, 1e30f, -1e30f, 3e38f}) {
    Draw(random);
    scores_[0] = scores_[1] = score;
    FoldNow(ageing, 2, true);
    for (float value : out_) EXPECT_TRUE(std::isfinite(value)) << score;
  }
}

// After a million folds the state is within 1e-6 of the softmax over all million tokens, computed in one pass in long
// double. The engine's bits are the same everywhere, so 1e-6 is a promise, not one machine's rounding.
TEST_F(FoldTest, MillionFoldsStayExact) {
  constexpr size_t kTokens = 1000000;
  const Ageing ageing = MakeAgeing(1e-6f, 0.7);
  std::mt19937_64 random(5);
  for (size_t t = 0; t < kTokens; ++t) {
    Draw(random);
    FoldNow(ageing, 2, true);
  }
  long double total[kHeads] = {};
  long double sums[kWidth] = {};
  random.seed(5);
  for (size_t t = 0; t < kTokens; ++t) {
    Draw(random);
    const double folds = static_cast<double>(kTokens - 1 - t);
    double weight[kHeads];
    for (size_t h = 0; h < kHeads; ++h) total[h] += weight[h] = std::exp(scores_[h] - 2.0 * folds * ageing.decay[h]);
    for (size_t j = 0; j < kPairs; ++j) {
      const double angle = folds * std::atan2(ageing.sine[kPairs + j], ageing.cosine[kPairs + j]);
      const double c = std::cos(angle), s = std::sin(angle);
      const double w = weight[2 * j / kHeadWidth];
      sums[2 * j] += w * (c * values_[2 * j] + s * values_[2 * j + 1]);
      sums[2 * j + 1] += w * (c * values_[2 * j + 1] - s * values_[2 * j]);
    }
  }
  for (size_t i = 0; i < kWidth; ++i) {
    EXPECT_NEAR(output_[i], static_cast<double>(sums[i] / total[i / kHeadWidth]), 1e-6) << i;
  }
}

}  // namespace
}  // namespace aaren::engine
