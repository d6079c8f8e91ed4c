#include "aaren/client/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <set>
#include <vector>

#include "absl/synchronization/notification.h"
#include "tests/client/cpp/recorder.h"
#include "tests/client/fake_server.h"

namespace aaren::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ClientTest, HandsOverOneForecastPerTokenInOrder) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE(session.ok()) << session.status();
  ASSERT_TRUE((*session)->WaitOpened().ok());
  ASSERT_TRUE(FeedAndClose(**session, 100).ok());
  EXPECT_EQ(recorder.seqs(), Seqs(0, 100));
  EXPECT_EQ(recorder.sums(), Sums(0, 100));
  EXPECT_TRUE(recorder.AwaitEnd().ok());
  EXPECT_EQ(recorder.ended().size(), 1u);
}

TEST(ClientTest, BeginsWhereTheServerIs) {
  FakeServer server;
  {
    Client client(FastOptions(server.target()));
    Recorder recorder;
    auto session = client.Open({.id = "a"}, recorder);
    ASSERT_TRUE((*session)->WaitOpened().ok());
    ASSERT_TRUE(FeedAndClose(**session, 20).ok());
  }
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  EXPECT_EQ((*session)->WaitOpened()->next_seq, 20u);
  ASSERT_TRUE(FeedAndClose(**session, 30).ok());
  EXPECT_EQ(recorder.seqs(), Seqs(20, 30));
  EXPECT_EQ(recorder.sums(), Sums(20, 30));
}

// The application died after it wrote the replies below 13 for good, and comes back.
TEST(ClientTest, GoesBackToTheServersSaveAndDropsWhatWasDelivered) {
  FakeServer server;
  {
    Client client(FastOptions(server.target()));
    Recorder recorder;
    auto session = client.Open({.id = "a", .delivery = Delivery::kManual}, recorder);
    ASSERT_TRUE((*session)->WaitOpened().ok());
    ASSERT_TRUE(Feed(**session, 20).ok());
  }
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a", .delivered_seq = 13}, recorder);
  EXPECT_EQ((*session)->WaitOpened()->next_seq, 8u);
  ASSERT_TRUE(FeedAndClose(**session, 30).ok());
  EXPECT_EQ(recorder.seqs(), Seqs(13, 30));
  EXPECT_EQ(recorder.sums(), Sums(13, 30));
  EXPECT_TRUE(recorder.losses().empty());
}

// Keeps the shape of the last forecast.
class Shape : public Recorder {
 public:
  void OnForecast(Session&, const Forecast& forecast) override {
    horizons.assign(forecast.horizons.begin(), forecast.horizons.end());
    quantiles.assign(forecast.quantiles.begin(), forecast.quantiles.end());
    second = forecast.At(/*channel=*/0, /*horizon=*/1, /*quantile=*/0);
  }
  std::vector<uint32_t> horizons;
  std::vector<float> quantiles;
  float second = 0;
};

TEST(ClientTest, AForecastSaysWhichStepsAndLevelsItIsOf) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Shape shape;
  auto session = client.Open({.id = "a"}, shape);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  ASSERT_TRUE(FeedAndClose(**session, 8).ok());
  EXPECT_THAT(shape.horizons, ElementsAre(1, 2));
  EXPECT_THAT(shape.quantiles, ElementsAre(0.5f));
  EXPECT_EQ(shape.second, 7);  // the fake server's second value is the seq
}

TEST(ClientTest, EveryForecastHasItsOwnStepWhereTheyDiffer) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  const std::vector<float> values = {1, 2, 3, 4};
  const std::vector<int64_t> times = {1000, 1010, 1010, 1030};
  ASSERT_TRUE((*session)->Send(0, {.values = values, .times_ns = times}).ok());
  ASSERT_TRUE((*session)->Flush().ok());
  EXPECT_THAT(recorder.steps_ns(), ElementsAre(0, 10, 10, 20));
}

TEST(ClientTest, OneStepHoldsForAllForecastsOfAReply) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  const std::vector<float> values = {1, 2, 3};
  const std::vector<int64_t> times = {1000, 1010, 1020};
  ASSERT_TRUE((*session)->Send(0, {.values = {&values[0], 1}, .times_ns = {&times[0], 1}}).ok());
  ASSERT_TRUE((*session)->Flush().ok());
  ASSERT_TRUE((*session)->Send(1, {.values = {&values[1], 2}, .times_ns = {&times[1], 2}}).ok());
  ASSERT_TRUE((*session)->Flush().ok());
  EXPECT_THAT(recorder.steps_ns(), ElementsAre(0, 10, 10));
}

TEST(ClientTest, SessionTellsTheTimeOfItsLastToken) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  EXPECT_FALSE((*session)->WaitOpened()->last_time_ns);
  const std::vector<float> values = {1, 2};
  const std::vector<int64_t> times = {1000, 1010};
  ASSERT_TRUE((*session)->Send(0, {.values = values, .times_ns = times}).ok());
  ASSERT_TRUE((*session)->Close().ok());
  session = client.Open({.id = "a"}, recorder);
  const absl::StatusOr<Opened> opened = (*session)->WaitOpened();
  EXPECT_EQ(opened->last_time_ns, 1010);
  EXPECT_EQ(opened->step_ns, 10);
}

TEST(ClientTest, AnswersToAnOlderOpenAreIgnored) {
  FakeServer server;
  server.AnswerOldOpenFirst();
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  const auto opened = (*session)->WaitOpened();
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ(opened->next_seq, 0u);
  EXPECT_EQ(recorder.opened().size(), 1u);
  EXPECT_TRUE(FeedAndClose(**session, 5).ok());
}

