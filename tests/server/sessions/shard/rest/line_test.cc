// The line of sessions waiting for a row: some sessions keep their tokens, some give way.

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/server/sessions/shard/world/tiers.h"

namespace aaren::shard {
namespace {

using Event = FakePeer::Event;

// A single row and six resting sessions. The queue has room for four waiting tokens.
class LineTest : public testing::Test {
 protected:
  static constexpr session::Handle kSessions = 6;

  void SetUp() override {
    for (session::Handle handle = 0; handle < kSessions; ++handle)
      OpenAndRest(world_, peer_, handle, absl::StrCat("s", handle));
  }

  // Reads a token of the session from the stream. False if the shard does not admit the token.
  bool Read(session::Handle handle, uint64_t first_seq) {
    if (!world_.shard().AdmitsTokens(peer_, 0)) return false;
    Push(world_, peer_, handle, first_seq, Values(first_seq, 1));
    return true;
  }

  World world_{{.capacity_rows = 1, .max_resident_bytes = 0, .max_queued_bytes = 1500, .save_interval = kInterval}};
  FakePeer peer_;
};

TEST_F(LineTest, WhileNobodyWaitsForAWordSessionsThatComeBackKeepTheirTokens) {
  session::Handle read = 0;
  while (read < kSessions && Read(read, 5)) ++read;
  ASSERT_LT(read, kSessions);  // the queue is full
  for (int i = 0; i < 40; ++i) world_.Advance(kInterval);
  for (session::Handle handle = 0; handle < read; ++handle) {
    EXPECT_EQ(peer_.Count(Event::kFailed, handle), 0) << handle;
    EXPECT_EQ(peer_.Forecasts(handle), world_.engine().Forecasts(Values(0, 6))) << handle;
  }
}

// Opens a session. The reply waits for a save, and the save waits for delivered_seq, never sent by the client.
void OpenAndNeverTell(World& world, FakePeer& peer, session::Handle handle, const std::string& id) {
  session::OpenRequest request = Named(id, 0);
  request.durability = session::SessionDurability::kEveryToken;
  world.Open(peer, handle, request);
  world.Send(peer, handle, 0, Values(0, 2), 0);
  world.Send(peer, handle, 2, Values(2, 2), 0);
  world.Settle();
}

TEST_F(LineTest, WhoNeverTellsGivesWayWithinSecondsToThoseWhoWaitForItsRow) {
  OpenAndNeverTell(world_, peer_, kSessions, "untold");
  Push(world_, peer_, 0, 5, Values(5, 1));
  for (int i = 0; i < 8; ++i) world_.Advance(kInterval);
  EXPECT_EQ(peer_.Forecasts(0), world_.engine().Forecasts(Values(0, 6)));
  ASSERT_EQ(peer_.Count(Event::kFailed, kSessions), 1);
  EXPECT_EQ(peer_.Last(Event::kFailed, kSessions).refusal.status.code(), absl::StatusCode::kUnavailable);
}

TEST_F(LineTest, WhoNeverTellsGivesWayToAnOpenThatFoundNoRow) {
  OpenAndNeverTell(world_, peer_, kSessions, "untold");
  world_.Advance(2 * kInterval);
  world_.Open(peer_, kSessions + 1, Named("new"));
  EXPECT_EQ(peer_.Last().refusal.status.code(), absl::StatusCode::kResourceExhausted);
  for (int i = 0; i < 4; ++i) world_.Advance(kInterval / 4);
  world_.Open(peer_, kSessions + 1, Named("new"));
  EXPECT_EQ(peer_.Last().kind, Event::kOpened);
}

TEST_F(LineTest, WhoNeverTellsStaysForAMinuteWhileNobodyNeedsItsRow) {
  OpenAndNeverTell(world_, peer_, kSessions, "untold");
  for (int i = 0; i < 40; ++i) world_.Advance(kInterval);
  EXPECT_EQ(peer_.Count(Event::kFailed, kSessions), 0);
}

TEST_F(LineTest, AGreedyStreamsTokensAreSetAsideBeforeThoseOfASmallerOne) {
  FakePeer other;
  OpenAndRest(world_, other, 0, "other");
  OpenAndNeverTell(world_, peer_, kSessions, "untold");
  for (session::Handle handle = 0; handle + 1 < kSessions && Read(handle, 5); ++handle) {
  }
  Push(world_, other, 0, 5, Values(5, 1));  // the newest token of all
  for (session::Handle handle = 0; handle < kSessions; ++handle) Read(handle, 6);
  EXPECT_EQ(other.Count(Event::kFailed, 0), 0);
}

TEST_F(LineTest, WhoHasWaitedLongestKeepsItsTokensWhereAWordIsWaitedFor) {
  OpenAndNeverTell(world_, peer_, kSessions, "untold");
  for (session::Handle handle = 0; handle < kSessions; ++handle) EXPECT_TRUE(Read(handle, 5)) << handle;
  EXPECT_EQ(peer_.Count(Event::kFailed, 0), 0);
  const session::Handle refused = kSessions - 2;  // the newest in line before the last token came
  ASSERT_EQ(peer_.Count(Event::kFailed, refused), 1);
  EXPECT_EQ(peer_.Last(Event::kFailed, refused).expected_seq, 5u);
  EXPECT_EQ(world_.shard().counters().promotions.value(), 0u);  // the refusal took no row
}

}  // namespace
}  // namespace aaren::shard
