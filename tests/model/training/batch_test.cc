#include "model/training/batch.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <set>
#include <vector>

#include "model/tasks/forecasting/synthetic.h"
#include "tests/model/training/small_run.h"

namespace aaren::training {
namespace {

bool SameValues(const torch::Tensor& x, const torch::Tensor& y) {
  return torch::allclose(x, y, 0, 0, /*equal_nan=*/true);
}

Batch BatchOf(int64_t step) { return TrainingBatch(SmallConfig(), *SyntheticSource(1), step, 8, 64); }

TEST(TrainingBatchTest, DependsOnTheStepAlone) {
  const Batch one = BatchOf(17), two = BatchOf(17);
  EXPECT_EQ(one.positions, two.positions);
  EXPECT_TRUE(SameValues(one.values, two.values));
}

TEST(TrainingBatchTest, NoTwoRowsAreTheSameSeries) {
  const Batch batch = BatchOf(3);
  for (int64_t row = 1; row < batch.values.size(0); ++row) EXPECT_FALSE(SameValues(batch.values[0], batch.values[row]));
}

TEST(TrainingBatchTest, GapsAreAtMostTheFoldIntervalAndMostlyEqualToIt) {
  int equal = 0, all = 0;
  for (int64_t step = 0; step < 50; ++step) {
    const std::vector<int64_t> positions = BatchOf(step).positions;
    EXPECT_LT(positions[0], 4);
    for (size_t i = 1; i < positions.size(); ++i, ++all) {
      const int64_t gap = positions[i] - positions[i - 1];
      ASSERT_TRUE(gap >= 1 && gap <= 4) << gap;
      equal += gap == 4;
    }
  }
  EXPECT_NEAR(equal / static_cast<double>(all), 0.7 + 0.3 / 4, 0.05);
}

TEST(TrainingBatchTest, CropsAreShortAndLongByTurnsWithAsManyValues) {
  std::set<int64_t> lengths;
  for (int64_t step = 0; step < 50; ++step) {
    const Batch batch = BatchOf(step);
    const int64_t length = batch.values.size(1) - 4;
    lengths.insert(length);
    EXPECT_EQ(length * batch.values.size(0), 8 * 64);
  }
  EXPECT_EQ(lengths, (std::set<int64_t>{32, 64, 128, 256}));
}

std::vector<int64_t> HeldOutPositions(const SeriesSource& source, int rows) {
  return HeldOutBatch(SmallConfig(), source, rows, 2000).positions;
}

TEST(HeldOutBatchTest, ScoresWhatAPeekSeesBesidesFolds) {
  const std::vector<int64_t> positions = HeldOutPositions(*SyntheticSource(1), 2);
  std::set<int64_t> gaps;
  for (size_t i = 1; i < positions.size(); ++i) gaps.insert(positions[i] - positions[i - 1]);
  EXPECT_EQ(gaps, (std::set<int64_t>{1, 2, 3, 4}));
}

TEST(HeldOutBatchTest, HasTheSameTokensInEveryRun) {
  EXPECT_EQ(HeldOutPositions(*SyntheticSource(1), 2), HeldOutPositions(*SyntheticSource(2), 3));
}

TEST(SyntheticSourceTest, HeldOutSeriesAreOthers) {
  const auto source = SyntheticSource(1);
  EXPECT_NE(source->Draw(0, 32), source->DrawHeldOut(0, 32));
}

TEST(SyntheticSourceTest, HeldOutSeriesAreOfAllFamiliesByTurns) {
  const auto source = SyntheticSource(1);
  const std::vector<std::string> groups = source->HeldOutGroups();
  ASSERT_EQ(groups.size(), forecasting::Families().size());
  const std::vector<double> solar =
      forecasting::SyntheticSeries(*forecasting::FindFamily("solar"), 3, 2 * groups.size() + 7, 500);
  ASSERT_EQ(groups[7], "solar");
  EXPECT_TRUE(SameValues(torch::tensor(source->DrawHeldOut(2 * groups.size() + 7, 500)), torch::tensor(solar)));
}

// No step repeats an earlier step's series, however long the run.
TEST(SyntheticSourceTest, LateStepsDrawOtherSeriesThanEarlyOnes) {
  std::set<double> sums;
  for (const int64_t step : {0, 1, 1000, 1000000}) sums.insert(BatchOf(step).values.nansum().item<double>());
  EXPECT_EQ(sums.size(), 4u);
}

forecasting::CsvSeries Counting(int length) {
  forecasting::CsvSeries series{.name = "n", .values = {}};
  for (int t = 0; t < length; ++t) series.values.push_back(t);
  return series;
}

TEST(CsvSourceTest, TrainingNeverSeesTheHeldOutTail) {
  const auto source = CsvSource({Counting(200)}, 1, 4);
  for (uint64_t index = 0; index < 300; ++index) {
    for (const double value : source->Draw(index, 50)) ASSERT_LT(value, 180);
  }
  EXPECT_EQ(source->DrawHeldOut(0, 50).back(), 199);
  EXPECT_EQ(source->HeldOutStart(0, 50), 30) << "values 180 .. 199 of the crop 150 .. 199";
}

TEST(CsvSourceTest, AShortSeriesIsScoredInItsOwnHeldOutTail) {
  const auto source = CsvSource({Counting(1000), Counting(100)}, 1, 4);
  EXPECT_EQ(source->HeldOutStart(0, 400), 300);
  EXPECT_EQ(source->HeldOutStart(1, 400), 390);
}

TEST(CsvSourceTest, NoHeldOutCropIsScoredTwice) {
  const Batch batch = HeldOutBatch(SmallConfig(), *CsvSource({Counting(1000), Counting(100)}, 1, 4), 120, 50);
  ASSERT_EQ(batch.values.size(0), 2);
  EXPECT_EQ(batch.first_targets[1].item<int64_t>(), 44);
}

TEST(CsvSourceTest, ShortSeriesArePaddedWithMissingValues) {
  const auto source = CsvSource({Counting(20)}, 1, 4);
  const std::vector<double> crop = source->Draw(0, 30);
  EXPECT_EQ(crop[15], 15);
  EXPECT_TRUE(std::isnan(crop[16])) << "held out";
  EXPECT_TRUE(std::isnan(source->DrawHeldOut(0, 30)[9])) << "before the series";
  EXPECT_EQ(source->DrawHeldOut(0, 30)[10], 0);
}

TEST(CsvSourceTest, SeriesWithoutRoomForTheHorizonAreNotDrawn) {
  const auto source = CsvSource({Counting(8), Counting(100)}, 1, 4);
  for (uint64_t index = 0; index < 50; ++index) EXPECT_FALSE(std::isnan(source->Draw(index, 80)[79]));
}

}  // namespace
}  // namespace aaren::training
