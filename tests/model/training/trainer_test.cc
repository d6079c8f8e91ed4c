#include "model/training/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/nn/forecaster/export.h"
#include "model/tasks/forecasting/parts/random.h"
#include "tests/model/training/fresh_folder.h"
#include "tests/model/training/small_run.h"

namespace aaren::training {
namespace {

using ::testing::HasSubstr;

bool GoOn(const TrainProgress&) { return true; }

absl::StatusOr<TrainResult> TrainSmall(const TrainOptions& options,
                                       const std::function<bool(const TrainProgress&)>& on_step = GoOn) {
  return Train(options, *SyntheticSource(options.seed), on_step);
}

void ExpectSameWeights(const TrainResult& one, const TrainResult& two) {
  const auto weights = one.forecaster->named_parameters();
  for (const auto& item : two.forecaster->named_parameters()) {
    EXPECT_TRUE(torch::equal(item.value(), weights[item.key()])) << item.key();
  }
}

// Runs until `step` is done, then stops like a kill.
void RunUntil(int64_t step, const TrainOptions& options) {
  const auto result = TrainSmall(options, [&](const TrainProgress& progress) { return progress.step < step; });
  ASSERT_TRUE(absl::IsCancelled(result.status())) << result.status();
}

TEST(TrainTest, LossFalls) {
  TrainOptions options = SmallRun();
  options.steps = 150;
  std::vector<double> checks;
  const auto result = TrainSmall(options, [&](const TrainProgress& progress) {
    if (progress.checked) checks.push_back(progress.held_out_loss);
    return true;
  });
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_LT(result->held_out_loss, 0.9 * checks.front());
}

// Random shapes that repeat every 24 or 30 values, longer than the small ring.
class CleanSeasons : public SeriesSource {
 public:
  uint64_t seed() const override { return 5; }
  std::string Fingerprint() const override { return "clean seasons"; }
  std::vector<double> Draw(uint64_t index, int length) const override {
    forecasting::Random random(5, index);
    std::vector<double> shape(random.Chance(0.5) ? 24 : 30);
    for (double& value : shape) value = random.Normal();
    std::vector<double> values;
    for (int t = 0; t < length; ++t) values.push_back(shape[t % shape.size()]);
    return values;
  }
  std::vector<double> DrawHeldOut(uint64_t index, int length) const override { return Draw(~index, length); }
  int HeldOutStart(uint64_t, int) const override { return 96; }
};

double HeldOutLoss(bool seasons) {
  TrainOptions options = SmallRun();
  options.config.seasons = seasons;
  options.steps = 60;
  options.context = 192;
  const auto result = Train(options, CleanSeasons(), GoOn);
  return result.ok() ? result->held_out_loss : NAN;
}

TEST(TrainTest, CleanSeasonsAreLearnedFarBetterWithSeasonalInputs) {
  EXPECT_LT(HeldOutLoss(true), 0.5 * HeldOutLoss(false));
}

TEST(TrainTest, RunBeginsWithTheWeightsOfAPackage) {
  TrainOptions options = SmallRun();
  const auto first = TrainSmall(options);
  ASSERT_TRUE(first.ok()) << first.status();
  options.init = nn::ToPackage(first->forecaster);
  options.config.seasons = true;
  options.optimizer.rate = options.optimizer.muon_rate = 0;
  options.steps = options.validate_every = 1;
  const auto second = TrainSmall(options);
  ASSERT_TRUE(second.ok()) << second.status();
  const auto expected = first->forecaster->named_parameters(), begun = second->forecaster->named_parameters();
  EXPECT_TRUE(torch::equal(begun["head.weight"], expected["head.weight"]));
  EXPECT_TRUE(torch::equal(begun["skip.weight"].narrow(1, 0, 22), expected["skip.weight"]));
}

TEST(TrainTest, HeldOutLossIsToldForEachFamily) {
  TrainOptions options = SmallRun();
  options.validation_rows = static_cast<int>(SyntheticSource(1)->HeldOutGroups().size());
  const auto result = TrainSmall(options);
  ASSERT_TRUE(result.ok()) << result.status();
  const auto& groups = result->history.groups();
  EXPECT_EQ(groups.size(), SyntheticSource(1)->HeldOutGroups().size());
  ASSERT_EQ(groups.count("solar"), 1u);
  EXPECT_EQ(groups.at("solar").size(), result->history.checks().size());
}

TEST(TrainTest, SecondRunOnOneCheckpointIsRefused) {
  TrainOptions options = SmallRun();
  options.checkpoint = FreshFolder("trainer");
  absl::Status second;
  const auto first = TrainSmall(options, [&](const TrainProgress&) {
    second = TrainSmall(options).status();
    return false;
  });
  EXPECT_TRUE(absl::IsFailedPrecondition(second)) << second;
  EXPECT_THAT(std::string(second.message()), HasSubstr(options.checkpoint + " is in use by another run"));
  EXPECT_TRUE(TrainSmall(options).ok()) << "the first has ended";
}

TEST(TrainTest, OneSeedGivesTheSameBitsTwice) {
  const auto one = TrainSmall(SmallRun()), two = TrainSmall(SmallRun());
  ASSERT_TRUE(one.ok() && two.ok());
  ExpectSameWeights(*one, *two);
}

TEST(TrainTest, AnotherSeedGivesOtherWeights) {
  TrainOptions options = SmallRun();
  const auto one = TrainSmall(options);
  options.seed = 2;
  const auto two = TrainSmall(options);
  ASSERT_TRUE(one.ok() && two.ok());
  EXPECT_FALSE(torch::equal(one->forecaster->head->weight, two->forecaster->head->weight));
}

// Keeps the numbers and lengths of all crops that are drawn for training.
class KeptDraws : public CleanSeasons {
 public:
  std::vector<double> Draw(uint64_t index, int length) const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    draws_.emplace(index, length);
    return CleanSeasons::Draw(index, length);
  }

