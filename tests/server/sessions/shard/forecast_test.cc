// Replies carry the chosen outputs, channels, surprise and times.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/server/sessions/shard/world/world.h"

namespace aaren::shard {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Event = FakePeer::Event;

session::OpenRequest Every(uint32_t every, bool surprise) {
  session::OpenRequest request = Named("a");
  request.output.every = every;
  request.output.surprise = surprise;
  return request;
}

TEST(ForecastTest, ComesForEveryMultipleOnly) {
  World world;
  FakePeer peer;
  world.Open(peer, 0, Every(4, false));
  world.Send(peer, 0, 0, Values(0, 3));
  EXPECT_EQ(peer.Last().results, 1);
  world.Send(peer, 0, 3, Values(3, 6));
  EXPECT_EQ(peer.Last().results, 2);
  const auto all = world.engine().Forecasts(Values(0, 9));
  EXPECT_EQ(peer.Forecasts(0), (std::vector<std::vector<float>>{all[0], all[4], all[8]}));
}

TEST(ForecastTest, IsAnAcknowledgementWhereNoTokenAsksForOne) {
  World world;
  FakePeer peer;
  world.Open(peer, 0, Every(4, false));
  world.Send(peer, 0, 0, Values(0, 1));
  world.Send(peer, 0, 1, Values(1, 2));
  EXPECT_EQ(peer.Last().kind, Event::kAcked);
  EXPECT_EQ(peer.Last().next_seq, 3);
}

TEST(ForecastTest, CarriesSurpriseAgainstTheForecastOneTokenEarlier) {
  World world;
  FakePeer peer;
  world.Open(peer, 0, Every(1, true));
  world.Send(peer, 0, 0, {3, 5});
  ASSERT_EQ(peer.Last().surprises.size(), 2);
  EXPECT_TRUE(std::isnan(peer.Last().surprises[0]));
  EXPECT_EQ(peer.Last().surprises[1], 2);
}

TEST(ForecastTest, CarriesSurpriseThoughTheTokenBeforeSendsNoForecast) {
  World world;
  FakePeer peer;
  world.Open(peer, 0, Every(3, true));
  world.Send(peer, 0, 0, {3, 5, 7, 11});
  EXPECT_EQ(peer.Last().results, 2);
  ASSERT_EQ(peer.Last().surprises.size(), 2);
  EXPECT_FLOAT_EQ(peer.Last().surprises[1], 11 - (7 + 0.75f * (5 + 0.75f * 3)));
}

TEST(ForecastTest, SurprisesThatAreNumbersAreCountedOfTheirModel) {
  World world;
  FakePeer peer;
  world.Open(peer, 0, Every(1, true));
  world.Send(peer, 0, 0, {3, 5});  // the first has none
  const models::LoadedModel& model = *world.models().default_model();
  model.counters.ForEach([](const models::ModelCounters& counted) {
    EXPECT_EQ(counted.surprises.count(models::kSurpriseBounds.size()), 1u);
    EXPECT_EQ(counted.surprises.sum(), 2);
    EXPECT_EQ(counted.tokens.value(), 2u);
  });
  EXPECT_EQ(model.sessions(), 1u);
}

TEST(ForecastTest, CarriesNoSurpriseUnasked) {
  World world;
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  world.Send(peer, 0, 0, {3, 5});
  EXPECT_TRUE(peer.Last().surprises.empty());
}

TEST(ForecastTest, OfSeveralChannelsGoesByResultThenChannel) {
  World world;
  FakePeer peer;
  session::OpenRequest request = Every(1, true);
  request.channels = 3;
  world.Open(peer, 0, request);
  world.Send(peer, 0, 0, {1, 10, 100});
  world.Send(peer, 0, 1, {2, 20, 200, 3, 30, 300});
  const auto one = world.engine().Forecasts({1, 2, 3});
  const auto ten = world.engine().Forecasts({10, 20, 30});
  std::vector<float> expected;
  for (size_t token : {1, 2}) {
    for (const auto& forecast : {one[token], ten[token]})
      expected.insert(expected.end(), forecast.begin(), forecast.end());
    const auto hundred = world.engine().Forecasts({100, 200, 300});
    expected.insert(expected.end(), hundred[token].begin(), hundred[token].end());
  }
  EXPECT_EQ(peer.Last().values, expected);
  EXPECT_THAT(peer.Last().surprises, ElementsAre(1, 10, 100, 3 - one[1][0], 30 - ten[1][0], ::testing::_));
}

TEST(ForecastTest, OfManyChannelsIsCutOverCallsExactly) {
  World world;
  FakePeer peer;
  session::OpenRequest request = Named("a");
  request.channels = 60;
  world.Open(peer, 0, request);
  std::vector<float> values;
  for (int token = 0; token < 50; ++token) {
    for (int channel = 0; channel < 60; ++channel) values.push_back(static_cast<float>(token * 60 + channel));
  }
  world.Send(peer, 0, 0, values);
  std::vector<float> last_channel;
  for (int token = 0; token < 50; ++token) last_channel.push_back(static_cast<float>(token * 60 + 59));
  const std::vector<float> expected = world.engine().Forecasts(last_channel)[49];
  const std::vector<float>& all = peer.Last().values;
  EXPECT_EQ(std::vector<float>(all.end() - expected.size(), all.end()), expected);
  EXPECT_EQ(peer.Last().next_seq, 50);
}

TEST(ForecastTest, RefusesAWidthThatIsNotAMultipleOfTheChannels) {
  World world;
  FakePeer peer;
  session::OpenRequest request = Named("a");
  request.channels = 3;
  world.Open(peer, 0, request);
  world.Send(peer, 0, 0, {1, 2, 3, 4});
  EXPECT_EQ(peer.Last().refusal.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(peer.Last().refusal.status.message()), HasSubstr("4 values"));
  EXPECT_THAT(std::string(peer.Last().refusal.status.message()), HasSubstr("3 channels"));
}

TEST(ForecastTest, HasTimesByRuleWhereTheOpenGaveOne) {
  World world;
  FakePeer peer;
  session::OpenRequest request = Named("a");
  request.regular_times = session::RegularTimes{1000, 60};
  world.Open(peer, 0, request);
  world.Send(peer, 0, 0, Values(0, 2));
  world.Send(peer, 0, 2, Values(2, 2));
  EXPECT_THAT(peer.Last().times_ns, ElementsAre(1120, 1180));
  EXPECT_EQ(peer.Last().step_ns, 60);
}

TEST(ForecastTest, RefusesTimesBesideARule) {
  World world;
  FakePeer peer;
  session::OpenRequest request = Named("a");
  request.regular_times = session::RegularTimes{1000, 60};
  world.Open(peer, 0, request);
  const std::vector<float> values = {1};
  const std::vector<int64_t> times = {1000};
  session::TokensView tokens;
  tokens.values = values;
  tokens.times_ns = times;
  world.shard().Tokens(peer, tokens);
  EXPECT_EQ(peer.Last().refusal.field, "tokens.times_ns");
}

TEST(ForecastTest, RefusesARuleThatBeginsBeforeTheLastFoldedTime) {
  World world;
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  const std::vector<float> values = {1};
  const std::vector<int64_t> times = {5000};
  session::TokensView tokens;
  tokens.values = values;
  tokens.times_ns = times;
  world.shard().Tokens(peer, tokens);
  world.Settle();
  world.shard().Close(peer, 0, false, std::nullopt);
  session::OpenRequest request = Named("a");
  request.regular_times = session::RegularTimes{1000, 60};
  world.Open(peer, 1, request);
  world.Send(peer, 1, 1, {2});
  EXPECT_EQ(peer.Last().refusal.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(peer.Last().refusal.status.message()), HasSubstr("1060"));
  EXPECT_THAT(std::string(peer.Last().refusal.status.message()), HasSubstr("5000"));
}

TEST(ForecastTest, RefusesARuleWhoseTimeOverflows) {
  World world;
  FakePeer peer;
  session::OpenRequest request = Named("a");
  request.regular_times = session::RegularTimes{INT64_MAX - 10, 20};
  world.Open(peer, 0, request);
  world.Send(peer, 0, 0, Values(0, 2));
  EXPECT_EQ(peer.Last().refusal.status.code(), absl::StatusCode::kInvalidArgument);
  world.Send(peer, 0, 0, Values(0, 1));
  EXPECT_EQ(peer.Last().kind, Event::kForecasts);
}

TEST(ForecastTest, OptionsMayDifferFromOpenToOpen) {
  World world;
  FakePeer peer;
  world.Open(peer, 0, Every(4, false));
  world.Send(peer, 0, 0, Values(0, 4));
  world.Open(peer, 1, Every(1, false));
  world.Send(peer, 1, 4, Values(4, 2));
  EXPECT_EQ(peer.Last().results, 2);
}

// A world with session "a" under watch.
class WatchedForecastTest : public ::testing::Test {
 protected:
  WatchedForecastTest() { EXPECT_TRUE(watched_.Watch("/a", absl::UnixEpoch(), absl::InfiniteFuture()).ok()); }
  watch::WatchedSession Noted() { return watched_.List(absl::UnixEpoch()).at(0); }

