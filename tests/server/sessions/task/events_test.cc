#include "server/sessions/task/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "model/engine/events/event_token.h"

namespace aaren::task {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsNan;

class EventConversionTest : public testing::Test {
 protected:
  EventConversionTest() { request_.events = EventRequest{}; }

  // The path of the refused option; empty: none.
  std::string BadOption() const {
    const Resolved resolved = conversion_.Resolve(request_);
    return resolved.bad ? resolved.bad->field : "";
  }

  std::string BadNumbers(const TokenNumbers& numbers) const {
    const std::optional<BadField> bad = conversion_.CheckNumbers(numbers, 1, {});
    return bad ? bad->field : "";
  }

  // A log-normal interval with a median of a minute, and three known marks.
  static std::vector<float> Result() {
    events::EventForecast forecast = {};
    std::fill(std::begin(forecast.outlook.spread), std::end(forecast.outlook.spread), 1.0f);
    forecast.outlook.log_scale = std::log(60.0);
    forecast.outlook.weight[0] = 1;
    forecast.outlook.spread[0] = 0.5f;
    forecast.outlook.tie = 0;
    forecast.marks[0] = 0.2f;
    forecast.marks[1] = 0.5f;
    forecast.marks[5] = 0.2f;
    forecast.marks[events::kNewMark] = 0.1f;
    forecast.names[0] = 70;
    forecast.names[1] = 71;
    forecast.names[5] = 75;
    std::vector<float> result(events::kForecastFloats);
    std::memcpy(result.data(), &forecast, sizeof(forecast));
    return result;
  }

  std::vector<float> Sent(const std::vector<float>& result) const {
    const OutputPlan plan = conversion_.Resolve(request_).plan;
    std::vector<float> sent(conversion_.PlannedFloats(plan));
    EXPECT_EQ(conversion_.CopyPlanned(result.data(), plan, sent.data()), sent.data() + sent.size());
    return sent;
  }

  EventNumbers Numbers(const std::vector<float>& result) const {
    EventNumbers numbers;
    conversion_.AppendEvents(result.data(), conversion_.Resolve(request_).plan, numbers);
    return numbers;
  }

