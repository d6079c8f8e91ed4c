// Tokens items are folded, refused and answered.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/server/sessions/shard/world/world.h"

namespace aaren::shard {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Event = FakePeer::Event;

class TokensTest : public ::testing::Test {
 protected:
  void SetUp() override { world_.Open(peer_, 7, Named("a")); }

  // Without settling.
  void Push(uint64_t first_seq, const std::vector<float>& values, const std::vector<int64_t>& times = {},
            bool silent = false) {
    session::TokensView tokens;
    tokens.handle = 7;
    tokens.first_seq = first_seq;
    tokens.values = values;
    tokens.times_ns = times;
    tokens.silent = silent;
    world_.shard().Tokens(peer_, tokens);
  }

  void ExpectRefused(absl::StatusCode code, const std::string& field, uint64_t expected_seq) {
    EXPECT_EQ(peer_.Last().kind, Event::kFailed);
    EXPECT_EQ(peer_.Last().refusal.status.code(), code);
    EXPECT_EQ(peer_.Last().refusal.field, field);
    EXPECT_EQ(peer_.Last().expected_seq, expected_seq);
  }

  World world_{ShardOptions{.max_tokens_per_item = 100, .max_in_flight_tokens = 200}};
  FakePeer peer_;
};

TEST_F(TokensTest, AreAnsweredWithAForecastEach) {
  world_.Send(peer_, 7, 0, Values(0, 3));
  EXPECT_EQ(peer_.Last().kind, Event::kForecasts);
  EXPECT_EQ(peer_.Last().first_seq, 0);
  EXPECT_EQ(peer_.Last().next_seq, 3);
  EXPECT_EQ(peer_.Forecasts(7), world_.engine().Forecasts(Values(0, 3)));
}

TEST_F(TokensTest, SplitAnyhowGiveTheSameForecasts) {
  uint64_t seq = 0;
  for (const size_t count : {1, 7, 64, 3}) {
    world_.Send(peer_, 7, seq, Values(seq, count));
    seq += count;
  }
  EXPECT_EQ(peer_.Forecasts(7), world_.engine().Forecasts(Values(0, 75)));
}

TEST_F(TokensTest, ThatWaitTogetherAreOneCallAndAnsweredItemByItem) {
  for (uint64_t seq = 0; seq < 10; ++seq) Push(seq, Values(seq, 1));
  const int calls = world_.engine().calls();
  EXPECT_EQ(world_.shard().Step(), 10);
  EXPECT_EQ(world_.engine().calls(), calls + 1);
  EXPECT_EQ(peer_.Count(Event::kForecasts, 7), 10);
  EXPECT_EQ(peer_.Forecasts(7), world_.engine().Forecasts(Values(0, 10)));
}

TEST_F(TokensTest, MayBeMissing) {
  world_.Send(peer_, 7, 0, {std::numeric_limits<float>::quiet_NaN()});
  EXPECT_EQ(peer_.Forecasts(7), world_.engine().Forecasts({0}));
}

TEST_F(TokensTest, AreRefusedWholeForOneInfinity) {
  world_.Send(peer_, 7, 0, {1, 2, std::numeric_limits<float>::infinity(), 3});
  ExpectRefused(absl::StatusCode::kInvalidArgument, "tokens.values[2]", 0);
  EXPECT_THAT(std::string(peer_.Last().refusal.status.message()), HasSubstr("token 2, channel 0"));
  world_.Send(peer_, 7, 0, Values(0, 2));
  EXPECT_EQ(peer_.Forecasts(7), world_.engine().Forecasts(Values(0, 2)));
}

TEST_F(TokensTest, AreRefusedWithTheWrongNumberOfTimes) {
  Push(0, Values(0, 3), {10, 20});
  ExpectRefused(absl::StatusCode::kInvalidArgument, "tokens.times_ns", 0);
  EXPECT_THAT(std::string(peer_.Last().refusal.status.message()), HasSubstr("2 times for 3 tokens"));
}

TEST_F(TokensTest, AreRefusedIfTimeGoesBackWithinAnItem) {
  Push(0, Values(0, 3), {10, 20, 19});
  ExpectRefused(absl::StatusCode::kInvalidArgument, "tokens.times_ns[2]", 0);
}

TEST_F(TokensTest, AreRefusedIfTimeGoesBackFromOneItemToTheNext) {
  Push(0, Values(0, 2), {10, 20});
  Push(2, Values(2, 1), {19});
  world_.Settle();
  ExpectRefused(absl::StatusCode::kInvalidArgument, "tokens.times_ns[0]", 2);
}

TEST_F(TokensTest, MayRepeatTheirTimes) {
  Push(0, Values(0, 3), {10, 10, 10});
  world_.Settle();
  EXPECT_THAT(peer_.Last().times_ns, ElementsAre(10, 10, 10));
  EXPECT_EQ(peer_.Last().step_ns, 0);
}

TEST_F(TokensTest, CarryTheirTimesAndTheLastStepIntoTheReply) {
  Push(0, Values(0, 2), {10, 25});
  Push(2, Values(2, 2), {25, 25});
  world_.Settle();
  EXPECT_THAT(peer_.Last().times_ns, ElementsAre(25, 25));
  EXPECT_THAT(peer_.Last().steps_ns, ElementsAre(15, 15));
  EXPECT_EQ(peer_.Last().step_ns, 15);
}

TEST_F(TokensTest, HaveTheStepOfTheirOwnPastHoweverTheyAreCut) {
  const std::vector<int64_t> times = {0, 10, 11, 100, 103};
  Push(0, Values(0, 5), times);
  world_.Settle();
  EXPECT_THAT(peer_.Last().steps_ns, ElementsAre(0, 10, 1, 89, 3));
  world_.Open(peer_, 8, Named("b"));
  std::vector<int64_t> steps;
  for (uint64_t seq = 0; seq < times.size(); ++seq) {
    const std::vector<float> values = Values(seq, 1);
    session::TokensView tokens;
    tokens.handle = 8;
    tokens.first_seq = seq;
    tokens.values = values;
    tokens.times_ns = {&times[seq], 1};
    world_.shard().Tokens(peer_, tokens);
    world_.Settle();
    steps.push_back(peer_.Last().step_ns);
  }
  EXPECT_THAT(steps, ElementsAre(0, 10, 1, 89, 3));
}

TEST_F(TokensTest, OfSeveralChannelsAreCountedAsTokens) {
  session::OpenRequest request = Named("wide");
  request.channels = 4;
  world_.Open(peer_, 8, request);
  const std::vector<float> values(12, 1.0f);
  session::TokensView tokens;
  tokens.handle = 8;
  tokens.values = values;
  world_.shard().Tokens(peer_, tokens);
  world_.shard().Tick();
  EXPECT_EQ(world_.shard().counters().queued_tokens.value(), 3);
}

TEST_F(TokensTest, BeyondTheLimitOfAnItemAreRefused) {
  world_.Send(peer_, 7, 0, Values(0, 101));
  ExpectRefused(absl::StatusCode::kInvalidArgument, "tokens.values", 0);
  EXPECT_THAT(std::string(peer_.Last().refusal.status.message()), HasSubstr("101"));
  EXPECT_THAT(std::string(peer_.Last().refusal.status.message()), HasSubstr("100"));
}

TEST_F(TokensTest, WithMarksOrFutureValuesAreRefused) {
  session::TokensView tokens;
  const float value = 1;
  tokens.handle = 7;
  tokens.values = {&value, 1};
  const uint32_t mark = 1;
  tokens.marks = {&mark, 1};
  world_.shard().Tokens(peer_, tokens);
  ExpectRefused(absl::StatusCode::kInvalidArgument, "tokens.marks", 0);
  tokens.marks = {};
  tokens.future_values = {&value, 1};
  world_.shard().Tokens(peer_, tokens);
  ExpectRefused(absl::StatusCode::kInvalidArgument, "tokens.future_values", 0);
}

TEST_F(TokensTest, OfAnUnknownHandleAreRefusedByName) {
  world_.Send(peer_, 99, 0, Values(0, 1));
  EXPECT_EQ(peer_.Last().handle, 99);
  EXPECT_EQ(peer_.Last().refusal.status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(peer_.Last().refusal.status.message()), HasSubstr("99"));
}

TEST_F(TokensTest, SeenBeforeAreAcknowledgedAndNotFolded) {
  world_.Send(peer_, 7, 0, Values(0, 5));
  world_.Send(peer_, 7, 1, Values(1, 4));
  EXPECT_EQ(peer_.Last().kind, Event::kAcked);
  EXPECT_EQ(peer_.Last().next_seq, 5);
  EXPECT_EQ(world_.shard().counters().tokens_duplicate.value(), 4);
  world_.Send(peer_, 7, 5, Values(5, 1));
  EXPECT_EQ(peer_.Forecasts(7), world_.engine().Forecasts(Values(0, 6)));
}

TEST_F(TokensTest, SeenInPartFoldOnlyWhatIsNew) {
  world_.Send(peer_, 7, 0, Values(0, 5));
  world_.Send(peer_, 7, 3, Values(3, 4));
  EXPECT_EQ(peer_.Last().first_seq, 5);
  EXPECT_EQ(peer_.Last().next_seq, 7);
  EXPECT_EQ(peer_.Forecasts(7), world_.engine().Forecasts(Values(0, 7)));
}

TEST_F(TokensTest, SeenInPartMayHaveTimesBeforeTheLast) {
  Push(0, Values(0, 3), {10, 20, 30});
  Push(1, Values(1, 3), {20, 30, 40});
  world_.Settle();
  EXPECT_THAT(peer_.Last().times_ns, ElementsAre(40));
}

TEST_F(TokensTest, OfADuplicateAreAnsweredAfterWhatWaits) {
  Push(0, Values(0, 2));
  Push(0, Values(0, 2));
  world_.Settle();
  ASSERT_GE(peer_.events.size(), 2);
  EXPECT_EQ(peer_.events[peer_.events.size() - 2].kind, Event::kForecasts);
  EXPECT_EQ(peer_.Last().kind, Event::kAcked);
}

TEST_F(TokensTest, BehindAGapAreRefusedWithTheExpectedSeq) {
  world_.Send(peer_, 7, 0, Values(0, 2));
  world_.Send(peer_, 7, 3, Values(3, 1));
  ExpectRefused(absl::StatusCode::kOutOfRange, "", 2);
  EXPECT_THAT(peer_.Last().refusal.metadata, ElementsAre(std::pair<std::string, std::string>("expected_seq", "2")));
}

TEST_F(TokensTest, AfterARefusalAreDroppedUntilTheExpectedSeq) {
  world_.Send(peer_, 7, 1, Values(1, 1));
  const size_t events = peer_.events.size();
  world_.Send(peer_, 7, 2, Values(2, 2));
  world_.Send(peer_, 7, 4, Values(4, 1));
  EXPECT_EQ(peer_.events.size(), events);
  EXPECT_EQ(world_.shard().counters().tokens_dropped.value(), 3);
  world_.Send(peer_, 7, 0, Values(0, 5));
  EXPECT_EQ(peer_.Forecasts(7), world_.engine().Forecasts(Values(0, 5)));
}

TEST_F(TokensTest, AfterARefusalMayBeginBelowTheExpectedSeq) {
  world_.Send(peer_, 7, 0, Values(0, 3));
  world_.Send(peer_, 7, 5, Values(5, 1));  // a gap
  world_.Send(peer_, 7, 1, Values(1, 2));  // all tokens are known
  EXPECT_EQ(world_.shard().counters().tokens_dropped.value(), 2);
  world_.Send(peer_, 7, 1, Values(1, 6));
  world_.Send(peer_, 7, 7, Values(7, 1));
  EXPECT_EQ(peer_.Forecasts(7), world_.engine().Forecasts(Values(0, 8)));
}

// The client may have sent such items, and items after, before the client heard of the refusal.
TEST_F(TokensTest, OnlyToTellDeliveredSeqDoNotEndARefusal) {
  world_.Send(peer_, 7, 0, Values(0, 3));
  world_.Send(peer_, 7, 5, Values(5, 1));  // a gap
  world_.Send(peer_, 7, 3, {}, 3);
  world_.Send(peer_, 7, 6, Values(6, 2));
  EXPECT_EQ(peer_.Count(Event::kFailed, 7), 1);
  world_.Send(peer_, 7, 3, Values(3, 5));
  EXPECT_EQ(peer_.Forecasts(7), world_.engine().Forecasts(Values(0, 8)));
}

TEST_F(TokensTest, SilentAreFoldedAndAcknowledged) {
  Push(0, Values(0, 3), {}, /*silent=*/true);
  world_.Settle();
  EXPECT_EQ(peer_.Last().kind, Event::kAcked);
  EXPECT_EQ(peer_.Last().next_seq, 3);
  EXPECT_EQ(peer_.Count(Event::kForecasts, 7), 0);
  world_.Send(peer_, 7, 3, Values(3, 1));
  EXPECT_EQ(peer_.Forecasts(7)[0], world_.engine().Forecasts(Values(0, 4))[3]);
}

TEST_F(TokensTest, MayBeNoneToTellDeliveredSeq) {
  world_.Send(peer_, 7, 0, Values(0, 3));
  world_.Send(peer_, 7, 3, {}, 3);
  EXPECT_EQ(peer_.Last().kind, Event::kAcked);
  EXPECT_EQ(world_.Get("a").value.delivered_seq, 3);
}

TEST_F(TokensTest, TooFarAheadOfDeliveredSeqAreRefusedNamingTheLimit) {
  world_.Send(peer_, 7, 0, Values(0, 100), 0);
  world_.Send(peer_, 7, 100, Values(100, 100), 0);
  EXPECT_EQ(peer_.Last().next_seq, 200);
  world_.Send(peer_, 7, 200, Values(200, 1), 0);
  ExpectRefused(absl::StatusCode::kResourceExhausted, "", 200);
  EXPECT_EQ(peer_.Last().refusal.quota, "in_flight_tokens");
  EXPECT_THAT(std::string(peer_.Last().refusal.status.message()), HasSubstr("200"));
  world_.Send(peer_, 7, 200, Values(200, 1), 1);
  EXPECT_EQ(peer_.Last().next_seq, 201);
}

TEST_F(TokensTest, WithoutDeliveredSeqHaveNoSuchLimit) {
  for (uint64_t seq = 0; seq < 500; seq += 100) Push(seq, Values(seq, 100));
  world_.Settle();
  EXPECT_EQ(peer_.Last().next_seq, 500);
}

TEST_F(TokensTest, ThatAreRefusedWaitForTheirTurnToo) {
  constexpr size_t kRefused = 20'000;
  Push(0, Values(0, 1));
  for (size_t i = 0; i < kRefused; ++i) Push(1, {std::numeric_limits<float>::infinity()});
  size_t most = 0;
  for (size_t before = 0; peer_.Count(Event::kFailed, 7) < kRefused; before = peer_.Count(Event::kFailed, 7)) {
    ASSERT_GT(world_.shard().Step(), 0);
    most = std::max(most, peer_.Count(Event::kFailed, 7) - before);
  }
  EXPECT_LT(most, kRefused / 2);
}

TEST_F(TokensTest, OfOneSessionLeaveOthersAsTheyWere) {
  world_.Open(peer_, 8, Named("b"));
  for (uint64_t seq = 0; seq < 20; ++seq) {
    Push(seq, Values(seq, 1));
    session::TokensView tokens;
    tokens.handle = 8;
    tokens.first_seq = seq;
    const std::vector<float> values = Values(1000 + seq, 1);
    tokens.values = values;
    world_.shard().Tokens(peer_, tokens);
  }
  world_.Settle();
  EXPECT_EQ(peer_.Forecasts(7), world_.engine().Forecasts(Values(0, 20)));
  EXPECT_EQ(peer_.Forecasts(8), world_.engine().Forecasts(Values(1000, 20)));
}

TEST_F(TokensTest, AreEachCountedOnce) {
  const ShardCounters& counters = world_.shard().counters();
  Push(0, Values(0, 4));
  Push(4, Values(4, 2), {}, /*silent=*/true);
  Push(9, Values(9, 3));
  Push(10, Values(10, 1));
  Push(0, Values(0, 5));
  Push(6, Values(6, 1));
  world_.Settle();
  EXPECT_EQ(counters.tokens_forecast.value(), 5);
  EXPECT_EQ(counters.tokens_silent.value(), 2);
  EXPECT_EQ(counters.tokens_refused.value(), 3);
  EXPECT_EQ(counters.tokens_dropped.value(), 6);
  EXPECT_EQ(counters.tokens_duplicate.value(), 0);
  EXPECT_EQ(counters.queued_tokens.value(), 0);
  EXPECT_EQ(counters.batch_tokens.sum(), 7);
}

}  // namespace
}  // namespace aaren::shard
