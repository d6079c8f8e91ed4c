#include "server/sessions/shard/residents/silent_sessions.h"

#include <gtest/gtest.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/sessions/queue/attachment.h"
#include "tests/server/sessions/shard/world/world.h"

namespace aaren::shard {
namespace {

constexpr int64_t kMinuteMs = 60'000;

// A session with a step of a minute and the last token at 0.
std::unique_ptr<session::Session> Minutely(const std::string& key) {
  auto session = std::make_unique<session::Session>();
  session->key = session::CompactKey(key);
  session->point.clock = {.last_time_ns = 0, .step_ns = kMinuteMs * 1'000'000};
  static char somebody;
  session->stream = reinterpret_cast<queue::Attachment*>(&somebody);  // never looked at
  return session;
}

TEST(IsSilentTest, AfterTenOfItsSteps) {
  const auto session = Minutely("t/a");
  EXPECT_FALSE(IsSilent(*session, 10 * kMinuteMs));
  EXPECT_TRUE(IsSilent(*session, 10 * kMinuteMs + 1));
}

TEST(IsSilentTest, StepsByRuleCountBeforeStepsOfTokens) {
  const auto session = Minutely("t/a");
  session->regular_times = true;
  session->regular_step_ns = 3 * kMinuteMs * 1'000'000;
  EXPECT_FALSE(IsSilent(*session, 30 * kMinuteMs));
  EXPECT_TRUE(IsSilent(*session, 30 * kMinuteMs + 1));
}

TEST(IsSilentTest, FastSessionsHaveTenSeconds) {
  const auto session = Minutely("t/a");
  session->point.clock.step_ns = 1'000'000;
  EXPECT_FALSE(IsSilent(*session, 10'000));
  EXPECT_TRUE(IsSilent(*session, 10'001));
}

TEST(IsSilentTest, NeverWithoutAStepOrWithoutAStream) {
  const auto session = Minutely("t/a");
  session->point.clock.step_ns = 0;
  EXPECT_FALSE(IsSilent(*session, 100 * kMinuteMs));
  session->point.clock.step_ns = 1;
  session->stream = nullptr;
  EXPECT_FALSE(IsSilent(*session, 100 * kMinuteMs));
}

TEST(IsSilentTest, NeverASessionOfEvents) {
  const auto session = Minutely("t/a");
  task::OutputPlan plan;
  session->plan = &plan;
  EXPECT_TRUE(IsSilent(*session, 100 * kMinuteMs));
  plan.events.levels = {0.5f};
  EXPECT_FALSE(IsSilent(*session, 100 * kMinuteMs));
}

class SilentSessionsTest : public ::testing::Test {
 protected:
  void Fill(size_t count) {
    for (size_t i = 0; i < count; ++i) sessions_.insert(Minutely(absl::StrCat("t/", i)));
  }
  size_t LookAt(int64_t now_ms) { return silent_.Look(sessions_, now_ms); }

  SilentSessions::Table sessions_;
  SilentSessions silent_;
};

TEST_F(SilentSessionsTest, CountsInStretches) {
  Fill(3 * SilentSessions::kStretch - 7);
  for (int look = 0; look < 2; ++look) EXPECT_EQ(LookAt(kMinuteMs * 11), 0u);
  EXPECT_EQ(LookAt(kMinuteMs * 11), sessions_.size());
}

TEST_F(SilentSessionsTest, CountsAgainAfterAPause) {
  Fill(5);
  EXPECT_EQ(LookAt(kMinuteMs * 11), 5u);
  for (const auto& session : sessions_) session->last_active_ms = kMinuteMs * 11;
  EXPECT_EQ(LookAt(kMinuteMs * 11 + SilentSessions::kPauseMs - 1), 5u);
  EXPECT_EQ(LookAt(kMinuteMs * 11 + SilentSessions::kPauseMs), 0u);
}

TEST_F(SilentSessionsTest, BeginsAnewWhenTheNextSessionHasLeft) {
  Fill(SilentSessions::kStretch + 1);
  LookAt(kMinuteMs * 11);
  sessions_.clear();
  Fill(3);
  EXPECT_EQ(LookAt(kMinuteMs * 11), 3u);
}

TEST(SilentSessionsOfAShardTest, AreCountedWhileTheirTokensDoNotCome) {
  World world;
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  const std::vector<float> values = {1, 2};
  const std::vector<int64_t> times = {0, 60'000'000'000};
  session::TokensView tokens;
  tokens.values = values;
  tokens.times_ns = times;
  world.shard().Tokens(peer, tokens);
  world.Settle();
  world.Advance(absl::Minutes(9));
  EXPECT_EQ(world.shard().counters().sessions_silent.value(), 0u);
  world.Advance(absl::Minutes(2));
  EXPECT_EQ(world.shard().counters().sessions_silent.value(), 1u);
  world.Send(peer, 0, 2, Values(2, 1));
  world.Advance(absl::Seconds(30));
  EXPECT_EQ(world.shard().counters().sessions_silent.value(), 0u);
}

}  // namespace
}  // namespace aaren::shard
