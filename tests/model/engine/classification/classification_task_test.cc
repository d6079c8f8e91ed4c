#include "model/engine/classification/classification_task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "model/engine/classification/classifier_package.h"
#include "model/engine/cpu/cpu_engine.h"
#include "model/engine/forecast_result.h"
#include "tests/model/engine/classification/random_classifier.h"
#include "tests/model/engine/only_target.h"

namespace aaren::classification {
namespace {

using testing::HasSubstr;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

// A lane's answers to a series.
struct Answers {
  std::vector<float> probabilities;  // [tokens, C]
  std::string row;

  bool operator==(const Answers& other) const {
    return row == other.row && probabilities.size() == other.probabilities.size() &&
           std::memcmp(probabilities.data(), other.probabilities.data(), probabilities.size() * sizeof(float)) == 0;
  }
};

std::vector<float> TokensOf(const Series& series) {
  std::vector<double> numbers;
  for (const std::vector<double>& token : series) numbers.insert(numbers.end(), token.begin(), token.end());
  return engine::RunValues(numbers);
}

uint64_t Fingerprint(const void* data, size_t size) {
  uint64_t hash = 0xcbf29ce484222325;
  for (size_t i = 0; i < size; ++i) hash = (hash ^ static_cast<const uint8_t*>(data)[i]) * 0x100000001b3;
  return hash;
}

class ClassificationTaskTest : public testing::Test {
 protected:
  ClassificationTaskTest() : engine_(*engine::NewCpuEngine(package_)), lane_(engine_->NewLane(8)) {}

  Series SeriesOf(uint64_t seed, size_t tokens) const { return RandomSeries(seed, tokens, package_.classifier); }
  size_t classes() const { return package_.classifier.classes.size(); }

  engine::Slot NewRow() {
    engine::Slot slot;
    EXPECT_TRUE(lane_->Allocate({&slot, 1}).ok());
    EXPECT_TRUE(lane_->Reset({&slot, 1}).ok());
    return slot;
  }

  std::string RowOf(engine::Slot slot) {
    std::string row(engine_->row_bytes(), '\0');
    const engine::RowRead read = {slot, reinterpret_cast<std::byte*>(row.data())};
    EXPECT_TRUE(lane_->Read({&read, 1}).ok());
    return row;
  }

  void Step(engine::Slot slot, const Series& series, float* probabilities) {
    const std::vector<float> tokens = TokensOf(series);
    const std::vector<uint8_t> wanted(series.size(), 1);
    const engine::Run run = {slot, tokens, wanted, probabilities};
    EXPECT_TRUE(lane_->Submit({&run, 1}).ok());
  }

  Answers Feed(const Series& series, size_t at_a_time = 1'000'000) {
    Answers answers = {std::vector<float>(series.size() * classes()), ""};
    const engine::Slot slot = NewRow();
    for (size_t i = 0; i < series.size(); i += at_a_time) {
      const size_t end = std::min(series.size(), i + at_a_time);
      Step(slot, Series(series.begin() + i, series.begin() + end), &answers.probabilities[i * classes()]);
    }
    answers.row = RowOf(slot);
    lane_->Free({&slot, 1});
    return answers;
  }

  absl::StatusOr<uint64_t> Check(const std::string& row) const {
    return engine_->CheckRow({reinterpret_cast<const std::byte*>(row.data()), row.size()});
  }

