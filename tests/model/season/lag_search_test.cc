#include "model/season/lag_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <set>

#include "model/math/statistics.h"
#include "model/tasks/forecasting/parts/random.h"
#include "tests/model/engine/only_target.h"

namespace aaren::season {
namespace {

constexpr uint64_t kProbeEvery = 17;

using Values = std::function<double(size_t)>;

// The part of a row's work that concerns seasons.
class Session {
 public:
  Session() {
    values_.Reset();
    errors_.Reset();
  }

  void Take(float value) {
    if (!std::isnan(value)) statistics_.Add(value, 1024);
    const Bounds bounds = ReachOf(statistics_);
    values_.Add(seq_, value, bounds);
    errors_.Add(seq_, value, bounds, values_);
    if ((seq_ + 1) % kProbeEvery == 0) Probe(bounds);
    ++seq_;
  }

  Session&& After(size_t tokens, const Values& value) && {
    for (size_t t = 0; t < tokens; ++t) Take(static_cast<float>(value(seq_)));
    return std::move(*this);
  }

  uint64_t seq() const { return seq_; }
  LagErrors& errors() { return errors_; }
  SeasonChoice choice() const { return choice_; }
  bool Knows(int lag) const { return errors_.FoundIndex(lag) < kFoundLags; }
  bool FoundNothing() const { return errors_.found[0] == 0; }

 private:
  void Probe(const Bounds& bounds) {
    const float* newest = values_.Unroll(seq_, bounds, window_);
    errors_.SetUnit(std::sqrt(statistics_.variance));
    choice_ = ChooseAndSearch(seq_, newest, errors_);
  }

  math::Statistics statistics_ = {};
  ValueMemory values_;
  LagErrors errors_;
  ValueMemory::Window window_;
  SeasonChoice choice_;
  uint64_t seq_ = 0;
};

Session After(size_t tokens, const Values& value) { return Session().After(tokens, value); }

// A shape that no shorter lag repeats, with noise of a twentieth of the shape's deviation.
class Cycle {
 public:
  explicit Cycle(size_t length) {
    forecasting::Random random(5, length);
    for (size_t i = 0; i < length; ++i) shape_.push_back(random.Normal());
  }
  double operator()(size_t t) const { return shape_[t % shape_.size()] + 0.05 * forecasting::Random(6, t).Normal(); }