  watch::WatchedSessions watched_;
  World world_{ShardOptions{.ties = {.watched = &watched_}}};
  FakePeer peer_;
};

TEST_F(WatchedForecastTest, ValuesForecastsAndSurprisesAreNoted) {
  world_.Open(peer_, 0, Every(1, true));
  world_.Send(peer_, 0, 0, {3, 5});
  const watch::WatchedSession session = Noted();
  ASSERT_EQ(session.channels.size(), 1u);
  EXPECT_EQ(session.next_seq, 2u);
  EXPECT_EQ(session.channels[0].value, 5);
  EXPECT_EQ(session.channels[0].surprise, 2);
  EXPECT_EQ(session.channels[0].next.middle, peer_.Forecasts(0).back()[1]);  // the middle of three quantiles
  EXPECT_EQ(session.channels[0].judged, 1u);
}

TEST_F(WatchedForecastTest, ChannelsOfSilentTokensAreNotedWithoutForecasts) {
  session::OpenRequest request = Named("a");
  request.channels = 2;
  world_.Open(peer_, 0, request);
  const std::vector<float> values = {1, 2, 3, 4};
  session::TokensView tokens;
  tokens.values = values;
  tokens.silent = true;
  world_.shard().Tokens(peer_, tokens);
  world_.Settle();
  const watch::WatchedSession session = Noted();
  ASSERT_EQ(session.channels.size(), 2u);
  EXPECT_EQ(session.tokens, 2u);
  EXPECT_EQ(session.channels[0].value, 3);
  EXPECT_EQ(session.channels[1].value, 4);
  EXPECT_TRUE(std::isnan(session.channels[1].next.middle));
}

TEST_F(WatchedForecastTest, OfTokensThatAskForFewForecastsEachIsItsOwnTokens) {
  world_.Open(peer_, 0, Every(3, false));
  world_.Send(peer_, 0, 0, Values(0, 4));  // 0 and 3 are made
  const auto all = world_.engine().Forecasts(Values(0, 4));
  EXPECT_EQ(Noted().channels[0].next.middle, all[3][1]);
  world_.Send(peer_, 0, 4, Values(4, 1));
  EXPECT_TRUE(std::isnan(Noted().channels[0].next.middle));
}

}  // namespace
}  // namespace aaren::shard
