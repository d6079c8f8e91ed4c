#include "server/sessions/shard/residents/residents.h"

#include <gtest/gtest.h>

#include "tests/server/sessions/shard/world/bare_parts.h"

namespace aaren::shard {
namespace {

using List = session::Session::List;

TEST(ResidentsTest, AnAttachedSessionWithoutUnsavedTokensIsQuiet) {
  BareParts parts;
  FakePeer peer;
  EXPECT_EQ(parts.Attach(peer, 0, "a").list, List::kQuiet);
}

TEST(ResidentsTest, AfterAStepASessionIsUnsaved) {
  BareParts parts;
  FakePeer peer;
  session::Session& session = parts.Attach(peer, 0, "a");
  session.point.seq = 3;
  parts.residents.OnStepped(session, parts.core.now_ms());
  EXPECT_EQ(session.list, List::kUnsaved);
}

TEST(ResidentsTest, WithoutAStreamASavedSessionRests) {
  BareParts parts;
  FakePeer peer;
  session::Session& session = parts.Attach(peer, 0, "a");
  parts.residents.Detach(session);
  EXPECT_EQ(session.list, List::kResting);
  EXPECT_EQ(session.stream, nullptr);
}

TEST(ResidentsTest, ASessionThatTheRegistrarHoldsIsInNoList) {
  BareParts parts;
  session::Session& session = parts.Make("a");
  parts.residents.Hold(session);
  EXPECT_EQ(session.list, List::kNone);
  parts.residents.EndHold(session);
  EXPECT_EQ(session.list, List::kResting);
}

TEST(ResidentsTest, AStalledSessionIsDueAtOnce) {
  BareParts parts;
  FakePeer peer;
  session::Session& session = parts.Attach(peer, 0, "a");
  session.point.seq = 3;
  parts.residents.Stall(session);
  EXPECT_EQ(parts.residents.saver().TakeBatch(parts.core.now_ms())->size(), 1u);
  EXPECT_TRUE(session.stalled);
}

TEST(ResidentsTest, NewlyUntoldSessionsAreToldOfOnce) {
  BareParts parts;
  FakePeer peer;
  session::Session& session = parts.Attach(peer, 0, "a");
  session.durability = session::SessionDurability::kEveryToken;
  session.point.seq = 5;
  session.pending_seq = 3;
  parts.residents.OnSaveEnded(session);
  EXPECT_EQ(session.list, List::kUntold);
  EXPECT_TRUE(parts.residents.TakeNewUntold());
  EXPECT_FALSE(parts.residents.TakeNewUntold());
}

TEST(ResidentsTest, ARemovedSessionGivesItsRowBack) {
  BareParts parts;
  session::Session& session = parts.Make("a");
  EXPECT_EQ(parts.residents.rows().used_rows(), 1u);
  parts.residents.Remove(session);
  EXPECT_EQ(parts.residents.rows().used_rows(), 0u);
  EXPECT_EQ(parts.residents.Find("/a"), nullptr);
}

}  // namespace
}  // namespace aaren::shard
