#include "model/engine/forecasting/extension/second_view.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "model/engine/forecasting/refinement/mixture.h"

namespace aaren::engine {
namespace {

// A model of four steps and one level: a forecast has medians only. The unit of errors is 2.
class SecondViewTest : public testing::Test {
 protected:
  static constexpr float kUnit = 2;

  static package::ForecasterConfig Config() {
    package::ForecasterConfig config;
    config.ring = 32;
    config.horizon = 4;
    config.quantiles = {0.5f};
    return config;
  }

  // Lets `probes` probes pass with the forecast `mixed`, the second view `view`, and the values truth(probe).
  void Pass(uint64_t probes, float mixed, float view, const std::function<float(uint64_t)>& truth) {
    const size_t judged = probes_.tracked().size();
    const std::vector<float> medians(judged, mixed), views(judged, view);
    for (uint64_t i = 0; i < probes; ++i, seq_ += probes_.every()) {
      const std::vector<float> values(judged, truth(i));
      second_view_.Learn(seq_, {values.data(), medians.data(), views.data(), kUnit}, state_.data());
    }
  }

  // The median of step 4 of a forecast of 0 with the second view `view`.
  float Moved(float view) {
    std::vector<float> forecast(4, 0.0f);
    second_view_.Move(seq_, state_.data(), kUnit, std::vector<float>(4, view), 1, forecast.data());
    return forecast[3];
  }

  void SetUp() override {
    state_.resize(second_view_.state_size());
    second_view_.Reset(state_.data());
  }

  Probes probes_ = Mixture(Config()).probes();
  SecondView second_view_{probes_, {.share = 0.4, .judgements = 200, .memory = 1500}};
  std::vector<float> state_;
  uint64_t seq_ = probes_.every() - 1;
};

TEST_F(SecondViewTest, AYoungSessionWithoutEvidenceDoesNotMove) {
  Pass(5, 0, 1, [](uint64_t) { return NAN; });
  EXPECT_EQ(Moved(1), 0);
}

// 1500 tokens are 88 probes, and each judges step 4 once. The prior share of 0.4 counts 200 judgements.
TEST_F(SecondViewTest, AViewThatIsRightIsFollowedAsFarAsEvidenceGoes) {
  Pass(1000, 0, 1, [](uint64_t i) { return i % 2 == 0 ? 1.1f : 0.9f; });
  EXPECT_NEAR(Moved(1), (88 + 200 * 0.4) / (88 + 200), 0.01);
}

TEST_F(SecondViewTest, AViewThatIsHalfRightIsFollowedLess) {
  Pass(1000, 0, 2, [](uint64_t i) { return i % 2 == 0 ? 1.1f : 0.9f; });
  EXPECT_NEAR(Moved(2) / 2, (88 * 0.5 + 200 * 0.4) / (88 + 200), 0.01);
}

TEST_F(SecondViewTest, AViewThatIsWrongIsNot) {
  Pass(1000, 0, 3, [](uint64_t i) { return i % 2 == 0 ? 0.5f : -0.5f; });
  EXPECT_NEAR(Moved(3), 0, 0.05);
}

TEST_F(SecondViewTest, AMissingValueTeachesNothing) {
  Pass(1000, 0, 1, [](uint64_t) { return NAN; });
  EXPECT_NEAR(Moved(1), 0.4, 1e-6);  // the share of an old session without evidence
}

TEST_F(SecondViewTest, AMissingViewMovesNothing) {
  Pass(1000, 0, 1, [](uint64_t) { return 1.0f; });
  EXPECT_EQ(Moved(NAN), 0);
}

TEST_F(SecondViewTest, AFarViewCountsAsSixUnits) {
  Pass(1000, 0, 1, [](uint64_t) { return 1.0f; });
  EXPECT_EQ(Moved(1e6f), Moved(6 * kUnit));
}

TEST_F(SecondViewTest, AMovedOriginMovesWhatIsKept) {
  Pass(3, 5, 7, [](uint64_t) { return 6.0f; });
  second_view_.Next(state_.data()) = 4;
  std::vector<float> moved = state_;
  second_view_.Shift(1, moved.data());
  EXPECT_EQ(second_view_.Next(moved.data()), 3);
  size_t less = 0;
  for (size_t i = 0; i < moved.size(); ++i) less += moved[i] == state_[i] - 1;
  EXPECT_EQ(less, 1 + 2 * probes_.kept());
}

TEST_F(SecondViewTest, ChecksRefuseWhatNoSessionLeaves) {
  Pass(10, 5, 7, [](uint64_t) { return 6.0f; });
  EXPECT_TRUE(second_view_.Check(seq_, state_.data()).ok());
  EXPECT_TRUE(absl::IsDataLoss(second_view_.Check(3, state_.data())));
  for (size_t i = 0; i < state_.size(); ++i) {
    std::vector<float> damaged = state_;
    damaged[i] = INFINITY;
    EXPECT_TRUE(absl::IsDataLoss(second_view_.Check(seq_, damaged.data()))) << i;
  }
}

}  // namespace
}  // namespace aaren::engine
