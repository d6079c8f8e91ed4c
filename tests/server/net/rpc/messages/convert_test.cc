#include "server/net/rpc/messages/convert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "model/engine/events/event_token.h"
#include "server/net/rpc/messages/grpc_status.h"
#include "tests/server/net/rpc/serving/sum_engine.h"

namespace aaren::rpc {
namespace {

using testing::ElementsAre;

// A reply of `results` results for tokens 4, 5, ... with every third computed; forecast i is filled with i.
class ForecastsTest : public testing::Test {
 protected:
  explicit ForecastsTest(size_t results = 4) {
    model_.package.config = SumConfig();
    model_.conversion = task::NewConversion(model_.package);
    model_.engine = NewSumEngine();
    plan_.every = 3;
    forecasts_.resize(results);
    for (size_t i = 0; i < results; ++i) {
      forecasts_[i].assign(9 + engine::ResultTail::kFloats, static_cast<float>(i));
      engine::ResultTail{}.Write(forecasts_[i].data(), 9);
      pointers_.push_back(forecasts_[i].data());
    }
    reply_ = {.first_seq = 4,
              .next_seq = 17,
              .durable_seq = 2,
              .results = results,
              .channels = 1,
              .forecasts = pointers_,
              .surprises = {},
              .times_ns = {},
              .steps_ns = {},
              .plan = &plan_,
              .model = &model_};
  }

