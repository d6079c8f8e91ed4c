#include "server/sessions/shard/departure/expiry.h"

#include <gtest/gtest.h>

#include "server/sessions/session/refusal.h"
#include "tests/server/sessions/shard/world/bare_parts.h"

namespace aaren::shard {
namespace {

constexpr absl::Duration kHour = absl::Hours(1);

class ExpiryTest : public testing::Test {
 protected:
  BareParts parts_{ShardOptions{.session_ttl = kHour}};
  Expiry expiry_{parts_.core, parts_.residents, parts_.steps, parts_.departures, parts_.tiers};
};

TEST_F(ExpiryTest, TheRegistrarDeletesAnIdleSessionAfterTheTimeToLive) {
  parts_.residents.Rest(parts_.Make("a"));
  parts_.clock.Advance(kHour - absl::Seconds(1));
  expiry_.Tick();
  EXPECT_TRUE(parts_.directory.deletes.empty());
  parts_.clock.Advance(absl::Seconds(1));
  expiry_.Tick();
  EXPECT_EQ(parts_.directory.deletes.size(), 1u);
}

TEST_F(ExpiryTest, ASessionThatTheStoreKeepsRestsAgain) {
  session::Session& session = parts_.Make("a");
  parts_.residents.Rest(session);
  parts_.clock.Advance(kHour);
  expiry_.Tick();
  parts_.directory.deletes.at(0).second(session::Refused<std::monostate>(session::ShuttingDown()));
  parts_.core.mailbox.Drain();
  EXPECT_EQ(session.list, session::Session::List::kResting);
  EXPECT_EQ(parts_.core.counters.sessions_expired.value(), 0u);
}

TEST_F(ExpiryTest, TheFirstShardLooksAfterTheStoreOnceASecond) {
  expiry_.Tick();
  expiry_.Tick();
  EXPECT_EQ(parts_.directory.looks, 1u);
  parts_.clock.Advance(absl::Seconds(1));
  expiry_.Tick();
  EXPECT_EQ(parts_.directory.looks, 2u);
}

TEST_F(ExpiryTest, AClientThatTellsNothingForAMinuteLosesTheSession) {
  FakePeer peer;
  session::Session& session = parts_.Attach(peer, 0, "a");
  session.durability = session::SessionDurability::kEveryToken;
  session.point.seq = 5;
  session.pending_seq = 3;
  parts_.residents.OnSaveEnded(session);
  parts_.clock.Advance(absl::Seconds(59));
  expiry_.Tick();
  EXPECT_TRUE(peer.events.empty());
  parts_.clock.Advance(absl::Seconds(1));
  expiry_.Tick();
  EXPECT_EQ(peer.Last().refusal.status.code(), absl::StatusCode::kDeadlineExceeded);
}

}  // namespace
}  // namespace aaren::shard
