#include "server/sessions/shard/step/steps.h"

#include <gtest/gtest.h>

#include "tests/server/sessions/shard/world/bare_parts.h"

namespace aaren::shard {
namespace {

using Event = FakePeer::Event;

TEST(StepsTest, ASliceAnswersWhatWaits) {
  BareParts parts;
  FakePeer peer;
  parts.Send(parts.Attach(peer, 0, "a"), 0, 3);
  EXPECT_EQ(parts.steps.Run(), 3u);
  EXPECT_EQ(peer.Forecasts(0), parts.engine().Forecasts(Values(0, 3)));
  EXPECT_EQ(parts.steps.Run(), 0u);
}

TEST(StepsTest, ACloseComesAfterTheTokensBeforeIt) {
  BareParts parts;
  FakePeer peer;
  session::Session& session = parts.Attach(peer, 0, "a");
  parts.Send(session, 0, 2);
  parts.steps.queue().PushClose(session, /*delete_session=*/true);
  (void)parts.steps.Run();
  EXPECT_EQ(peer.Last().kind, Event::kForecasts);
  ASSERT_EQ(parts.events.closed.size(), 1u);
  EXPECT_TRUE(parts.events.closed.front().second);
}

TEST(StepsTest, AFailedBatchIsToldAndItsTokensAreRefused) {
  BareParts parts;
  FakePeer peer;
  parts.Send(parts.Attach(peer, 0, "a"), 0, 2);
  parts.engine().FailNextStep();
  (void)parts.steps.Run();
  EXPECT_EQ(parts.events.failed, std::vector<std::string>{"/a"});
  EXPECT_EQ(parts.core.counters.tokens_refused.value(), 2u);
}

TEST(StepsTest, AStallIsNoticedWhereNoFlowGotATurn) {
  BareParts parts({.max_queued_bytes = 400});
  FakePeer peer;
  session::Session& held = parts.Attach(peer, 0, "a");
  session::Session& waiting = parts.Attach(peer, 1, "b");
  held.durability = waiting.durability = session::SessionDurability::kEveryToken;
  parts.Send(held, 0, 1);
  (void)parts.steps.queue().replies().Hold(held);
  parts.Send(waiting, 0, 1);
  EXPECT_EQ(parts.steps.Run(), 0u);
  EXPECT_TRUE(parts.steps.TakeNewStalls());
  EXPECT_EQ(parts.steps.Run(), 0u);
  EXPECT_FALSE(parts.steps.TakeNewStalls()) << "nothing is new";
}

TEST(StepsTest, TokensOfOneRoundHaveOneArrival) {
  BareParts parts;
  const int64_t first = parts.steps.ArrivalNanos();
  parts.clock.Advance(absl::Seconds(1));
  EXPECT_EQ(parts.steps.ArrivalNanos(), first);
  (void)parts.steps.Run();
  EXPECT_GT(parts.steps.ArrivalNanos(), first);
}

TEST(StepsTest, ASessionThatIsNeededIsWaitedFor) {
  BareParts parts({}, LateModels());
  FakePeer peer;
  session::Session& session = parts.Attach(peer, 0, "a");
  parts.Send(session, 0, 2);
  EXPECT_EQ(parts.steps.Run(), 0u);
  EXPECT_TRUE(parts.steps.under_way());
  EXPECT_EQ(parts.steps.FindSettled("/a"), &session);
  EXPECT_FALSE(parts.steps.under_way());
  EXPECT_EQ(session.point.seq, 2u);
}

TEST(StepsTest, AForgottenSessionUnderWayHasFoldedItsTokens) {
  BareParts parts({}, LateModels());
  FakePeer peer;
  session::Session& session = parts.Attach(peer, 0, "a");
  parts.Send(session, 0, 2);
  (void)parts.steps.Run();
  parts.Send(session, 2, 4);
  parts.departures.Detach(session);
  EXPECT_EQ(session.point.seq, 2u);
  EXPECT_EQ(parts.core.counters.tokens_dropped.value(), 4u);
  (void)parts.steps.FindSettled("/a");
  EXPECT_TRUE(peer.events.empty());
}

}  // namespace
}  // namespace aaren::shard
