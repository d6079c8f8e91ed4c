// A step from granted tokens to answers: no shard, no registrar.

#include "server/sessions/shard/step/stepper.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/server/sessions/shard/world/bare_stream.h"
#include "tests/server/sessions/shard/world/fake_engine.h"
#include "tests/server/sessions/shard/world/test_clock.h"

namespace aaren::shard {
namespace {

using Event = FakePeer::Event;

class StepperTest : public testing::Test {
 protected:
  explicit StepperTest(std::unique_ptr<models::ModelTable> models = FakeModels()) : models_(std::move(models)) {}

  session::Session& Open(BareStream& stream, int model = 0, uint32_t channels = 1) {
    const models::LoadedModel& loaded = *models_->models()[static_cast<size_t>(model)];
    session::Session& session = stream.Open(loaded, channels);
    session.rows = *rows_.Allocate(loaded, channels);
    EXPECT_TRUE(rows_.Reset(loaded, channels, session.rows).ok());
    return session;
  }

  void Begin() {
    queue::StepRoom room = stepper_.room();
    stepper_.Begin(queue_.turns().Grant(room));
  }

  size_t Finish() {
    stepper_.Wait();
    const size_t tokens = stepper_.Finish([this](session::Session& session) {
      queue_.PopFront(*session.flow);
      --session.flow->grant.items;
    });
    queue_.EndStep();
    return tokens;
  }

  std::unique_ptr<models::ModelTable> models_;
  TestClock clock_;
  session::RowPool rows_{16};
  queue::TokenQueue queue_{1 << 20};
  ShardCounters counters_;
  Stepper stepper_{{rows_, queue_, counters_, clock_, /*watched=*/nullptr}, {.max_channels = 64, .saving = true}};
};

TEST_F(StepperTest, AnswersEachItemWithItsForecasts) {
  BareStream stream(queue_);
  session::Session& session = Open(stream);
  stream.Push(session, 2);
  stream.Push(session, 3);
  Begin();
  EXPECT_EQ(Finish(), 5u);
  EXPECT_EQ(stream.peer.Count(Event::kForecasts, 0), 2u);
  EXPECT_EQ(stream.peer.Forecasts(0), FakeEngineOf(*models_, models_->models().front()->id).Forecasts(Values(0, 5)));
  EXPECT_EQ(session.point.seq, 5u);
}

TEST_F(StepperTest, AcknowledgesSilentTokens) {
  BareStream stream(queue_);
  stream.Push(Open(stream), 4, /*silent=*/true);
  Begin();
  (void)Finish();
  EXPECT_EQ(stream.peer.Last().kind, Event::kAcked);
  EXPECT_EQ(stream.peer.Last().next_seq, 4u);
  EXPECT_EQ(counters_.tokens_silent.value(), 4u);
}

TEST_F(StepperTest, SendsEveryKthForecast) {
  BareStream stream(queue_);
  stream.plan.every = 3;
  stream.Push(Open(stream), 7);
  Begin();
  (void)Finish();
  EXPECT_EQ(stream.peer.Last().results, 3u);  // for the tokens 0, 3 and 6
  EXPECT_EQ(counters_.tokens_folded.value(), 4u);
}

TEST_F(StepperTest, SessionsOfTwoModelsMakeTwoBatches) {
  BareStream stream(queue_);
  stream.Push(Open(stream, 0), 1);
  stream.Push(Open(stream, 1), 1);
  stream.Push(Open(stream, 0), 1);
  Begin();
  EXPECT_EQ(Finish(), 3u);
  EXPECT_EQ(counters_.batch_tokens.count(0), 1u);  // the first batch has 1 token
  EXPECT_EQ(counters_.batch_tokens.count(1), 1u);
  EXPECT_EQ(stepper_.finished().size(), 3u);
}

TEST_F(StepperTest, AFailedBatchNamesItsSessionsAndAnswersNothing) {
  BareStream stream(queue_);
  session::Session& session = Open(stream);
  stream.Push(session, 2);
  FakeEngineOf(*models_, models_->models().front()->id).FailNextStep();
  Begin();
  (void)Finish();
  ASSERT_EQ(stepper_.failed().size(), 1u);
  EXPECT_EQ(stepper_.failed().front().first, &session);
  EXPECT_TRUE(stream.peer.events.empty());
  EXPECT_EQ(session.point.seq, 0u);
}

TEST_F(StepperTest, TheReplyOfASessionWithEveryTokenIsHeld) {
  BareStream stream(queue_);
  session::Session& session = Open(stream);
  session.durability = session::SessionDurability::kEveryToken;
  stream.Push(session, 2);
  Begin();
  (void)Finish();
  EXPECT_TRUE(stream.peer.events.empty());
  ASSERT_NE(session.flow, nullptr);
  ASSERT_NE(session.flow->reply, nullptr);
  EXPECT_EQ(session.flow->reply->results, 2u);
}

class LateStepperTest : public StepperTest {
 protected:
  LateStepperTest() : StepperTest(LateModels()) {}
};

TEST_F(LateStepperTest, IsUnderWayUntilItsBatchIsDone) {
  BareStream stream(queue_);
  session::Session& session = Open(stream);
  stream.Push(session, 2);
  Begin();
  EXPECT_TRUE(session.under_way);
  EXPECT_FALSE(stepper_.Poll());
  for (LateEngine* engine : LateEnginesOf(*models_)) engine->FinishOne();
  EXPECT_TRUE(stepper_.Poll());
  EXPECT_EQ(Finish(), 2u);
  EXPECT_FALSE(session.under_way);
}

TEST_F(LateStepperTest, GrantedTokensOfAnAbandonedSessionCountAsFolded) {
  BareStream stream(queue_);
  session::Session& session = Open(stream);
  stream.Push(session, 3);
  Begin();
  stepper_.Abandon(session);
  EXPECT_EQ(session.point.seq, 3u);
  EXPECT_EQ(counters_.tokens_folded.value(), 3u);
  queue_.Forget(session);
  session.stream = nullptr;
  (void)Finish();
  EXPECT_TRUE(stream.peer.events.empty());
}

}  // namespace
}  // namespace aaren::shard
