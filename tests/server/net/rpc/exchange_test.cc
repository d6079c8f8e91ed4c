// Sessions and tokens over a stream: requests and answers.

#include <gmock/gmock.h>

#include <cmath>

#include "tests/server/net/rpc/serving/serving.h"

namespace aaren::rpc {
namespace {

using testing::ElementsAre;
using testing::FloatEq;

class ExchangeTest : public Serving {
 protected:
  ExchangeTest() : stream_(NewChannel()) { stream_.Greet(); }

  TestStream stream_;
};

TEST_F(ExchangeTest, WelcomeTellsVersionAndLimits) {
  TestStream stream(NewChannel());
  const v1::Welcome welcome = stream.Greet();
  EXPECT_EQ(welcome.protocol_version(), 1u);
  EXPECT_EQ(welcome.limits().message_bytes(), 4u << 20);
  EXPECT_EQ(welcome.limits().tokens_per_item(), shard::ShardOptions().max_tokens_per_item);
  EXPECT_THAT(welcome.server(), testing::StartsWith("aaren-server/"));
}

TEST_F(ExchangeTest, OpenedDescribesSessionAndModel) {
  const v1::Opened opened = stream_.Open(3, "a");
  EXPECT_EQ(opened.handle(), 3u);
  EXPECT_TRUE(opened.created());
  EXPECT_EQ(opened.next_seq(), 0u);
  EXPECT_GT(opened.epoch(), 0u);
  EXPECT_EQ(opened.incarnation(), opened.epoch());
  EXPECT_EQ(opened.channels(), 1u);
  EXPECT_EQ(opened.tier(), "exact");
  EXPECT_EQ(opened.model().name(), "sum");
  EXPECT_EQ(opened.model().digest(), "d1935");
  EXPECT_EQ(opened.model().horizon(), 3u);
  EXPECT_EQ(opened.model().row_bytes(), 64u);
  EXPECT_THAT(opened.model().quantiles(), ElementsAre(0.1f, 0.5f, 0.9f));
  ASSERT_EQ(opened.model().columns_size(), 1);
  EXPECT_EQ(opened.model().columns(0).role(), v1::Column::TARGET);
}

TEST_F(ExchangeTest, AReplyToEveryTokenTellsThatItIsSaved) {
  v1::ClientItem open = OpenItem(0, "a");
  open.mutable_open()->set_durability(v1::Open::EVERY_TOKEN);
  EXPECT_EQ(stream_.Open(open).durability(), v1::Open::EVERY_TOKEN);
  stream_.Send(TokensItem(0, 0, {1, 2, 3}));
  const v1::ServerItem item = stream_.Receive();
  ASSERT_TRUE(item.has_forecasts()) << item.DebugString();
  EXPECT_EQ(item.forecasts().next_seq(), 3u);
  EXPECT_EQ(item.forecasts().durable_seq(), 3u);
}

TEST_F(ExchangeTest, EveryTokenGetsItsForecast) {
  stream_.Open(0, "a");
  stream_.Send(TokensItem(0, 0, {1, 2}));
  const v1::Forecasts forecasts = stream_.Receive().forecasts();
  EXPECT_EQ(forecasts.first_seq(), 0u);
  EXPECT_EQ(forecasts.next_seq(), 2u);
  std::vector<float> expected;
  for (float sum : {1.0f, 3.0f}) {
    for (int h = 1; h <= 3; ++h) {
      for (int q = 0; q < 3; ++q) expected.push_back(SumForecast(sum, h, q));
    }
  }
  EXPECT_THAT(forecasts.values(), testing::ElementsAreArray(expected));
}

TEST_F(ExchangeTest, OutputOptionsChooseHorizonsQuantilesAndSurprise) {
  v1::ClientItem open = OpenItem(0, "a");
  v1::OutputOptions& output = *open.mutable_open()->mutable_output();
  output.add_horizons(1);
  output.add_horizons(3);
  output.add_quantiles(0.5f);
  output.set_surprise(true);
  stream_.Open(open);
  stream_.Send(TokensItem(0, 0, {4, 6}));
  const v1::Forecasts forecasts = stream_.Receive().forecasts();
  EXPECT_THAT(forecasts.values(),
              ElementsAre(SumForecast(4, 1, 1), SumForecast(4, 3, 1), SumForecast(10, 1, 1), SumForecast(10, 3, 1)));
  EXPECT_THAT(forecasts.surprise(), ElementsAre(FloatEq(2), FloatEq(3)));
}

TEST_F(ExchangeTest, CalibrationIsOffWhereAskedFor) {
  v1::ClientItem open = OpenItem(0, "a");
  v1::OutputOptions& output = *open.mutable_open()->mutable_output();
  output.add_horizons(1);
  output.add_quantiles(0.5f);
  output.set_uncalibrated(true);
  stream_.Open(open);
  stream_.Send(TokensItem(0, 0, {4}));
  EXPECT_THAT(stream_.Receive().forecasts().values(), ElementsAre(-SumForecast(4, 1, 1)));
}

TEST_F(ExchangeTest, EveryKthTokenIsAnswered) {
  v1::ClientItem open = OpenItem(0, "a");
  open.mutable_open()->mutable_output()->set_every(3);
  open.mutable_open()->mutable_output()->add_horizons(1);
  open.mutable_open()->mutable_output()->add_quantiles(0.1f);
  stream_.Open(open);
  stream_.Send(TokensItem(0, 0, {1, 1, 1, 1, 1}));
  const v1::Forecasts forecasts = stream_.Receive().forecasts();
  EXPECT_EQ(forecasts.next_seq(), 5u);
  EXPECT_THAT(forecasts.values(), ElementsAre(SumForecast(1, 1, 0), SumForecast(4, 1, 0)));
}

TEST_F(ExchangeTest, TimesComeBackWithTheStepBetweenThem) {
  stream_.Open(0, "a");
  v1::ClientItem tokens = TokensItem(0, 0, {1, 2});
  tokens.mutable_tokens()->add_times_ns(1000);
  tokens.mutable_tokens()->add_times_ns(1500);
  stream_.Send(tokens);
  const v1::Forecasts forecasts = stream_.Receive().forecasts();
  EXPECT_THAT(forecasts.times_ns(), ElementsAre(1000, 1500));
  EXPECT_THAT(forecasts.steps_ns(), ElementsAre(0, 500));
  EXPECT_EQ(forecasts.step_ns(), 500);
}

TEST_F(ExchangeTest, OpenedTellsTheTimeOfTheLastToken) {
  EXPECT_FALSE(stream_.Open(0, "a").has_last_time_ns());
  v1::ClientItem tokens = TokensItem(0, 0, {1, 2});
  tokens.mutable_tokens()->add_times_ns(1000);
  tokens.mutable_tokens()->add_times_ns(1500);
  stream_.Send(tokens);
  stream_.Receive();
  stream_.Send(CloseItem(0));
  stream_.Receive();
  const v1::Opened again = stream_.Open(0, "a");
  EXPECT_EQ(again.next_seq(), 2u);
  EXPECT_EQ(again.last_time_ns(), 1500);
  EXPECT_EQ(again.step_ns(), 500);
}

TEST_F(ExchangeTest, ChannelsAdvanceTogether) {
  v1::ClientItem open = OpenItem(0, "a");
  open.mutable_open()->set_channels(2);
  open.mutable_open()->mutable_output()->add_horizons(1);
  open.mutable_open()->mutable_output()->add_quantiles(0.1f);
  EXPECT_EQ(stream_.Open(open).channels(), 2u);
  stream_.Send(TokensItem(0, 0, {1, 100, 2, 200}));
  EXPECT_THAT(stream_.Receive().forecasts().values(),
              ElementsAre(SumForecast(1, 1, 0), SumForecast(100, 1, 0), SumForecast(3, 1, 0), SumForecast(300, 1, 0)));
}

TEST_F(ExchangeTest, SilentTokensAreFoldedAndAcknowledged) {
  stream_.Open(0, "a");
  v1::ClientItem silent = TokensItem(0, 0, {1, 2, 3});
  silent.mutable_tokens()->set_silent(true);
  stream_.Send({silent, TokensItem(0, 3, {4})});
  EXPECT_EQ(stream_.Receive().acked().next_seq(), 3u);
  EXPECT_EQ(stream_.Receive().forecasts().values(0), SumForecast(10, 1, 0));
}

TEST_F(ExchangeTest, DuplicatesAreAcknowledgedAndNotFolded) {
  stream_.Open(0, "a");
  stream_.Send(TokensItem(0, 0, {1, 2}));
  stream_.Receive();
  stream_.Send({TokensItem(0, 0, {1, 2}), TokensItem(0, 2, {4})});
  EXPECT_EQ(stream_.Receive().acked().next_seq(), 2u);
  EXPECT_EQ(stream_.Receive().forecasts().values(0), SumForecast(7, 1, 0));
}

TEST_F(ExchangeTest, HelloOpenTokensAndCloseMayShareAMessage) {
  TestStream stream(NewChannel());
  stream.Send({HelloItem(), OpenItem(0, "b"), TokensItem(0, 0, {1}), CloseItem(0)});
  EXPECT_TRUE(stream.Receive().has_welcome());
  EXPECT_TRUE(stream.Receive().has_opened());
  EXPECT_TRUE(stream.Receive().has_forecasts());
  EXPECT_EQ(stream.Receive().closed().next_seq(), 1u);
}

TEST_F(ExchangeTest, CloseAloneInItsMessageLeavesTheStreamAsItWas) {
  for (int i = 0; i < 3; ++i) {
    stream_.Open(0, "a");
    stream_.Send(CloseItem(0));
    ASSERT_TRUE(stream_.Receive().has_closed());
  }
}

TEST_F(ExchangeTest, SessionOutlivesItsStream) {
  stream_.Open(0, "a");
  stream_.Send(TokensItem(0, 0, {5}));
  stream_.Receive();
  stream_.Cancel();
  TestStream other(NewChannel());
  other.Greet();
  const v1::Opened opened = other.Open(0, "a");
  EXPECT_FALSE(opened.created());
  EXPECT_EQ(opened.next_seq(), 1u);
  other.Send(TokensItem(0, 1, {6}));
  EXPECT_EQ(other.Receive().forecasts().values(0), SumForecast(11, 1, 0));
}

TEST_F(ExchangeTest, LaterOpenFencesTheStreamBefore) {
  stream_.Open(0, "a");
  TestStream other(NewChannel());
  other.Greet();
  other.Open(0, "a");
  const v1::Failed failed = stream_.Receive().failed();
  EXPECT_EQ(failed.handle(), 0u);
  EXPECT_EQ(failed.status().code(), grpc::StatusCode::ABORTED);
}

TEST_F(ExchangeTest, RepliesOfManySessionsArriveInOrderOfEach) {
  constexpr uint32_t kSessions = 100;
  std::vector<v1::ClientItem> items;
  for (uint32_t handle = 0; handle < kSessions; ++handle) items.push_back(OpenItem(handle, std::to_string(handle)));
  for (uint64_t seq = 0; seq < 5; ++seq) {
    for (uint32_t handle = 0; handle < kSessions; ++handle) items.push_back(TokensItem(handle, seq, {1}));
  }
  stream_.Send(items);
  std::vector<uint64_t> next(kSessions, 0);
  for (uint32_t replies = 0; replies < 6 * kSessions; ++replies) {
    const v1::ServerItem item = stream_.Receive();
    if (item.has_opened()) continue;
    ASSERT_TRUE(item.has_forecasts()) << item.DebugString();
    EXPECT_EQ(item.forecasts().first_seq(), next[item.forecasts().handle()]);
    next[item.forecasts().handle()] = item.forecasts().next_seq();
  }
  EXPECT_THAT(next, testing::Each(5));
}

TEST_F(ExchangeTest, SessionsMoveBetweenShards) {
  rpc::ServerOptions options = Options();
  options.shards = 2;
  Start(options);
  for (uint64_t seq = 0; seq < 20; ++seq) {  // each connection lands on a shard of the system's choice
    TestStream stream(NewChannel());
    stream.Greet();
    ASSERT_EQ(stream.Open(0, "a").next_seq(), seq);
    stream.Send(TokensItem(0, seq, {1}));
    ASSERT_EQ(stream.Receive().forecasts().values(0), SumForecast(static_cast<float>(seq) + 1, 1, 0));
  }
}

}  // namespace
}  // namespace aaren::rpc
