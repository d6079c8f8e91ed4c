#include "server/sessions/task/classification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "model/engine/forecast_result.h"

namespace aaren::task {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ClassificationConversionTest : public testing::Test {
 protected:
  // The path of the refused option; empty: none.
  std::string BadOption() const {
    const Resolved resolved = conversion_.Resolve(request_);
    return resolved.bad ? resolved.bad->field : "";
  }

  std::string BadNumbers(const TokenNumbers& numbers) const {
    const std::optional<BadField> bad = conversion_.CheckNumbers(numbers, 1, {});
    return bad ? bad->field : "";
  }

  const ClassificationConversion conversion_{
      {.steps = 5, .classes = {"rest", "run", "walk"}, .means = {1, 2}, .deviations = {1, 1}}};
  OutputRequest request_;
};

TEST_F(ClassificationConversionTest, TheSchemaHasTheClassesAndTheChannels) {
  EXPECT_THAT(conversion_.schema().targets, ElementsAre("rest", "run", "walk"));
  EXPECT_EQ(conversion_.schema().channels, 2u);
}

TEST_F(ClassificationConversionTest, AllChannelsTogetherAreOneRow) {
  EXPECT_EQ(conversion_.series(2), 1u);
  EXPECT_EQ(conversion_.values_per_series(), 2u);
}

TEST_F(ClassificationConversionTest, AnotherNumberOfChannelsIsNamed) {
  EXPECT_FALSE(conversion_.CheckSession(0, false).has_value());
  EXPECT_FALSE(conversion_.CheckSession(2, true).has_value());
  const std::optional<BadField> bad = conversion_.CheckSession(3, false);
  ASSERT_TRUE(bad.has_value());
  EXPECT_EQ(bad->field, "open.channels");
  EXPECT_THAT(bad->problem, HasSubstr("3 channels; the model classifies series of 2 channels"));
}

TEST_F(ClassificationConversionTest, OptionsOfForecastsAreNamed) {
  EXPECT_EQ(BadOption(), "");
  request_.horizons = {1};
  EXPECT_EQ(BadOption(), "open.output.horizons");
  request_ = {.quantiles = {0.5f}};
  EXPECT_EQ(BadOption(), "open.output.quantiles");
  request_ = {.surprise = true};
  EXPECT_EQ(BadOption(), "open.output.surprise");
  request_ = {.relative = true};
  EXPECT_EQ(BadOption(), "open.output.relative");
  request_ = {.events = EventRequest{}};
  EXPECT_EQ(BadOption(), "open.output.events");
}

TEST_F(ClassificationConversionTest, FieldsOfOtherModelsAreNamed) {
  const float values[] = {1, 2, 3};
  const uint32_t marks[] = {1};
  EXPECT_EQ(BadNumbers({.values = absl::MakeConstSpan(values).first(2)}), "");
  EXPECT_EQ(BadNumbers({.values = values}), "tokens.values") << "a token and a half";
  EXPECT_EQ(BadNumbers({.values = absl::MakeConstSpan(values).first(2), .marks = marks}), "tokens.marks");
  EXPECT_EQ(BadNumbers({.values = absl::MakeConstSpan(values).first(2), .covariates = values}), "tokens.covariates");
}

TEST_F(ClassificationConversionTest, ValuesAndDoublesMakeTheSameInputs) {
  const float values[] = {1, 2.5f};
  const double doubles[] = {1, 2.5};
  std::vector<float> from_values(4), from_doubles(4);
  conversion_.CopyInputs({.values = values}, 1, {}, from_values.data());
  conversion_.CopyInputs({.doubles = doubles}, 1, {}, from_doubles.data());
  EXPECT_EQ(engine::DoubleAt(&from_values[2]), 2.5);
  EXPECT_EQ(engine::DoubleAt(&from_doubles[2]), 2.5);
}

TEST_F(ClassificationConversionTest, AllProbabilitiesAreSent) {
  const OutputPlan plan = conversion_.Resolve(request_).plan;
  const float result[] = {0.2f, 0.3f, 0.5f};
  std::vector<float> sent(conversion_.PlannedFloats(plan));
  conversion_.CopyPlanned(result, plan, sent.data());
  EXPECT_THAT(sent, ElementsAre(0.2f, 0.3f, 0.5f));
}

}  // namespace
}  // namespace aaren::task
