#include "model/training/loss/loss.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "tests/model/rounding.h"
#include "tests/model/training/small_run.h"

namespace aaren::training {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

nn::Forecaster Exact(bool seasons = false) {
  torch::manual_seed(2);
  package::ForecasterConfig config = SmallConfig();
  config.seasons = seasons;
  nn::Forecaster forecaster(config);
  forecaster->to(torch::kFloat64);
  return forecaster;
}

// For a loss, a mean of errors of at most 24, from a forecaster of one or two layers after four tokens.
double Rounding(double unit) { return 24 * NetworkRounding(2, 4, 32, unit); }

Batch RandomBatch() {
  torch::manual_seed(4);
  return {.values = torch::randn({3, 24}, torch::kFloat64), .positions = {5, 9, 13, 19}, .first_targets = {}};
}

int64_t FirstTarget(const Batch& batch, int64_t row) {
  return batch.first_targets.defined() ? batch.first_targets[row].item<int64_t>() : 0;
}

// The definition, one number at a time.
double LossByHand(nn::Forecaster& forecaster, const Batch& batch) {
  const package::ForecasterConfig& config = forecaster->config;
  const nn::Encoding encoding = nn::Encode(config, batch.values, batch.positions, torch::kFloat64);
  const torch::Tensor quantiles = forecaster(encoding, batch.positions);
  double sum = 0;
  int count = 0;
  for (int64_t b = 0; b < batch.values.size(0); ++b) {
    for (size_t k = 0; k < batch.positions.size(); ++k) {
      for (int64_t j = 0; j < config.horizon; ++j) {
        const double value = batch.values[b][batch.positions[k] + 1 + j].item<double>();
        if (std::isnan(value) || batch.positions[k] + 1 + j < FirstTarget(batch, b)) continue;
        const double center = encoding.center[b][k].item<double>(), scale = encoding.scale[b][k].item<double>();
        const double target = std::clamp((value - center) / scale, -12.0, 12.0);
        for (int q = 0; q < config.quantile_count(); ++q, ++count) {
          const double error = target - quantiles[b][k][j][q].item<double>(), level = config.quantiles[q];
          sum += 2 * std::max(level * error, (level - 1) * error);
        }
      }
    }
  }
  return sum / count;
}

TEST(ComputeLossTest, IsTwiceTheMeanPinballLoss) {
  nn::Forecaster forecaster = Exact();
  const Batch batch = RandomBatch();
  EXPECT_NEAR(ComputeLoss(forecaster, batch).loss.item<double>(), LossByHand(forecaster, batch), Rounding(kDoubleUnit));
}

// A series of period 8, long enough for the season to be found.
Batch SeasonalBatch() {
  torch::manual_seed(4);
  const torch::Tensor season = (torch::arange(70, torch::kFloat64) * (2 * std::numbers::pi / 8)).sin();
  return {.values = season + 0.2 * torch::randn({3, 70}, torch::kFloat64),
          .positions = {30, 40, 49, 61},
          .first_targets = {}};
}

// Float32 takes the fused loss, float64 takes operations of torch.
void ExpectFusedEqualsUnfused(bool seasons, const Batch& batch) {
  nn::Forecaster exact = Exact(seasons), fused = Exact(seasons);
  fused->to(torch::kFloat32);
  for (nn::Forecaster* forecaster : {&exact, &fused}) ComputeLoss(*forecaster, batch).loss.backward();
  EXPECT_NEAR(ComputeLoss(fused, batch).loss.item<double>(), ComputeLoss(exact, batch).loss.item<double>(),
              Rounding(kFloatUnit));
  const auto expected = exact->named_parameters();
  for (const auto& item : fused->named_parameters()) {
    ASSERT_EQ(item.value().grad().defined(), expected[item.key()].grad().defined()) << item.key();
    if (!item.value().grad().defined()) continue;  // the key's bias, which cancels
    const torch::Tensor gradient = item.value().grad().to(torch::kFloat64), wanted = expected[item.key()].grad();
    // The backward pass goes through the same layers.
    EXPECT_LE((gradient - wanted).abs().max().item<double>(),
              NetworkRounding(2, 4, 32, kFloatUnit) * std::max(1.0, wanted.abs().max().item<double>()))
        << item.key();
  }
}

TEST(ComputeLossTest, FusedLossAndGradientsEqualTheUnfused) {
  const Batch batch = RandomBatch();
  batch.values[1][15] = kMissing;
  ExpectFusedEqualsUnfused(false, batch);
}

TEST(ComputeLossTest, FusedLossAndGradientsEqualTheUnfusedAfterGaps) {
  const Batch batch = RandomBatch();
  for (const int t : {9, 12, 13}) batch.values[1][t] = kMissing;
  ExpectFusedEqualsUnfused(false, batch);
}

TEST(ComputeLossTest, FusedLossAndGradientsEqualTheUnfusedWithSeasons) {
  ExpectFusedEqualsUnfused(true, SeasonalBatch());
}

TEST(ComputeLossTest, GradientsReachWhatMixesTheSources) {
  nn::Forecaster forecaster = Exact(true);
  forecaster->to(torch::kFloat32);
  ComputeLoss(forecaster, SeasonalBatch()).loss.backward();
  const auto parameters = forecaster->named_parameters();
  for (const char* name : {"skip.weight", "season_gate.weight", "season_gate.bias", "season_residuals.0.weight",
                           "season_residuals.1.weight", "season_residuals.2.weight"}) {
    EXPECT_GT(parameters[name].grad().abs().sum().item<double>(), 0) << name;
  }
}

TEST(ComputeLossTest, MissingTargetsDoNotCount) {
  nn::Forecaster forecaster = Exact();
  const Batch batch = RandomBatch();
  batch.values[0].slice(0, 14).fill_(kMissing);
  batch.values[2][7] = kMissing;
  EXPECT_NEAR(ComputeLoss(forecaster, batch).loss.item<double>(), LossByHand(forecaster, batch), Rounding(kDoubleUnit));
}

TEST(ComputeLossTest, TargetsBeforeTheFirstOfTheirRowDoNotCount) {
  nn::Forecaster forecaster = Exact();
  Batch batch = RandomBatch();
  batch.first_targets = torch::tensor({12, 0, 16}).view({3, 1, 1});
  EXPECT_NEAR(ComputeLoss(forecaster, batch).loss.item<double>(), LossByHand(forecaster, batch), Rounding(kDoubleUnit));
}

TEST(ComputeLossTest, FarTargetsAreClipped) {
  nn::Forecaster forecaster = Exact();
  const Batch batch = RandomBatch();
  batch.values.slice(1, 20).fill_(1e6);
  EXPECT_NEAR(ComputeLoss(forecaster, batch).loss.item<double>(), LossByHand(forecaster, batch), Rounding(kDoubleUnit));
  EXPECT_LT(ComputeLoss(forecaster, batch).loss.item<double>(), 24);
}

TEST(ComputeLossTest, SeriesOfZerosHasNoLossAndNoBadGradient) {
  nn::Forecaster forecaster = Exact();
  Batch batch = RandomBatch();
  batch.values = torch::zeros({2, 24}, torch::kFloat64);
  const BatchLoss computed = ComputeLoss(forecaster, batch);
  EXPECT_EQ(computed.loss.item<double>(), 0);
  computed.loss.backward();
  EXPECT_TRUE(forecaster->head->weight.grad().isfinite().all().item<bool>());
}

}  // namespace
}  // namespace aaren::training
