#include "model/engine/forecasting/row.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "tests/model/engine/random_package.h"
#include "tests/model/engine/stepper.h"

namespace aaren::engine {
namespace {

using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// A row of 20 tokens; each test damages a field.
class RowTest : public testing::Test {
 protected:
  RowTest() { Feed(Series(2, 20)); }

  std::byte* row() { return bytes_.data(); }
  absl::StatusOr<uint64_t> Check() { return stepper_.engine()->CheckRow(bytes_); }
  void Reset() { layout_.Reset(absl::MakeSpan(bytes_)); }

  // Steps on the row in its present state.
  Outputs Feed(const std::vector<float>& values) {
    stepper_.SetRow(slot_, bytes_);
    Outputs outputs = stepper_.Feed(slot_, values);
    bytes_ = stepper_.RowBytes(slot_);
    return outputs;
  }

  void ExpectRefused(const std::string& message) {
    const absl::Status status = Check().status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(message));
  }

  Stepper stepper_{RandomPackage(TinyConfig(), 1)};
  Slot slot_ = stepper_.Open();
  RowLayout layout_{TinyConfig()};
  std::vector<std::byte> bytes_ = stepper_.RowBytes(slot_);
};

TEST_F(RowTest, GoodRowTellsItsTokens) {
  ASSERT_TRUE(Check().ok()) << Check().status();
  EXPECT_EQ(*Check(), 20u);
}

TEST_F(RowTest, FreshRowIsGood) {
  Reset();
  ASSERT_TRUE(Check().ok()) << Check().status();
  EXPECT_EQ(*Check(), 0u);
}

TEST_F(RowTest, UnalignedRowIsChecked) {
  std::vector<std::byte> bytes(layout_.bytes() + 1);
  const std::vector<std::byte> good = bytes_;
  std::copy(good.begin(), good.end(), bytes.begin() + 1);
  EXPECT_EQ(*stepper_.engine()->CheckRow(absl::MakeSpan(bytes).subspan(1)), 20u);
}

TEST_F(RowTest, EveryOtherLengthIsRefused) {
  const std::vector<std::byte> good = bytes_;
  for (size_t length : {size_t{0}, size_t{1}, good.size() - 1}) {
    const auto checked = stepper_.engine()->CheckRow(absl::MakeSpan(good).first(length));
    EXPECT_EQ(checked.status().code(), absl::StatusCode::kDataLoss) << length;
  }
}

TEST_F(RowTest, ImpossibleCountsAreRefused) {
  layout_.header(row()).seq = ~uint64_t{0};
  ExpectRefused("seq is 18446744073709551615");
  layout_.header(row()).seq = 20;
  layout_.header(row()).statistics.count = 33;
  ExpectRefused("count is 33, more than 32");
  layout_.header(row()).statistics.count = 21;
  ExpectRefused("count is 21, more than seq, which is 20");
  layout_.header(row()).statistics.count = 20;
  layout_.header(row()).statistics.far = 4;
  ExpectRefused("far is 4");
}

TEST_F(RowTest, ClaimedRowIsRefused) {
  layout_.header(row()).claimed = 1;
  ExpectRefused("claimed is 1");
}

TEST_F(RowTest, ImpossibleMeanIsRefused) {
  layout_.header(row()).statistics.mean = kNan;
  ExpectRefused("mean is nan");
  layout_.header(row()).statistics.mean = 1e31;
  ExpectRefused("mean is 1e+31");
}

TEST_F(RowTest, ImpossibleVarianceIsRefused) {
  layout_.header(row()).statistics.variance = -1e-9;
  ExpectRefused("variance is -1e-09");
  layout_.header(row()).statistics.variance = kNan;
  ExpectRefused("variance is nan");
}

TEST_F(RowTest, ImpossibleValuesAreRefused) {
  layout_.values(row()).recent[3] = kInfinity;
  ExpectRefused("recent[3] is inf");
}

TEST_F(RowTest, ValuesOfTokensToComeAreRefused) {
  Reset();
  Feed({1, 2, 3});
  layout_.values(row()).recent[3] = 4;
  ExpectRefused("recent[3] is 4");
}

TEST_F(RowTest, ImpossibleErrorsOfLagsAreRefused) {
  layout_.errors(row()).mean[2] = -1;
  ExpectRefused("the error at lag 3 is -1");
  layout_.errors(row()).mean[2] = kInfinity;
  ExpectRefused("the error at lag 3 is inf");
}

TEST_F(RowTest, ErrorsOfLagsThatNothingWasComparedAtAreRefused) {
  layout_.errors(row()).mean[season::kLagCount - 1] = 1;
  ExpectRefused("the error at lag 1440 is 1, impossible after 20 tokens");
}

TEST_F(RowTest, ImpossibleMixtureIsRefused) {
  float* state = layout_.mixture(row());
  for (float error : {-1.0f, 13.0f, kInfinity}) {
    state[1] = error;
    ExpectRefused(absl::StrCat("the error of expert 1 in octave 0 is ", error));
  }
}

TEST_F(RowTest, ASeasonThatCannotHaveBeenChosenIsRefused) {
  layout_.choices(row())[0].first = 3;
  ExpectRefused("choice 0 is 3, no season yet");
  layout_.choices(row())[0].first = 24;  // longer than the 20 tokens
  ExpectRefused("choice 0 is 24, no season yet");
}

TEST_F(RowTest, CrossingQuantilesAreRefused) {
  layout_.one_step(row())[2] = layout_.one_step(row())[1] - 1.0f;
  ExpectRefused("one_step[2]");
  layout_.one_step(row())[2] = std::numeric_limits<float>::quiet_NaN();
  ExpectRefused("one_step[2] is nan");
}

TEST_F(RowTest, ImpossibleCalibrationIsRefused) {
  float* state = layout_.calibration(row());
  const size_t thetas = layout_.calibration().probes().tracked().size() * 3;
  const float theta = state[4], kept = state[thetas + 2];
  ASSERT_TRUE(std::isfinite(kept));
  state[4] = 2.5f;
  ExpectRefused("theta[4] is 2.5");
  state[4] = NAN;
  ExpectRefused("theta[4] is nan");
  state[4] = theta;
  state[thetas + 2] = state[thetas] - 1.0f;
  ExpectRefused("kept[2] is");
  state[thetas + 2] = NAN;
  ExpectRefused("kept[2] is nan, not a quantile");
  state[thetas + 2] = kept;
  EXPECT_TRUE(Check().ok());
}

TEST_F(RowTest, CalibrationBeforeTheFirstProbeIsRefused) {
  Reset();
  layout_.calibration(row())[1] = 0.5f;
  ExpectRefused("theta[1] is 0.5, impossible after 0 tokens");
}

TEST_F(RowTest, ImpossibleAttentionIsRefused) {
  const LayerState state = layout_.layer(row(), 1);
  const double output = state.output[7], weight = state.weight[2], peak = state.peak[3];
  state.output[7] = kNan;
  ExpectRefused("layer 1 o[7] is nan");
  state.output[7] = output;
  state.weight[2] = 0.5;
  ExpectRefused("layer 1 c[2] is 0.5, impossible after 5 folds");
  state.weight[2] = 6.0;
  ExpectRefused("layer 1 c[2] is 6, impossible after 5 folds");
  state.weight[2] = weight;
  state.peak[3] = -INFINITY;
  ExpectRefused("layer 1 m[3] is -inf, impossible after 5 folds");
  state.peak[3] = peak;
  EXPECT_TRUE(Check().ok());
}

TEST_F(RowTest, AttentionBeforeTheFirstFoldIsRefused) {
  Reset();
  layout_.layer(row(), 0).output[0] = 1.0;
  ExpectRefused("layer 0 o[0] is 1, impossible after 0 folds");
}

// Checking any bytes is safe, and a row that passes gives finite forecasts.
TEST_F(RowTest, RowsWithAnyOneByteChangedAreRefusedOrHarmless) {
  const std::vector<std::byte> good = bytes_;
  size_t accepted = 0;
  for (size_t i = 0; i < good.size(); ++i) {
    bytes_ = good;
    bytes_[i] ^= std::byte{0x55};
    if (!Check().ok()) continue;
    ++accepted;
    for (float value : Feed({1, 2, 3, 4, 5}).forecasts) ASSERT_TRUE(std::isfinite(value)) << i;
  }
  EXPECT_GT(accepted, 0u);
}

}  // namespace
}  // namespace aaren::engine
