#include "server/sessions/shard/tiers/tiers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/sessions/session/refusal.h"
#include "tests/server/sessions/shard/world/bare_parts.h"

namespace aaren::shard {
namespace {

using ::testing::ElementsAre;
using Event = FakePeer::Event;

class TiersTest : public testing::Test {
 protected:
  // Allocates a row. The oldest session gives up a row.
  void TakeARow() { ASSERT_TRUE(parts_.tiers.Allocate({parts_.models->models().front(), 1}).ok()); }

  Demoted& DemotedSession() {
    session::Session& session = parts_.Attach(peer_, 0, "a");
    session.point.seq = session.durable_seq = 4;
    TakeARow();
    return *parts_.tiers.demoted().Find("/a");
  }

  void Send(Demoted& demoted) {
    const std::vector<float> values = Values(4, 2);
    parts_.tiers.Accept(demoted, BareParts::Item(values, 0, 4));
  }

  BareParts parts_{ShardOptions{.capacity_rows = 1}};
  FakePeer peer_;
};

TEST_F(TiersTest, AnAttachedSavedSessionGivesItsRowAndKeepsItsHandle) {
  (void)DemotedSession();
  EXPECT_EQ(parts_.residents.Find("/a"), nullptr);
  EXPECT_THAT(parts_.directory.released, ElementsAre("/a"));
  EXPECT_EQ(parts_.handles.Of(peer_).open_handles(), 1u);
}

TEST_F(TiersTest, ASessionWithUnsavedTokensKeepsItsRow) {
  session::Session& session = parts_.Attach(peer_, 0, "a");
  session.point.seq = 4;
  parts_.residents.OnStepped(session, parts_.core.now_ms());
  EXPECT_FALSE(parts_.tiers.Allocate({parts_.models->models().front(), 1}).ok());
}

TEST_F(TiersTest, TokensWaitForARowThatIsInUse) {
  Send(DemotedSession());
  EXPECT_TRUE(parts_.directory.promotes.empty());
  EXPECT_TRUE(parts_.tiers.promotions().any_waits());
  EXPECT_EQ(parts_.intake.deferred_tokens(), 2u);
}

class TwoRowsTest : public testing::Test {
 protected:
  // Tokens of a demoted session ask the registrar for a promotion; a row is free.
  void Promote() {
    session::Session& session = parts_.Attach(peer_, 0, "a");
    session.point.seq = session.durable_seq = 4;
    const session::Footprint footprint{parts_.models->models().front(), 1};
    rows_ = *parts_.tiers.Allocate(footprint);
    (void)parts_.tiers.Allocate(footprint);
    parts_.residents.slab().Free(*footprint.model, 1, std::move(rows_));
    const std::vector<float> values = Values(4, 2);
    parts_.tiers.Accept(*parts_.tiers.demoted().Find("/a"), BareParts::Item(values, 0, 4));
    ASSERT_EQ(parts_.directory.promotes.size(), 1u);
  }

  // The registrar's answer, without a refusal: the row of a session with the empty row.
  void Answer(const session::Refusal* refusal = nullptr, bool passing = false) {
    const registrar::PromoteCall& call = *parts_.directory.promotes.at(0);
    registrar::Promoted promoted;
    promoted.last_active = parts_.clock.Now();
    promoted.passing = passing;
    if (refusal != nullptr) promoted.refusal.emplace(*refusal);
    parts_.tiers.EndPromotion(call.ticket, call.key, std::move(promoted));
  }

  BareParts parts_{ShardOptions{.capacity_rows = 2}};
  FakePeer peer_;
  session::RowSet rows_;
};

TEST_F(TwoRowsTest, APromotedSessionGetsTheTokensThatWaited) {
  Promote();
  Answer();
  session::Session* session = parts_.residents.Find("/a");
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(session->point.seq, 4u);
  EXPECT_EQ(session->flow->tokens, 2u);
  EXPECT_EQ(parts_.tiers.demoted().size(), 0u);
}

TEST_F(TwoRowsTest, APromotionThatFailsEndsTheSessionByName) {
  Promote();
  const session::Refusal refusal = session::SessionNotFound("a");
  Answer(&refusal);
  EXPECT_EQ(peer_.Last().refusal.status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(parts_.core.counters.tokens_dropped.value(), 2u);
}

TEST_F(TwoRowsTest, AStoreThatIsAwayIsAskedAgainAfterAPause) {
  Promote();
  const session::Refusal refusal = session::ShuttingDown();
  Answer(&refusal, /*passing=*/true);
  EXPECT_TRUE(peer_.events.empty());
  parts_.tiers.Tick();
  EXPECT_EQ(parts_.directory.promotes.size(), 1u);
  parts_.clock.Advance(absl::Milliseconds(50));
  parts_.tiers.Tick();
  EXPECT_EQ(parts_.directory.promotes.size(), 2u);
}

TEST_F(TwoRowsTest, AnotherWriterEndsADemotedSession) {
  Promote();
  parts_.tiers.Lose("/a", 2, session::Fenced("a", 2));
  EXPECT_EQ(peer_.Last().refusal.status.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(parts_.tiers.demoted().size(), 0u);
}

}  // namespace
}  // namespace aaren::shard
