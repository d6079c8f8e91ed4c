// Turns and room, decided from numbers: no shard, no engine, no clock.

#include "server/sessions/queue/token_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/sessions/session/refusal.h"
#include "server/sessions/session/session_state.h"
#include "tests/server/sessions/shard/world/bare_stream.h"
#include "tests/server/sessions/shard/world/fake_engine.h"

namespace aaren::queue {
namespace {

using shard::BareStream;

constexpr int64_t kToken = Turns::kForecastUnits;
constexpr int64_t kTurn = 64 * kToken;

class TokenQueueTest : public testing::Test {
 protected:
  explicit TokenQueueTest(size_t max_bytes = 1 << 20) : queue_(max_bytes) {}

  // Grants `units` of work. Returns the tokens granted to each session of the step: "s0:64 s1:64".
  std::string Grant(int64_t units) {
    StepRoom room{.units = units, .values = 4096, .forecasts = 1024};
    std::string granted;
    for (const Flow* flow : queue_.turns().Grant(room)) {
      absl::StrAppend(&granted, granted.empty() ? "" : " ", session::SessionId(flow->session->key.view()), ":",
                      flow->grant.tokens);
    }
    return granted;
  }

  // Takes everything granted, as a stepper does, and ends the step.
  void Finish(std::vector<session::Session*> sessions) {
    for (session::Session* session : sessions) {
      while (session->flow != nullptr && session->flow->grant.tokens > 0) {
        Flow& flow = *session->flow;
        const uint32_t tokens = std::min(flow.grant.tokens, flow.items.front().tokens - flow.taken);
        flow.grant.tokens -= tokens;
        session->point.seq += tokens;
        queue_.TakeTokens(flow, tokens);
      }
    }
    queue_.EndStep();
  }

  session::Session& Open(BareStream& stream) { return stream.Open(*models_->models().front()); }

  session::Session& OpenEveryToken(BareStream& stream) {
    session::Session& session = Open(stream);
    session.durability = session::SessionDurability::kEveryToken;
    return session;
  }