 private:
  std::vector<double> shape_;
};

double Noise(size_t t) { return forecasting::Random(7, t).Normal(); }

class FindsACycle : public testing::TestWithParam<int> {};

TEST_P(FindsACycle, WhichIsNotInTheBank) {
  const int cycle = GetParam();
  const Session session = After(4000, Cycle(cycle));
  EXPECT_TRUE(session.Knows(cycle));
  EXPECT_EQ(session.choice().first, cycle);
}

INSTANTIATE_TEST_SUITE_P(Lags, FindsACycle, testing::Values(17, 37, 53, 137, 199, 250, 367, 499, 777, 1100));

TEST(LagSearchTest, FindsAShortCycleSoon) { EXPECT_EQ(After(300, Cycle(37)).choice().first, 37); }

TEST(LagSearchTest, FindsACycleAmongMissingValues) {
  const Cycle cycle(137);
  const auto value = [&](size_t t) { return t % 5 == 2 || t % 700 < 90 ? NAN : cycle(t); };
  EXPECT_EQ(After(4000, value).choice().first % 137, 0);
}

TEST(LagSearchTest, FindsTheWeekOfACycleToo) {
  const Cycle cycle(37);
  const auto value = [&](size_t t) { return cycle(t) * (t / 37 % 7 < 5 ? 1 : 0.5); };
  const Session session = After(4000, value);
  EXPECT_EQ(session.choice().first, 7 * 37);
  EXPECT_EQ(session.choice().second, 37);
}

TEST(LagSearchTest, FindsAnotherCycleAfterAChange) {
  const Cycle before(137), after(83);
  const Session session = Session().After(4000, before).After(4000, after);
  EXPECT_EQ(session.choice().first % 83, 0);
}

TEST(LagSearchTest, LeavesASeasonOfTheBankAlone) {
  for (int season : {24, 96, 168, 288, 1008}) EXPECT_TRUE(After(5000, Cycle(season)).FoundNothing()) << season;
}

TEST(LagSearchTest, FindsNothingInNoiseOrAWalk) {
  EXPECT_TRUE(After(20000, Noise).FoundNothing());
  double at = 0;
  EXPECT_TRUE(After(20000, [&](size_t t) { return at += Noise(t); }).FoundNothing());
}

// Two events of a series may meet at some lag by chance. The next events do not.
TEST(LagSearchTest, ATrialEndsMostOfWhatIsChance) {
  int trials = 0, found = 0;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    Session session;
    const LagErrors& errors = session.errors();
    for (size_t t = 0; t < 20000; ++t) {
      const LagErrors before = errors;
      const bool event = forecasting::Random(seed, t / 6).Uniform() < 0.02;
      session.Take(static_cast<float>(event ? 5 + Noise(t) : 0.0));
      trials += before.tried_lag == 0 && errors.tried_lag != 0;
      found += !std::equal(std::begin(before.found), std::end(before.found), std::begin(errors.found));
    }
  }
  EXPECT_GE(trials, 20);
  EXPECT_LE(found, trials / 4);
}

TEST(LagSearchTest, FindsNothingWhereAllIsEqualOrMissing) {
  EXPECT_TRUE(After(3000, [](size_t) { return 4.0; }).FoundNothing());
  EXPECT_TRUE(After(3000, [](size_t) { return NAN; }).FoundNothing());
}

// With values of seven levels, the lag beside the cycle is nearly as good, and is found first if tried first.
TEST(LagSearchTest, MovesToTheBetterLagBeside) {
  const auto pulses = [](size_t t) { return (t % 250 < 40 ? 5.0 : 0.0) + 0.15 * Noise(t); };
  const Session session = After(9000, pulses);
  EXPECT_EQ(session.choice().first, 250);
  EXPECT_FALSE(session.Knows(249) || session.Knows(251));
}

TEST(LagSearchTest, EveryInstructionSetFindsTheSame) {
  const LagErrors expected = After(3000, Cycle(137)).errors();
  for (int64_t target : engine::ExactTargets()) {
    const engine::OnlyTarget only(target);
    const LagErrors errors = After(3000, Cycle(137)).errors();
    EXPECT_EQ(std::memcmp(&errors, &expected, sizeof(errors)), 0) << target;
  }
}

TEST(LagSearchTest, ComesByEveryLag) {
  Session session;
  std::set<uint32_t> begun;
  for (size_t t = 0; t < 4000; ++t) {
    session.Take(static_cast<float>(Noise(t)));
    begun.insert(session.errors().next_lag);
  }
  for (uint32_t lag = 4 + 16; lag <= kLongestFound - 16; lag += 16) {
    EXPECT_NE(begun.lower_bound(lag), begun.lower_bound(lag + 16)) << "none from " << lag << " on";
  }
}

TEST(LagErrorsTest, OfAFoundLagAreThoseOfItsMultiplesToo) {
  Session session = After(2000, Cycle(37));
  LagErrors& errors = session.errors();
  EXPECT_EQ(errors.At(session.seq() - 1, 37), errors.found_mean[0]);
  EXPECT_EQ(errors.At(session.seq() - 1, 74), errors.found_mean[0]);
  EXPECT_EQ(errors.At(session.seq() - 1, 75), errors.At(session.seq() - 1, 80));
  EXPECT_NE(errors.At(session.seq() - 1, 75), errors.found_mean[0]);
}

void ExpectRefused(const std::function<void(LagErrors&)>& spoil, const std::string& why) {
  Session session = After(2000, Cycle(37));
  ASSERT_TRUE(session.errors().Check(session.seq()).ok());
  spoil(session.errors());
  const absl::Status status = session.errors().Check(session.seq());
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_NE(status.message().find(why), std::string::npos) << status;
}

TEST(LagErrorsTest, ImpossibleFoundLagsAreRefused) {
  ExpectRefused([](LagErrors& errors) { errors.found[0] = 24; }, "found lag 0 is 24");      // in the bank
  ExpectRefused([](LagErrors& errors) { errors.found[1] = 37; }, "found lag 1 is 37");      // found twice
  ExpectRefused([](LagErrors& errors) { errors.found[0] = 3; }, "found lag 0 is 3");        // no season
  ExpectRefused([](LagErrors& errors) { errors.found[0] = 1249; }, "found lag 0 is 1249");  // beyond the search
  ExpectRefused([](LagErrors& errors) { errors.found[0] = 0; }, "found lag 0 is 0");        // with an error
  ExpectRefused([](LagErrors& errors) { errors.found_mean[0] = NAN; }, "with an error of nan");
  ExpectRefused([](LagErrors& errors) { errors.found_mean[0] = 4.5f; }, "with an error of 4.5");
}

TEST(LagErrorsTest, ImpossibleSearchIsRefused) {
  ExpectRefused([](LagErrors& errors) { errors.next_lag = 3; }, "goes on at 3");
  ExpectRefused([](LagErrors& errors) { errors.next_lag = 1249; }, "goes on at 1249");
  ExpectRefused([](LagErrors& errors) { errors.tried_lag = 24; }, "the lag on trial is 24");
  ExpectRefused([](LagErrors& errors) { errors.tried_lag = 38, errors.trial_left = 0; }, "for another 0 probes");
  ExpectRefused([](LagErrors& errors) { errors.tried_lag = 38, errors.trial_left = 31; }, "for another 31 probes");
  ExpectRefused([](LagErrors& errors) { errors.tried_lag = 0, errors.trial_left = 1; }, "for another 1 probes");
}

}  // namespace
}  // namespace aaren::season
