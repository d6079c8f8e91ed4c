#include "model/engine/forecasting/refinement/mixture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "model/season/value_memory.h"
#include "model/tasks/forecasting/parts/random.h"
#include "tests/model/engine/forecasting/mixed_reference.h"

namespace aaren::engine {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr season::Bounds kUnbounded = {-kInfinity, kInfinity};
constexpr size_t kQuantiles = 9, kHorizon = 48;
constexpr float kUnit = 10;

using Forecast = std::vector<float>;                           // [T, Q]
using Network = std::function<float(size_t t, size_t ahead)>;  // a median
using Values = std::function<float(size_t t)>;

// A session whose network forecasts as told.
class Session {
 public:
  explicit Session(Network network) : network_(std::move(network)) {
    memory_.Reset();
    errors_.Reset();
    mixture_.Reset(state_.data());
  }

  Forecast Take(float value) {
    memory_.Add(seq_, value, kUnbounded);
    errors_.SetUnit(kUnit);
    errors_.Add(seq_, value, kUnbounded, memory_);
    const season::Past past{memory_.Unroll(seq_, kUnbounded, window_), season::ValueMemory::kValues - 1, kUnbounded};
    if (probes().At(seq_)) Gather(past);
    season::WriteSources(past, choice_, 0, kHorizon, sources_.data());
    Say();
    if (probes().At(seq_)) mixture_.Learn(seq_, {evidence_.data(), said_.data()}, state_.data());
    Forecast mixed = said_;
    mixture_.Mix(seq_++, state_.data(), kUnit, sources_.data(), mixed.data());
    return mixed;
  }

  const Forecast& said() const { return said_; }                               // the network's, from the last value
  const std::vector<float>& sources() const { return sources_; }               // sources of that forecast
  const float* renewals() const { return &evidence_[evidence_.size() - 18]; }  // renewals of the last probe
  absl::Status Check() const { return mixture_.Check(seq_, state_.data()); }

 private:
  const Probes& probes() const { return mixture_.probes(); }

  void Gather(const season::Past& past) {
    const season::SeasonChoice now = season::ChooseSeasons(season::SeasonScores(seq_, errors_));
    mixture_.Gather(seq_, past, 0, errors_, chosen_.data(), now, evidence_.data());
    choice_ = chosen_[probes().Number(seq_) % probes().under_way()] = now;
  }

  void Say() {
    for (size_t j = 0; j < kHorizon; ++j) {
      for (size_t i = 0; i < kQuantiles; ++i) {
        said_[j * kQuantiles + i] = network_(seq_, j + 1) + static_cast<float>(i) - 4.0f;
      }
    }
  }

  Network network_;
  const Mixture mixture_{package::ForecasterConfig()};
  season::ValueMemory memory_;
  season::ValueMemory::Window window_;
  season::LagErrors errors_;
  season::SeasonChoice choice_;
  std::vector<season::SeasonChoice> chosen_ = std::vector<season::SeasonChoice>(mixture_.probes().under_way());
  std::vector<float> state_ = std::vector<float>(mixture_.state_size());
  std::vector<float> evidence_ = std::vector<float>(mixture_.evidence_size());
  std::vector<float> sources_ = std::vector<float>(season::kSourceCount * kHorizon);
  Forecast said_ = Forecast(kHorizon * kQuantiles);
  uint64_t seq_ = 0;
};

// Mean absolute errors of medians over steps 1 to 48, from the last thousand tokens.
struct Errors {
  double mixed = 0, network = 0, last = 0, season = 0;
};

Errors ErrorsOf(Session session, const Values& value, size_t length) {
  Errors errors;
  for (size_t t = 0; t < length; ++t) {
    const Forecast mixed = session.Take(value(t));
    if (t + 1000 < length) continue;
    for (size_t j = 0; j < kHorizon; ++j) {
      const double truth = value(t + j + 1);
      errors.mixed += std::abs(truth - mixed[j * kQuantiles + 4]);
      errors.network += std::abs(truth - session.said()[j * kQuantiles + 4]);
      errors.last += std::abs(truth - session.sources()[season::kLastValue * kHorizon + j]);
      errors.season += std::abs(truth - session.sources()[season::kSeasonAgo * kHorizon + j]);
    }
  }
  return errors;
}

// Reproducible numbers: noise of deviation 1 at each t.
float Noise(size_t t) { return static_cast<float>(forecasting::Random(9, t).Normal()); }

float Day(size_t t) { return static_cast<float>((t % 24) * (t % 24 < 12 ? 1 : 2)) + 0.05f * Noise(t); }

class Walk {
 public:
  explicit Walk(size_t length) {
    for (size_t t = 0; t < length; ++t) values_.push_back((t > 0 ? values_.back() : 0) + Noise(t));
  }
  float operator()(size_t t) const { return values_[t]; }