  models::LoadedModel model_;
  task::OutputPlan plan_;
  std::vector<std::vector<float>> forecasts_;
  std::vector<const float*> pointers_;
  session::ForecastsReply reply_;
};

TEST_F(ForecastsTest, PartsCoverTheTokensWithoutGapOrOverlap) {
  v1::Forecasts first, last;
  FillForecasts(1, reply_, 0, 3, first);  // seq 6, 9, 12
  FillForecasts(1, reply_, 3, 4, last);   // seq 15
  EXPECT_EQ(first.first_seq(), 4u);
  EXPECT_EQ(first.next_seq(), 15u);
  EXPECT_EQ(first.values_size(), 27);
  EXPECT_EQ(last.first_seq(), 15u);
  EXPECT_EQ(last.next_seq(), 17u);
  EXPECT_EQ(last.values(0), 3.0f);
}

TEST_F(ForecastsTest, PlanPicksRowsAndColumns) {
  forecasts_[0] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0};
  pointers_[0] = forecasts_[0].data();
  plan_.horizons = {0, 2};
  plan_.quantiles = {1};
  v1::Forecasts forecasts;
  FillForecasts(1, reply_, 0, 1, forecasts);
  EXPECT_THAT(forecasts.values(), ElementsAre(2, 8));
}

TEST_F(ForecastsTest, OffsetsGoWithForecastsThatAreRelativeToThem) {
  for (size_t i = 0; i < 4; ++i)
    engine::ResultTail{.origin = 1e12 + static_cast<double>(i)}.Write(&forecasts_[i][0], 9);
  plan_.relative = true;
  v1::Forecasts forecasts;
  FillForecasts(1, reply_, 1, 3, forecasts);
  EXPECT_THAT(forecasts.offsets(), ElementsAre(1e12 + 1, 1e12 + 2));
  EXPECT_EQ(forecasts.values(0), 1.0f);
  plan_.relative = false;
  forecasts.Clear();
  FillForecasts(1, reply_, 1, 3, forecasts);
  EXPECT_EQ(forecasts.offsets_size(), 0);
  EXPECT_EQ(forecasts.values(0), 1e12f);
}

TEST_F(ForecastsTest, LearningIsToldWithSurprisesWhileAnySessionLearns) {
  engine::ResultTail{.learning = true}.Write(forecasts_[1].data(), 9);
  v1::Forecasts forecasts;
  FillForecasts(1, reply_, 0, 4, forecasts);
  EXPECT_EQ(forecasts.learning_size(), 0) << "nobody asked for surprises";
  forecasts.Clear();
  plan_.surprise = true;
  FillForecasts(1, reply_, 0, 3, forecasts);
  EXPECT_THAT(forecasts.learning(), ElementsAre(false, true, false));
  forecasts.Clear();
  FillForecasts(1, reply_, 2, 4, forecasts);
  EXPECT_EQ(forecasts.learning_size(), 0);
}

TEST_F(ForecastsTest, ItemsStayFarBelowTheLimitOfAMessage) {
  reply_.channels = 1000;
  EXPECT_EQ(ResultsPerItem(reply_), (256u << 10) / (1000 * 49 + 8));
  reply_.channels = 1'000'000;
  EXPECT_EQ(ResultsPerItem(reply_), 1u);
}

TEST(ConvertTest, NumbersOfTheNextEventAreFilledInTheOrderOfResults) {
  models::LoadedModel model;
  model.package.kind = package::kEvents;
  model.conversion = task::NewConversion(model.package);
  task::OutputRequest request;
  request.quantiles = {0.5f};
  request.events = task::EventRequest{.spans_s = {1, 60}, .marks = 1};
  const task::OutputPlan plan = model.conversion->Resolve(request).plan;
  events::EventForecast forecast = {};
  forecast.outlook = events::kNoOutlook;
  std::vector<std::vector<float>> results(2, std::vector<float>(events::kForecastFloats));
  for (size_t i = 0; i < 2; ++i) {
    forecast.outlook.tie = 0.25f;
    std::fill_n(forecast.outlook.spread, events::kComponents, 1.0f);
    forecast.outlook.weight[0] = 1;
    forecast.names[0] = static_cast<uint32_t>(70 + i);
    forecast.marks[0] = 0.75f;
    std::memcpy(results[i].data(), &forecast, sizeof(forecast));
  }
  const std::vector<const float*> pointers = {results[0].data(), results[1].data()};
  const session::ForecastsReply reply = {.first_seq = 4,
                                         .next_seq = 6,
                                         .results = 2,
                                         .channels = 1,
                                         .forecasts = pointers,
                                         .surprises = {},
                                         .times_ns = {},
                                         .steps_ns = {},
                                         .plan = &plan,
                                         .model = &model};
  v1::Forecasts forecasts;
  FillForecasts(1, reply, 0, 2, forecasts);
  EXPECT_EQ(forecasts.values_size(), 2);
  ASSERT_EQ(forecasts.within_size(), 4);
  EXPECT_NEAR(forecasts.within(0), 0.25 + 0.75 / 2, 1e-5);
  EXPECT_THAT(forecasts.marks(), ElementsAre(70, 71));
  EXPECT_THAT(forecasts.mark_probabilities(), ElementsAre(0.75f, 0.75f));
}

TEST(ConvertTest, AnOpenTellsTheOptionsAndTheScaleOfEvents) {
  v1::Open open;
  EXPECT_EQ(ToOpenRequest(open, "t").value.output.events, std::nullopt);
  v1::EventOutput& events = *open.mutable_output()->mutable_events();
  events.add_spans_s(60);
  events.set_marks(3);
  events.set_overdue(0.99f);
  open.mutable_event_scale()->set_unit_ns(7);
  open.mutable_event_scale()->set_resolution_ns(8);
  const task::OutputRequest output = ToOpenRequest(open, "t").value.output;
  EXPECT_EQ(output.events, (task::EventRequest{.spans_s = {60}, .marks = 3, .overdue = 0.99f}));
  EXPECT_EQ(output.scale, (engine::EventScale{.unit_ns = 7, .resolution_ns = 8}));
}

TEST(ConvertTest, RefusalBecomesAStatusThatCarriesItsDetails) {
  session::Refusal refusal;
  refusal.status = absl::AbortedError("taken over");
  refusal.reason = "STALE_EPOCH";
  refusal.metadata = {{"current_epoch", "7"}};
  refusal.retry_after = absl::Milliseconds(1500);
  const grpc::Status status = ToGrpcStatus(refusal);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::ABORTED);
  EXPECT_EQ(status.error_message(), "taken over");
  google::rpc::Status details;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  EXPECT_EQ(details.code(), grpc::StatusCode::ABORTED);
  EXPECT_EQ(details.details_size(), 2);
}

}  // namespace
}  // namespace aaren::rpc