TEST(ClientTest, NoTwoOpensHaveOneNumber) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Recorder recorder;
  server.CutAt({1, 3});
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  ASSERT_TRUE(FeedAndClose(**session, 20).ok());
  std::set<uint64_t> numbers = {0};
  for (const auto& [writer, number] : server.attempts()) numbers.insert(number);
  EXPECT_GT(numbers.size(), 2u);
  EXPECT_EQ(numbers.size(), server.attempts().size() + 1);
}

TEST(ClientTest, AServerThatKnowsNoNumbersIsUnderstood) {
  FakeServer server({.numbers_opens = false});
  server.FailNextOpen(14, "the store is away", /*retry_ms=*/1);
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  EXPECT_TRUE(FeedAndClose(**session, 5).ok());
  EXPECT_EQ(recorder.sums(), Sums(0, 5));
}

TEST(ClientTest, ARefusedBatchLeavesTheSessionAsItWas) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  const float infinite = std::numeric_limits<float>::infinity();
  const absl::Status refused = (*session)->Send(0, {.values = {&infinite, 1}});
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(refused.message(), HasSubstr("session \"a\": token 0, channel 0"));
  const absl::Status early = (*session)->Send(5, {.values = {&infinite, 1}});
  EXPECT_EQ(early.code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(early.message(), HasSubstr("begin at seq 5; the session wants seq 0"));
  ASSERT_TRUE(FeedAndClose(**session, 5).ok());
  EXPECT_EQ(recorder.sums(), Sums(0, 5));
}

TEST(ClientTest, RefusesOptionsThatCannotBe) {
  Client client({.target = "127.0.0.1:1"});
  Recorder recorder;
  EXPECT_EQ(client.Open({.id = ""}, recorder).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(client.Open({.id = "tab\t"}, recorder).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(client.Open({.id = "a", .model = "\xff"}, recorder).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(client.Open({.id = "a", .window = 0}, recorder).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ClientTest, AClientWhoseNameCannotBeSentOpensNothing) {
  Client client({.target = "127.0.0.1:1", .name = "\xff"});
  Recorder recorder;
  EXPECT_EQ(client.Open({.id = "a"}, recorder).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ClientTest, ASessionGetsAWordInHoweverSmallMessagesAreToBe) {
  FakeServer server;
  ClientOptions options = FastOptions(server.target());
  options.write_bytes = 0;
  Client client(options);
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened(absl::Seconds(10)).ok());
  ASSERT_TRUE(FeedAndClose(**session, 50).ok());
  EXPECT_EQ(recorder.sums(), Sums(0, 50));
}

TEST(ClientTest, AnOpenThatTheServerRefusesEndsTheSession) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a", .mode = OpenMode::kResume}, recorder);
  EXPECT_EQ((*session)->WaitOpened().status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(recorder.AwaitEnd().code(), absl::StatusCode::kNotFound);
  const float value = 1;
  EXPECT_EQ((*session)->Send(0, {.values = {&value, 1}}).code(), absl::StatusCode::kNotFound);
}

TEST(ClientTest, DeleteClosesAndDeletes) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto session = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  ASSERT_TRUE(Feed(**session, 3).ok());
  EXPECT_TRUE(server.exists("a"));
  ASSERT_TRUE((*session)->Delete().ok());
  EXPECT_FALSE(server.exists("a"));
  EXPECT_EQ((*session)->status().code(), absl::StatusCode::kCancelled);
}

TEST(ClientTest, AnIdIsOpenOnceInAClient) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Recorder recorder;
  auto first = client.Open({.id = "a"}, recorder);
  EXPECT_EQ(client.Open({.id = "a"}, recorder).status().code(), absl::StatusCode::kAlreadyExists);
  first->reset();
  auto second = client.Open({.id = "a"}, recorder);
  ASSERT_TRUE(second.ok());
  EXPECT_TRUE((*second)->WaitOpened().ok());
}

class Waiter : public Recorder {
 public:
  void OnForecast(Session& session, const Forecast&) override {
    flush = session.Flush();
    close = session.Close();
    called.Notify();
  }
  absl::Status flush;
  absl::Status close;
  absl::Notification called;
};

TEST(ClientTest, CallsThatWaitAreRefusedInCallbacks) {
  FakeServer server;
  Client client(FastOptions(server.target()));
  Waiter waiter;
  auto session = client.Open({.id = "a"}, waiter);
  ASSERT_TRUE((*session)->WaitOpened().ok());
  const float value = 1;
  ASSERT_TRUE((*session)->Send(0, {.values = {&value, 1}}).ok());
  waiter.called.WaitForNotification();
  EXPECT_EQ(waiter.flush.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(waiter.close.code(), absl::StatusCode::kFailedPrecondition);
}

TEST(ClientTest, SessionsOutliveTheirClientEnded) {
  FakeServer server;
  Recorder recorder;
  std::unique_ptr<Session> session;
  {
    Client client(FastOptions(server.target()));
    session = *client.Open({.id = "a"}, recorder);
    ASSERT_TRUE(session->WaitOpened().ok());
  }
  EXPECT_EQ(recorder.AwaitEnd().code(), absl::StatusCode::kCancelled);
  const float value = 1;
  EXPECT_EQ(session->Send(0, {.values = {&value, 1}}).code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace aaren::client