 private:
  std::vector<float> values_;
};

TEST(MixtureTest, FollowsTheSeasonWhereTheNetworkDoesNotSeeIt) {
  const Errors errors = ErrorsOf(Session([](size_t, size_t) { return 12.0f; }), Day, 4000);
  EXPECT_LT(errors.mixed, 1.02 * errors.season);
  EXPECT_LT(errors.season, 0.05 * errors.network);
}

TEST(MixtureTest, FollowsTheLastValueOfAWalk) {
  const Walk walk(4100);
  const Errors errors = ErrorsOf(Session([&](size_t t, size_t) { return walk(t) + 5; }), std::cref(walk), 4000);
  EXPECT_LT(errors.mixed, 1.02 * errors.last);
  EXPECT_LT(errors.last, 0.9 * errors.network);
}

TEST(MixtureTest, LeavesTheBetterNetworkNearlyAlone) {
  const auto network = [](size_t t, size_t ahead) { return Day(t + ahead) + 0.01f * Noise(t + 7 * ahead); };
  const Errors errors = ErrorsOf(Session(network), Day, 4000);
  EXPECT_LT(errors.mixed, 1.02 * errors.network);
  EXPECT_LT(errors.network, 0.9 * errors.season);
}

TEST(MixtureTest, FollowsTheNetworkAgainWhenTheSeasonHasGone) {
  const auto value = [](size_t t) { return t < 3000 ? Day(t) : 12 + Noise(t); };
  const auto network = [](size_t, size_t) { return 12.0f; };
  const Errors errors = ErrorsOf(Session(network), value, 8000);
  // An error is a mean of some sixty misses. Noise in the mean moves weight to slightly worse experts.
  EXPECT_LT(errors.mixed, 1.08 * errors.network);
}

TEST(MixtureTest, LeavesTheFirstForecastsAlone) {
  Session session([](size_t t, size_t ahead) { return static_cast<float>(t + ahead); });
  for (size_t t = 0; t < 17; ++t) EXPECT_EQ(session.Take(Day(t)), session.said()) << t;
}

TEST(MixtureTest, MovesTheOutermostQuantilesByHalf) {
  Session session([](size_t t, size_t ahead) { return Day(t + ahead) + 2 * Noise(t + ahead); });
  Forecast mixed;
  for (size_t t = 0; t < 500; ++t) mixed = session.Take(Day(t));
  size_t moved = 0;
  for (size_t j = 0; j < kHorizon; ++j) {
    const float *before = &session.said()[j * kQuantiles], *after = &mixed[j * kQuantiles];
    const float shift = after[4] - before[4];
    for (size_t i : {0, 8}) {
      // A quantile that the median would pass goes with the median.
      const float alone = before[i] + shift / 2;
      EXPECT_NEAR(after[i], i == 0 ? std::fmin(alone, after[4]) : std::fmax(alone, after[4]), 1e-4) << j;
    }
    moved += std::abs(shift) > 0.5f;
  }
  EXPECT_GT(moved, kHorizon / 4);
}

// The mixture has sums of a few hundred float errors, to the power of 24; the reference computes in double.
TEST(MixtureTest, IsWhatItIsDefinedToBe) {
  const auto network = [](size_t t, size_t ahead) { return 0.9f * Day(t + ahead) + 1; };
  Session session(network);
  MixedReference reference(package::ForecasterConfig(), kUnit);
  double worst = 0;
  for (size_t t = 0; t < 1200; ++t) {
    const float value = t % 13 == 3 ? NAN : Day(t);
    const Forecast mixed = session.Take(value);
    const std::vector<double> expected =
        reference.Take(value, session.said().data(), session.sources().data(), session.renewals());
    for (size_t i = 0; i < mixed.size(); ++i) worst = std::max(worst, std::abs(mixed[i] - expected[i]));
  }
  EXPECT_LT(worst, 0.05);
}

TEST(MixtureTest, CallsItsStatePossible) {
  Session session([](size_t, size_t) { return 3.0f; });
  for (size_t t = 0; t < 300; ++t) {
    ASSERT_TRUE(session.Check().ok()) << session.Check();
    session.Take(t % 3 == 0 ? NAN : Day(t));
  }
}

}  // namespace
}  // namespace aaren::engine