  std::unique_ptr<models::ModelTable> models_ = shard::FakeModels();
  TokenQueue queue_;
};

TEST_F(TokenQueueTest, SessionsOfAStreamTakeTurnsOf64Tokens) {
  BareStream stream(queue_);
  session::Session &a = Open(stream), &b = Open(stream);
  stream.Push(a, 200);
  stream.Push(b, 200);
  EXPECT_EQ(Grant(2 * kTurn), "s0:64 s1:64");
}

TEST_F(TokenQueueTest, ALongItemGoesOnWhereTheLastStepEnded) {
  BareStream stream(queue_);
  session::Session& a = Open(stream);
  stream.Push(a, 100);
  EXPECT_EQ(Grant(kTurn), "s0:64");
  Finish({&a});
  EXPECT_EQ(a.flow->taken, 64u);
  EXPECT_EQ(Grant(kTurn), "s0:36");
  Finish({&a});
  EXPECT_EQ(a.flow, nullptr);
}

TEST_F(TokenQueueTest, TheFirstSessionGetsATokenHoweverSmallTheStep) {
  BareStream stream(queue_);
  stream.Push(Open(stream), 5);
  EXPECT_EQ(Grant(1), "s0:1");
}

TEST_F(TokenQueueTest, ASilentTokenCostsAnEighth) {
  BareStream stream(queue_);
  stream.Push(Open(stream), 600, /*silent=*/true);
  EXPECT_EQ(Grant(kTurn), "s0:512");
}

TEST_F(TokenQueueTest, AStreamThatWasIdleComesBeforeOnesThatAlwaysHaveTokens) {
  BareStream hot(queue_), idle(queue_);
  session::Session &a = Open(hot), &b = Open(idle);
  (void)Open(idle);
  hot.Push(a, 1000);
  EXPECT_EQ(Grant(kTurn), "s0:64");
  Finish({&a});
  idle.Push(b, 1);
  StepRoom room{.units = kToken, .values = 4096, .forecasts = 1024};
  EXPECT_EQ(queue_.turns().Grant(room).front()->session, &b);
}

TEST_F(TokenQueueTest, TenantsShareByWeight) {
  identity::Account heavy("heavy"), light("light");
  heavy.SetLimits({.weight = 3});
  BareStream of_heavy(queue_, &heavy), of_light(queue_, &light);
  session::Session &a = Open(of_heavy), &b = Open(of_light);
  of_heavy.Push(a, 2000);
  of_light.Push(b, 2000);
  for (int i = 0; i < 8; ++i) {
    (void)Grant(kTurn);
    Finish({&a, &b});
  }
  EXPECT_NEAR(static_cast<double>(a.point.seq), 6 * 64, 64);
  EXPECT_NEAR(static_cast<double>(b.point.seq), 2 * 64, 64);
}

TEST_F(TokenQueueTest, AStreamWhoseClientDoesNotReadHasNoTurnUntilItDoes) {
  BareStream stream(queue_);
  stream.Push(Open(stream), 5);
  stream.peer.has_room = false;
  EXPECT_EQ(Grant(kTurn), "");
  stream.peer.has_room = true;
  EXPECT_EQ(Grant(kTurn), "");
  queue_.turns().Resume(stream.notes);
  EXPECT_EQ(Grant(kTurn), "s0:5");
}

TEST_F(TokenQueueTest, TokensOfAForgottenSessionLeaveTheStepAndTheCount) {
  BareStream stream(queue_);
  session::Session& a = Open(stream);
  stream.Push(a, 5);
  EXPECT_EQ(Grant(kTurn), "s0:5");
  EXPECT_EQ(queue_.Forget(a), 5u);
  queue_.EndStep();
  EXPECT_EQ(queue_.tokens(), 0u);
  EXPECT_EQ(queue_.room().bytes(), 0u);
  EXPECT_FALSE(queue_.turns().any() && Grant(kTurn) != "");
}

TEST_F(TokenQueueTest, ASecondDuplicateBehindTheFirstIsNotAcknowledgedAgain) {
  BareStream stream(queue_);
  session::Session& a = Open(stream);
  stream.Push(a, 1);
  queue_.PushAck(a);
  queue_.PushAck(a);
  EXPECT_EQ(a.flow->items.size(), 2u);
}

class SmallQueueTest : public TokenQueueTest {
 protected:
  SmallQueueTest() : TokenQueueTest(4000) {}
};

TEST_F(SmallQueueTest, AStreamMayFillHalfOfTheRemainingRoom) {
  BareStream stream(queue_), other(queue_);
  queue_.room().Defer(stream.notes, 1000);
  EXPECT_TRUE(queue_.room().Admits(stream.notes, 500));
  EXPECT_FALSE(queue_.room().Admits(stream.notes, 501));
  EXPECT_TRUE(queue_.room().Admits(other.notes, 5000)) << "a stream without tokens may always have an item";
  queue_.room().Undefer(stream.notes, 1000);
}

TEST_F(SmallQueueTest, ATenantMayFillHalfOfTheRoomThatOthersLeave) {
  identity::Account greedy("greedy"), other("other");
  BareStream of_greedy(queue_, &greedy), of_other(queue_, &other);
  queue_.room().Defer(of_greedy.notes, 2000);
  EXPECT_TRUE(queue_.room().IsFull(of_greedy.notes));
  EXPECT_FALSE(queue_.room().IsFull(of_other.notes));
  queue_.room().Undefer(of_greedy.notes, 2000);
}

// Steps the session's tokens and holds the reply back.
void StepAndHold(TokenQueue& queue, session::Session& session) {
  queue.replies().Hold(session).next_seq = session.point.seq;
  queue.EndStep();
}

TEST_F(SmallQueueTest, ASessionWhoseReplyIsHeldHasNoTurn) {
  BareStream stream(queue_);
  session::Session& a = OpenEveryToken(stream);
  stream.Push(a, 2);
  EXPECT_EQ(Grant(kTurn), "s0:2");
  stream.Push(a, 3);
  a.point.seq += 2;
  queue_.TakeTokens(*a.flow, 2);
  StepAndHold(queue_, a);
  EXPECT_EQ(Grant(kTurn), "");
  a.durable_seq = a.point.seq;
  EXPECT_NE(queue_.replies().Take(a), nullptr);
  queue_.Unhold(a);
  EXPECT_EQ(Grant(kTurn), "s0:3");
}

TEST_F(SmallQueueTest, AStreamAtItsBoundOfHeldRepliesKeepsOnlyItsOwnWaiting) {
  BareStream stream(queue_), other(queue_);
  session::Session &first = OpenEveryToken(stream), &second = OpenEveryToken(stream);
  stream.Push(first, 1);
  EXPECT_EQ(Grant(kTurn), "s0:1");
  first.point.seq += 1;
  queue_.TakeTokens(*first.flow, 1);
  HeldReply& reply = queue_.replies().Hold(first);
  reply.next_seq = first.point.seq;
  reply.forecasts.resize(500);
  queue_.replies().Grown(first, 500 * sizeof(float));
  queue_.EndStep();
  stream.Push(second, 1);
  EXPECT_EQ(Grant(kTurn), "");
  EXPECT_TRUE(queue_.replies().any_stalled());
  session::Session& third = OpenEveryToken(other);
  other.Push(third, 1);
  EXPECT_EQ(Grant(kTurn), "s0:1");
  queue_.EndStep();
  (void)queue_.replies().Take(first);
  queue_.Unstall();
  EXPECT_FALSE(queue_.replies().any_stalled());
}

TEST_F(SmallQueueTest, TokensSetAsideBecomeOneRefusalThatDoesNotCount) {
  BareStream stream(queue_);
  session::Session& a = OpenEveryToken(stream);
  stream.Push(a, 2);
  EXPECT_EQ(Grant(kTurn), "s0:2");
  a.point.seq += 2;
  queue_.TakeTokens(*a.flow, 2);
  StepAndHold(queue_, a);
  stream.Push(a, 3);
  stream.Push(a, 3);
  EXPECT_EQ(queue_.SetAside(a, session::SetAside(8, 2)), 6u);
  EXPECT_EQ(a.flow->items.size(), 1u);
  EXPECT_TRUE(a.refusing);
  EXPECT_EQ(queue_.room().bytes(), 0u);
}

}  // namespace
}  // namespace aaren::queue
