#include "model/training/loss/quality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/model/rounding.h"
#include "tests/model/training/small_run.h"

namespace aaren::training {
namespace {

using ::testing::HasSubstr;

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

// A forecaster whose median is the newest value: every weight is zero except the skip from the newest value. The newest
// value passes through an asinh, which is the identity for values close together beside their deviation
// (AfterAnOutlier).
nn::Forecaster LastValue() {
  nn::Forecaster forecaster(SmallConfig());
  torch::NoGradGuard no_grad;
  for (torch::Tensor& parameter : forecaster->parameters()) parameter.zero_();
  forecaster->skip->weight.select(1, SmallConfig().ring - 1).fill_(1);
  forecaster->to(torch::kFloat64);
  return forecaster;
}

std::vector<double> AfterAnOutlier(std::vector<double> values) {
  values[0] = 1e6;
  return values;
}

std::vector<double> Alternation(int length) {
  std::vector<double> values(length);
  for (int t = 0; t < length; ++t) values[t] = t % 2;
  return values;
}

ValidationFile File(std::vector<double> values, int season) {
  return {.name = "file", .season = season, .series = {{.name = "x", .values = std::move(values)}}};
}

// A series of period 4, except for one value in ten.
std::vector<double> Seasonal() {
  std::vector<double> values(500);
  for (int t = 0; t < 500; ++t) values[t] = t % 4 + (t % 10 == 0 ? 0.5 : 0);
  return AfterAnOutlier(values);
}

TEST(QualityTest, LastValueIsSeasonalNaiveOfPeriodOne) {
  nn::Forecaster forecaster = LastValue();
  EXPECT_NEAR(Score(forecaster, File(Seasonal(), 1)).relative, 1, 0.06);  // asinh bends values two deviations away
}

TEST(QualityTest, LastValueIsFarWorseThanTheValueOneSeasonBefore) {
  nn::Forecaster forecaster = LastValue();
  // After a 3 come 0, 1, 2, 3: an error of 1.5, against an error of 0.5 in two of ten cases.
  EXPECT_NEAR(Score(forecaster, File(Seasonal(), 4)).relative, 1.5 / 0.1, 2);
}

TEST(QualityTest, MissingValuesAreNotScored) {
  std::vector<double> values = Alternation(500);
  nn::Forecaster forecaster = LastValue();
  for (int t = 450; t < 480; ++t) values[t] = kAbsent;
  EXPECT_TRUE(std::isfinite(Score(forecaster, File(values, 1)).mase));
}

TEST(QualityTest, SeriesWithoutAnyErrorToCompareWithIsLeftOut) {
  ValidationFile file = File(Alternation(500), 1);
  nn::Forecaster forecaster = LastValue();
  const FileQuality alone = Score(forecaster, file);
  file.series.push_back({.name = "constant", .values = std::vector<double>(500, 3)});
  EXPECT_EQ(Score(forecaster, file).mase, alone.mase);
  EXPECT_TRUE(std::isnan(Score(forecaster, File(std::vector<double>(500, 3), 1)).mase));
}

TEST(QualityTest, FileTooShortIsNamedWithItsLength) {
  const absl::Status status = CheckValidationFile(SmallConfig(), File(Alternation(20), 1));
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("file: the longest series has 20 values"));
  EXPECT_TRUE(CheckValidationFile(SmallConfig(), File(Alternation(500), 1)).ok());
}

TEST(QualityTest, CoverageCountsValuesBetweenTheOuterQuantiles) {
  nn::Forecaster forecaster = LastValue();
  torch::NoGradGuard no_grad;
  Batch batch;
  batch.values = torch::tensor(Alternation(64), torch::kFloat64).unsqueeze(0);
  batch.positions = {31, 47};
  const torch::Tensor gaps = forecaster->head->bias.view({4, 3});
  gaps.fill_(-40).select(1, 1).zero_();  // softplus(-40): no gaps
  EXPECT_EQ(Score(forecaster, batch).coverage80, 0);
  gaps.fill_(10).select(1, 1).zero_();
  EXPECT_EQ(Score(forecaster, batch).coverage80, 1);
}

TEST(QualityTest, ErrorOfTheLastValueBesideItselfIsOne) {
  nn::Forecaster forecaster = LastValue();
  Batch batch;
  batch.values = torch::tensor(AfterAnOutlier(Alternation(64)), torch::kFloat64).unsqueeze(0);
  batch.positions = {31, 47};
  EXPECT_NEAR(Score(forecaster, batch).relative, 1, Gamma(16, kFloatUnit));  // two errors of float forecasts
}

}  // namespace
}  // namespace aaren::training