  EventConversion conversion_;
  OutputRequest request_;
};

TEST_F(EventConversionTest, SendsQuantilesInSeconds) {
  request_.quantiles = {0.25f, 0.5f};
  const std::vector<float> sent = Sent(Result());
  ASSERT_EQ(sent.size(), 2u);
  // The quartile of the normal distribution is 0.67449.
  EXPECT_NEAR(sent[0], 60 * std::exp(-0.67449 * 0.5), 1e-2);
  EXPECT_NEAR(sent[1], 60, 1e-3);
}

TEST_F(EventConversionTest, SendsNineQuantilesUnlessAskedOtherwise) { EXPECT_EQ(Sent(Result()).size(), 9u); }

TEST_F(EventConversionTest, SendsTheProbabilityOfEachSpan) {
  request_.events->spans_s = {30, 60};
  const EventNumbers numbers = Numbers(Result());
  ASSERT_EQ(numbers.within.size(), 2u);
  EXPECT_NEAR(numbers.within[0], 0.5 * std::erfc(std::log(2.0) / 0.5 / std::sqrt(2.0)), 1e-5);
  EXPECT_NEAR(numbers.within[1], 0.5, 1e-5);
}

TEST_F(EventConversionTest, SendsTheLikeliestMarksFirst) {
  request_.events->marks = 3;
  const EventNumbers numbers = Numbers(Result());
  EXPECT_THAT(numbers.marks, ElementsAre(71, 70, 75));
  EXPECT_THAT(numbers.mark_probabilities, ElementsAre(0.5f, 0.2f, 0.2f));
}

TEST_F(EventConversionTest, PlacesBeyondTheKnownMarksHaveNoProbability) {
  request_.events->marks = 6;
  const EventNumbers numbers = Numbers(Result());
  const uint32_t none = EventConversion::kNewMark;
  EXPECT_THAT(numbers.marks, ElementsAre(71, 70, 75, none, none, none));
  EXPECT_THAT(numbers.mark_probabilities, ElementsAre(0.5f, 0.2f, 0.2f, 0.1f, 0, 0));
}

TEST_F(EventConversionTest, SendsNoNumbersBeforeAForecast) {
  events::EventForecast forecast = {};
  forecast.outlook = events::kNoOutlook;
  std::vector<float> result(events::kForecastFloats);
  std::memcpy(result.data(), &forecast, sizeof(forecast));
  request_.quantiles = {0.5f};
  request_.events = EventRequest{.spans_s = {1}, .marks = 1, .overdue = 0.9f};
  EXPECT_THAT(Sent(result), ElementsAre(IsNan()));
  EXPECT_THAT(Numbers(result).within, ElementsAre(IsNan()));
  EXPECT_THAT(Numbers(result).mark_probabilities, ElementsAre(IsNan()));
  EXPECT_EQ(conversion_.SecondsUntilOverdue(result.data(), conversion_.Resolve(request_).plan), std::nullopt);
}

TEST_F(EventConversionTest, TellsWhenAnEventIsOverdueIfAsked) {
  const std::vector<float> result = Result();
  EXPECT_EQ(conversion_.SecondsUntilOverdue(result.data(), conversion_.Resolve(request_).plan), std::nullopt);
  request_.events->overdue = 0.5f;
  EXPECT_NEAR(*conversion_.SecondsUntilOverdue(result.data(), conversion_.Resolve(request_).plan), 60, 1e-3);
}

TEST_F(EventConversionTest, KeepsTheBitsOfTimesAndMarks) {
  // The high half of the time and the mark are signalling NaNs, if read as floats.
  const int64_t times[] = {0x7fa0'0001'0000'0000};
  const uint32_t marks[] = {0x7fa0'0001};
  std::vector<float> inputs(conversion_.inputs({})), copy(conversion_.inputs({}));
  conversion_.CopyInputs({.times_ns = times, .marks = marks}, 1, {}, inputs.data());
  std::copy_n(inputs.begin(), inputs.size(), copy.begin());
  const events::Event event = events::EventAt(copy.data());
  EXPECT_EQ(event.time_ns, times[0]);
  EXPECT_EQ(event.mark, marks[0]);
}

TEST_F(EventConversionTest, RefusesOptionsOfOtherModelsByName) {
  request_.horizons = {1};
  EXPECT_EQ(BadOption(), "open.output.horizons");
  request_ = {.relative = true};
  EXPECT_EQ(BadOption(), "open.output.relative");
  request_ = {.refinement = engine::Refinement::kMixed};
  EXPECT_THAT(BadOption(), HasSubstr("uncalibrated"));
}

TEST_F(EventConversionTest, RefusesQuantilesOutOfRangeOrOrder) {
  request_.quantiles = {0.5f, 0.999f};
  EXPECT_EQ(BadOption(), "open.output.quantiles[1]");
  request_.quantiles = {0.5f, 0.5f};
  EXPECT_EQ(BadOption(), "open.output.quantiles[1]");
  request_.quantiles = {std::nanf("")};
  EXPECT_EQ(BadOption(), "open.output.quantiles[0]");
}

TEST_F(EventConversionTest, RefusesSpansMarksAndOverdueOutOfRange) {
  request_.events = EventRequest{.spans_s = {1, 0}};
  EXPECT_EQ(BadOption(), "open.output.events.spans_s[1]");
  request_.events = EventRequest{.spans_s = {std::numeric_limits<double>::infinity()}};
  EXPECT_EQ(BadOption(), "open.output.events.spans_s[0]");
  request_.events = EventRequest{.spans_s = std::vector<double>(65, 1)};
  EXPECT_EQ(BadOption(), "open.output.events.spans_s");
  request_.events = EventRequest{.marks = 65};
  EXPECT_EQ(BadOption(), "open.output.events.marks");
  request_.events = EventRequest{.overdue = 0.4f};
  EXPECT_EQ(BadOption(), "open.output.events.overdue");
}

TEST_F(EventConversionTest, RefusesANegativeScale) {
  request_.scale.unit_ns = -1;
  EXPECT_EQ(BadOption(), "open.event_scale.unit_ns");
}

TEST_F(EventConversionTest, RefusesSeveralChannelsAndRegularTimes) {
  EXPECT_EQ(conversion_.CheckSession(2, false)->field, "open.channels");
  EXPECT_EQ(conversion_.CheckSession(1, true)->field, "open.regular_times");
  EXPECT_EQ(conversion_.CheckSession(0, false), std::nullopt);
}

TEST_F(EventConversionTest, RefusesValuesAndHalvesOfEvents) {
  const float values[] = {1};
  const double doubles[] = {1};
  const int64_t times[] = {1, 2};
  const uint32_t marks[] = {1, 2};
  EXPECT_EQ(BadNumbers({.values = values}), "tokens.values");
  EXPECT_EQ(BadNumbers({.doubles = doubles}), "tokens.doubles");
  EXPECT_EQ(BadNumbers({.marks = marks}), "tokens.times_ns");
  EXPECT_EQ(BadNumbers({.times_ns = times}), "tokens.marks");
  EXPECT_EQ(BadNumbers({.times_ns = times, .marks = absl::MakeConstSpan(marks, 1)}), "tokens.marks");
  EXPECT_EQ(BadNumbers({.times_ns = times, .marks = marks}), "");
  EXPECT_EQ(BadNumbers({}), "");
}

TEST_F(EventConversionTest, RefusesTheMarkThatStandsForNewMarks) {
  const int64_t times[] = {1, 2};
  const uint32_t marks[] = {1, EventConversion::kNewMark};
  EXPECT_EQ(BadNumbers({.times_ns = times, .marks = marks}), "tokens.marks[1]");
}

}  // namespace
}  // namespace aaren::task