  const std::set<std::pair<uint64_t, int>>& draws() const { return draws_; }

 private:
  mutable std::mutex mutex_;
  mutable std::set<std::pair<uint64_t, int>> draws_;
};

TEST(TrainTest, RunsOfOneSourceDrawTheSameSeriesWithAnySeed) {
  TrainOptions options = SmallRun();
  KeptDraws one, two;
  ASSERT_TRUE(Train(options, one, GoOn).ok());
  options.seed = 2;
  ASSERT_TRUE(Train(options, two, GoOn).ok());
  EXPECT_EQ(one.draws(), two.draws());
}

TEST(TrainTest, KilledAndResumedRunEndsWithTheSameBits) {
  const auto whole = TrainSmall(SmallRun());
  TrainOptions options = SmallRun();
  options.checkpoint = FreshFolder("trainer");
  RunUntil(8, options);   // continues from step 5
  RunUntil(23, options);  // continues from step 20
  std::vector<int64_t> steps;
  const auto resumed = TrainSmall(options, [&](const TrainProgress& progress) {
    steps.push_back(progress.step);
    return true;
  });
  ASSERT_TRUE(whole.ok() && resumed.ok()) << resumed.status();
  EXPECT_EQ(steps.front(), 21);
  EXPECT_EQ(whole->held_out_loss, resumed->held_out_loss);
  ExpectSameWeights(*whole, *resumed);
}

// The part of a history that does not depend on the clock.
std::vector<double> Losses(const History& history) {
  std::vector<double> losses;
  for (const Stretch& stretch : history.stretches()) {
    losses.insert(losses.end(), {stretch.last_step, stretch.steps, stretch.loss, stretch.tokens});
  }
  for (const HeldOutCheck& check : history.checks()) losses.insert(losses.end(), {check.step, check.loss});
  return losses;
}

TEST(TrainTest, CurvesOfAKilledAndResumedRunAreWhole) {
  const auto whole = TrainSmall(SmallRun());
  TrainOptions options = SmallRun();
  options.checkpoint = FreshFolder("trainer");
  RunUntil(13, options);
  const auto resumed = TrainSmall(options);
  ASSERT_TRUE(whole.ok() && resumed.ok()) << resumed.status();
  EXPECT_EQ(whole->history.checks().size(), 3u);
  EXPECT_EQ(Losses(whole->history), Losses(resumed->history));
}

TEST(TrainTest, ScoringFilesForTheReportChangesNoWeight) {
  TrainOptions options = SmallRun();
  const auto without = TrainSmall(options);
  forecasting::CsvSeries wave{.name = "wave", .values = {}};
  for (int t = 0; t < 600; ++t) wave.values.push_back(std::sin(t * 0.5));
  options.validation = {{.name = "waves", .season = 12, .series = {wave}}};
  const auto with = TrainSmall(options);
  ASSERT_TRUE(without.ok() && with.ok()) << with.status();
  ExpectSameWeights(*without, *with);
  const std::vector<QualityCheck>& checks = with->history.quality().at("waves");
  ASSERT_EQ(checks.size(), 3u);
  EXPECT_EQ(checks.back().step, 30);
  EXPECT_GT(checks.back().mase, 0);
}

TEST(TrainTest, FinishedRunHasNothingLeftToDo) {
  TrainOptions options = SmallRun();
  options.checkpoint = FreshFolder("trainer");
  const auto first = TrainSmall(options);
  const auto again = TrainSmall(options, [](const TrainProgress&) { return false; });
  ASSERT_TRUE(first.ok() && again.ok()) << again.status();
  ExpectSameWeights(*first, *again);
}

TEST(TrainTest, CheckpointOfOtherOptionsIsRefusedWithBoth) {
  TrainOptions options = SmallRun();
  options.checkpoint = FreshFolder("trainer");
  RunUntil(6, options);
  options.config.width = 32;
  const absl::Status status = TrainSmall(options).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("width=16"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("width=32"));
}

TEST(TrainTest, CheckpointOfOtherValuesIsRefused) {
  forecasting::CsvSeries wave{.name = "wave", .values = {}};
  for (int t = 0; t < 200; ++t) wave.values.push_back(std::sin(t * 0.5));
  TrainOptions options = SmallRun();
  options.steps = 1;
  options.checkpoint = FreshFolder("trainer");
  ASSERT_TRUE(Train(options, *CsvSource({wave}, 1, options.config.horizon), GoOn).ok());
  EXPECT_TRUE(Train(options, *CsvSource({wave}, 1, options.config.horizon), GoOn).ok());
  wave.values[100] += 1e-9;
  const absl::Status status = Train(options, *CsvSource({wave}, 1, options.config.horizon), GoOn).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
}

TEST(TrainTest, StopsWhenHeldOutSeriesDoNotImproveAndKeepsTheBest) {
  TrainOptions options = SmallRun();
  options.steps = 1000;
  options.validate_every = 1;
  options.patience = 3;
  options.optimizer = {.rate = 0.3, .muon_rate = 0.5};  // wild, and soon without progress
  double best = 1e9;
  const auto result = TrainSmall(options, [&](const TrainProgress& progress) {
    best = std::min(best, progress.held_out_loss);
    return true;
  });
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->stopped_early);
  EXPECT_LT(result->steps, 1000);
  EXPECT_EQ(result->held_out_loss, best);
}

TEST(TrainTest, OptionsOutOfRangeAreNamed) {
  TrainOptions options = SmallRun();
  options.steps = 0;
  EXPECT_THAT(std::string(TrainSmall(options).status().message()), HasSubstr("steps is 0"));
  options = SmallRun();
  options.config.width = 17;
  EXPECT_THAT(std::string(TrainSmall(options).status().message()), HasSubstr("width is 17, not divisible by heads"));
}

TEST(TrainTest, LearnsFromCsvSeries) {
  forecasting::CsvSeries wave{.name = "wave", .values = {}};
  for (int t = 0; t < 600; ++t) wave.values.push_back(100 + 5 * std::sin(t * 0.5));
  TrainOptions options = SmallRun();
  options.steps = 150;
  const auto result = Train(options, *CsvSource({wave}, 1, options.config.horizon), GoOn);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_LT(result->held_out_loss, 0.3);
}

}  // namespace
}  // namespace aaren::training
