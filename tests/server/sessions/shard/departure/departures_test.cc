#include "server/sessions/shard/departure/departures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/sessions/session/refusal.h"
#include "tests/server/sessions/shard/world/bare_parts.h"

namespace aaren::shard {
namespace {

using ::testing::ElementsAre;
using Event = FakePeer::Event;

TEST(DeparturesTest, AFencedSessionIsToldAndItsTokensAreDropped) {
  BareParts parts;
  FakePeer peer;
  session::Session& session = parts.Attach(peer, 0, "a");
  parts.Send(session, 0, 3);
  parts.departures.Fence(session, 9);
  EXPECT_EQ(peer.Last().refusal.status.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(parts.core.counters.tokens_dropped.value(), 3u);
  EXPECT_EQ(session.list, session::Session::List::kResting);
  EXPECT_EQ(parts.handles.Of(peer).refused, 1u);
}

TEST(DeparturesTest, ATakenSessionThatIsClosingHasItsCloseRefused) {
  BareParts parts;
  FakePeer peer;
  session::Session& session = parts.Attach(peer, 0, "a");
  session.closing = true;
  parts.departures.Fence(session, 9);
  EXPECT_EQ(peer.Count(Event::kFailed, 0), 1u);
  EXPECT_EQ(parts.handles.Of(peer).handles.size(), 0u);
}

TEST(DeparturesTest, ADeletingCloseIsAnsweredAfterTheRegistrar) {
  BareParts parts;
  FakePeer peer;
  parts.departures.FinishClose(parts.Attach(peer, 0, "a"), /*delete_session=*/true);
  EXPECT_TRUE(peer.events.empty());
  ASSERT_EQ(parts.directory.deletes.size(), 1u);
  parts.directory.deletes.front().second({});
  parts.core.mailbox.Drain();
  EXPECT_EQ(peer.Last().kind, Event::kClosed);
  EXPECT_EQ(parts.handles.Of(peer).handles.size(), 0u);
}

TEST(DeparturesTest, ASessionOfAnotherServerEndsHere) {
  BareParts parts;
  FakePeer peer;
  parts.departures.LoseToWriter(parts.Attach(peer, 0, "a"), 9);
  EXPECT_EQ(parts.residents.Find("/a"), nullptr);
  EXPECT_THAT(parts.directory.released, ElementsAre("/a"));
  EXPECT_EQ(peer.Last().refusal.status.code(), absl::StatusCode::kAborted);
}

TEST(DeparturesTest, AnEvictedSessionLeavesOnceItRests) {
  BareParts parts;
  FakePeer peer;
  (void)parts.Attach(peer, 0, "a");
  bool gone = false;
  parts.departures.Evict(
      "/a", [&](const registrar::OwnerReply<std::monostate>& reply) { gone = !reply.outcome.refusal.has_value(); });
  EXPECT_FALSE(gone);
  parts.departures.EndEvictions();
  EXPECT_TRUE(gone);
  EXPECT_THAT(parts.directory.released, ElementsAre("/a"));
}

TEST(DeparturesTest, AnEvictedSessionThatIsNotSavedInTimeStays) {
  BareParts parts;
  FakePeer peer;
  parts.Attach(peer, 0, "a").point.seq = 3;
  bool refused = false;
  parts.departures.Evict(
      "/a", [&](const registrar::OwnerReply<std::monostate>& reply) { refused = reply.outcome.refusal.has_value(); });
  parts.clock.Advance(absl::Seconds(6));
  parts.departures.EndEvictions();
  EXPECT_TRUE(refused);
  EXPECT_NE(parts.residents.Find("/a"), nullptr);
}

}  // namespace
}  // namespace aaren::shard