  const package::ModelPackage package_ = RandomClassifierPackage(5);
  const std::unique_ptr<engine::Engine> engine_;
  const std::unique_ptr<engine::Lane> lane_;
};

TEST_F(ClassificationTaskTest, GivesTheProbabilitiesOfTheSeriesCutThere) {
  const Series series = SeriesOf(1, 100);
  const Answers answers = Feed(series);
  for (const size_t length : {1, 2, 3, 10, 65, 100}) {
    const std::vector<double> expected =
        ReferenceProbabilities(package_, Series(series.begin(), series.begin() + length));
    for (size_t c = 0; c < classes(); ++c) {
      EXPECT_NEAR(answers.probabilities[(length - 1) * classes() + c], expected[c], 1e-5) << length << " " << c;
    }
  }
}

TEST_F(ClassificationTaskTest, EveryNumberOfChannelsAndClassesAgreesWithTheReference) {
  for (const RandomSizes sizes : {RandomSizes{1, 2, 5}, RandomSizes{12, 9, 5}, RandomSizes{50, 40, 5}}) {
    const package::ModelPackage package = RandomClassifierPackage(6, sizes);
    const std::unique_ptr<engine::Engine> engine = *engine::NewCpuEngine(package);
    const std::unique_ptr<engine::Lane> lane = engine->NewLane(1);
    engine::Slot slot;
    ASSERT_TRUE(lane->Allocate({&slot, 1}).ok() && lane->Reset({&slot, 1}).ok());
    const Series series = RandomSeries(2, 5, package.classifier);
    const std::vector<float> tokens = TokensOf(series);
    const uint8_t last[] = {0, 0, 0, 0, 1};
    std::vector<float> probabilities(sizes.classes);
    const engine::Run run = {slot, tokens, last, probabilities.data()};
    ASSERT_TRUE(lane->Submit({&run, 1}).ok());
    const std::vector<double> expected = ReferenceProbabilities(package, series);
    for (size_t c = 0; c < sizes.classes; ++c) EXPECT_NEAR(probabilities[c], expected[c], 1e-5) << sizes.channels;
  }
}

TEST_F(ClassificationTaskTest, AnySplitGivesTheSameBits) {
  const Series series = SeriesOf(2, 90);
  const Answers whole = Feed(series);
  for (const size_t at_a_time : {1, 7, 64}) EXPECT_TRUE(Feed(series, at_a_time) == whole) << at_a_time;
}

TEST_F(ClassificationTaskTest, OtherRowsOfABatchChangeNothing) {
  const Series one = SeriesOf(3, 40), two = SeriesOf(4, 70);
  const Answers alone = Feed(one);
  const engine::Slot first = NewRow(), second = NewRow();
  const std::vector<float> one_tokens = TokensOf(one), two_tokens = TokensOf(two);
  const std::vector<uint8_t> wanted(70, 1), silent(70, 0);
  std::vector<float> probabilities(one.size() * classes());
  const engine::Run runs[] = {{second, two_tokens, silent},
                              {first, one_tokens, {wanted.data(), one.size()}, probabilities.data()}};
  ASSERT_TRUE(lane_->Submit(runs).ok());
  EXPECT_TRUE((Answers{probabilities, RowOf(first)} == alone));
}

TEST_F(ClassificationTaskTest, ResultsHaveTheRecordedBits) {
  const Answers answers = Feed(SeriesOf(1, 100));
  EXPECT_EQ(Fingerprint(answers.probabilities.data(), answers.probabilities.size() * sizeof(float)),
            1608493476259944156u);
  EXPECT_EQ(Fingerprint(answers.row.data(), answers.row.size()), 6879082796672513589u);
}

TEST_F(ClassificationTaskTest, EveryInstructionSetGivesTheSameBits) {
  const Series series = SeriesOf(5, 80);
  const Answers expected = Feed(series);
  for (const int64_t target : engine::ExactTargets()) {
    const engine::OnlyTarget only(target);
    EXPECT_TRUE(Feed(series) == expected) << target;
  }
}

TEST_F(ClassificationTaskTest, AMissingNumberStandsForTheLastOfItsChannel) {
  Series series = SeriesOf(6, 10), filled = series;
  series[4][1] = series[5][1] = kMissing;
  filled[4][1] = filled[5][1] = filled[3][1];
  EXPECT_TRUE(Feed(series) == Feed(filled));
}

TEST_F(ClassificationTaskTest, ANumberMissingAtFirstStandsForTheMean) {
  Series series = SeriesOf(7, 10), filled = series;
  series[0][2] = series[1][2] = kMissing;
  filled[0][2] = filled[1][2] = package_.classifier.means[2];
  EXPECT_TRUE(Feed(series) == Feed(filled));
}

TEST_F(ClassificationTaskTest, TokensBehindTheLastStepChangeNothing) {
  const Answers whole = Feed(SeriesOf(8, 100)), longer = Feed(SeriesOf(8, 130));
  for (size_t t = 100; t < 130; ++t) {
    EXPECT_EQ(std::memcmp(&longer.probabilities[t * classes()], &whole.probabilities[99 * classes()],
                          classes() * sizeof(float)),
              0)
        << t;
  }
  EXPECT_EQ(longer.row.substr(sizeof(uint64_t)), whole.row.substr(sizeof(uint64_t)));
}

TEST_F(ClassificationTaskTest, TheFurthestNumbersGiveProbabilities) {
  constexpr double kFar = std::numeric_limits<double>::max();
  Series series(40, {kFar, -kFar, kFar});
  for (const float probability : Feed(series).probabilities) {
    EXPECT_GE(probability, 0);
    EXPECT_LE(probability, 1);
  }
}

TEST_F(ClassificationTaskTest, RowsOfSeriesPassTheCheck) {
  EXPECT_EQ(*Check(RowOf(NewRow())), 0u);
  for (const size_t count : {1, 2, 70, 130}) EXPECT_EQ(*Check(Feed(SeriesOf(9, count)).row), count);
}

TEST_F(ClassificationTaskTest, ARowThatContinuesGivesTheBitsOfOneThatStayed) {
  const Series series = SeriesOf(10, 60);
  const Answers whole = Feed(series);
  const std::string half = Feed(Series(series.begin(), series.begin() + 30)).row;
  const engine::Slot slot = NewRow();
  const engine::RowWrite write = {slot, reinterpret_cast<const std::byte*>(half.data())};
  ASSERT_TRUE(lane_->Write({&write, 1}).ok());
  std::vector<float> rest(30 * classes());
  Step(slot, Series(series.begin() + 30, series.end()), rest.data());
  EXPECT_EQ(RowOf(slot), whole.row);
  EXPECT_EQ(std::memcmp(rest.data(), &whole.probabilities[30 * classes()], rest.size() * sizeof(float)), 0);
}

// Every accepted row must give probabilities, whatever was changed.
TEST_F(ClassificationTaskTest, RowsWithChangedBytesAreRefusedOrGiveProbabilities) {
  const std::string sound = Feed(SeriesOf(11, 50)).row;
  const Series next = SeriesOf(12, 1);
  const engine::Slot slot = NewRow();
  std::mt19937_64 random(3);
  size_t accepted = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    std::string row = sound;
    for (int i = 0; i < 2; ++i) row[random() % row.size()] = static_cast<char>(random());
    if (!Check(row).ok()) continue;
    ++accepted;
    const engine::RowWrite write = {slot, reinterpret_cast<const std::byte*>(row.data())};
    ASSERT_TRUE(lane_->Write({&write, 1}).ok());
    std::vector<float> probabilities(classes());
    Step(slot, next, probabilities.data());
    for (const float probability : probabilities) ASSERT_TRUE(std::isfinite(probability)) << trial;
  }
  EXPECT_GT(accepted, 100u) << "else the test shows nothing";
}

TEST_F(ClassificationTaskTest, ARowOfAnotherLengthIsNamed) {
  EXPECT_THAT(Check("short").status().message(), HasSubstr("the row has 5 bytes, not"));
}

TEST_F(ClassificationTaskTest, ARowWithoutTokensHoldsNothingElse) {
  std::string row = Feed(SeriesOf(13, 5)).row;
  std::memset(row.data(), 0, sizeof(uint64_t));
  EXPECT_THAT(Check(row).status().message(), HasSubstr("count is 0"));
}

TEST_F(ClassificationTaskTest, ARowIsAsLongAfterAMillionTokensAsBefore) { EXPECT_EQ(engine_->row_bytes(), 3584u); }

TEST_F(ClassificationTaskTest, ATokenOfAnotherNumberOfChannelsIsRefused) {
  const std::vector<float> tokens(4);
  const uint8_t wanted[] = {0};
  const engine::Run run = {NewRow(), tokens, wanted};
  EXPECT_THAT(lane_->Submit({&run, 1}).status().message(), HasSubstr("has 4 floats for 1 tokens, not 6 a token"));
}

TEST_F(ClassificationTaskTest, TheFastTierIsRefused) {
  EXPECT_TRUE(absl::IsFailedPrecondition(engine::NewCpuEngine(package_, engine::Tier::kFast).status()));
}

TEST_F(ClassificationTaskTest, APackageWithAnotherShapeIsRefusedByName) {
  package::ModelPackage package = package_;
  package.tensors["norm.weight"].shape = {64, 2};
  EXPECT_EQ(engine::NewCpuEngine(package).status().message(), "tensor norm.weight has shape [64, 2], not [128]");
}

}  // namespace
}  // namespace aaren::classification
