// Unused sessions expire where a time to live is set.

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/server/sessions/shard/world/world.h"

namespace aaren::shard {
namespace {

using Event = FakePeer::Event;

constexpr absl::Duration kTtl = absl::Minutes(10);

bool Exists(World& world, const std::string& id) { return !world.Get(id).refusal.has_value(); }

TEST(ExpireTest, ForgetsADetachedSessionAndItsSaves) {
  World world(ShardOptions{.save_interval = kInterval, .session_ttl = kTtl});
  Visit(world, "a");
  world.Advance(kTtl - absl::Seconds(1));
  EXPECT_TRUE(Exists(world, "a"));
  world.Advance(absl::Seconds(2));
  EXPECT_FALSE(Exists(world, "a"));
  EXPECT_FALSE(world.store().Load("/a").ok());
  EXPECT_EQ(world.shard().counters().sessions_expired.value(), 1);
  EXPECT_EQ(world.shard().counters().sessions_deleted.value(), 0);
  EXPECT_EQ(world.shard().counters().slots_used.value(), 0);
}

TEST(ExpireTest, SparesAnAttachedSession) {
  World world(ShardOptions{.save_interval = kInterval, .session_ttl = kTtl});
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  world.Advance(10 * kTtl);
  world.Send(peer, 0, 0, Values(0, 1));
  EXPECT_EQ(peer.Last().kind, Event::kForecasts);
}

// Each duplicate promotes the session, and no row stays: the session is demoted again at once.
TEST(ExpireTest, SparesOneWhoseClientOnlyRepeatsItselfThoughItsRowDoesNotStay) {
  World world(ShardOptions{.max_resident_bytes = 0, .save_interval = kInterval, .session_ttl = kTtl});
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  world.Send(peer, 0, 0, Values(0, 3));
  for (absl::Duration time; time < 3 * kTtl; time += kTtl / 20) {
    world.Advance(kTtl / 20);
    world.Send(peer, 0, 0, Values(0, 3));
  }
  EXPECT_GT(world.shard().counters().promotions.value(), 10);
  world.Send(peer, 0, 3, Values(3, 1));
  EXPECT_EQ(peer.Last().kind, Event::kForecasts);
}

TEST(ExpireTest, CountsFromTheLastUse) {
  World world(ShardOptions{.save_interval = kInterval, .session_ttl = kTtl});
  Visit(world, "a");
  world.Advance(kTtl - absl::Seconds(5));
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  world.shard().Disconnect(peer);
  world.Advance(kTtl - absl::Seconds(5));
  EXPECT_TRUE(Exists(world, "a"));
}

TEST(ExpireTest, ForgetsASessionThatIsOnlyInTheStore) {
  World world(ShardOptions{.capacity_rows = 1, .save_interval = kInterval, .session_ttl = kTtl});
  Visit(world, "a");
  Visit(world, "b");
  world.Advance(kTtl);
  world.Advance(absl::Minutes(1));
  EXPECT_FALSE(world.store().Load("/a").ok());
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  EXPECT_TRUE(peer.Last().opened.created);
}

TEST(ExpireTest, HappensWithoutSavingToo) {
  World world(ShardOptions{.save_interval = absl::ZeroDuration(), .session_ttl = kTtl});
  Visit(world, "a");
  world.Advance(kTtl);
  EXPECT_FALSE(Exists(world, "a"));
  EXPECT_EQ(world.shard().counters().slots_used.value(), 0);
}

TEST(ExpireTest, DoesNotHappenUnasked) {
  World world(ShardOptions{.save_interval = kInterval});
  Visit(world, "a");
  world.Advance(absl::Hours(24 * 365));
  EXPECT_TRUE(Exists(world, "a"));
}

// True if a server without the session still finds the session after `passed`.
bool ExistsAfter(World& world, absl::Duration passed) {
  World other(ShardOptions{.save_interval = kInterval, .session_ttl = kTtl}, 1, world.shared_store());
  other.Advance(passed);
  return Exists(other, "a");
}

TEST(ExpireTest, TheStoreKnowsOfASessionThatItIsInUse) {
  World world(ShardOptions{.save_interval = kInterval, .session_ttl = kTtl});
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  world.Send(peer, 0, 0, Values(0, 3));
  for (int i = 0; i < 40; ++i) world.Advance(kTtl / 10);
  EXPECT_TRUE(ExistsAfter(world, 4 * kTtl + kTtl / 2));
  EXPECT_FALSE(ExistsAfter(world, 5 * kTtl + kTtl / 2));
}

TEST(ExpireTest, TheStoreKnowsWhenASessionWasLeft) {
  World world(ShardOptions{.save_interval = kInterval, .session_ttl = kTtl});
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  world.Send(peer, 0, 0, Values(0, 3));
  world.Advance(kInterval);
  world.Advance(kTtl / 10);
  world.shard().Disconnect(peer);
  world.Advance(kInterval);
  EXPECT_EQ(world.store().Load("/a").value().last_active, world.clock().Now() - kInterval);
}

TEST(ExpireTest, SparesWhatAServerSavedThatBeganBeforeItsClockWasSetRight) {
  World behind(ShardOptions{.save_interval = kInterval, .session_ttl = kTtl});
  behind.clock().StepWall(absl::Hours(2));
  Visit(behind, "a");
  EXPECT_TRUE(ExistsAfter(behind, absl::Hours(2)));
  EXPECT_FALSE(ExistsAfter(behind, absl::Hours(2) + 2 * kTtl));
}

TEST(ExpireTest, AServerThatBeganBeforeItsClockWasSetRightSparesWhatOthersSaved) {
  World world(ShardOptions{.save_interval = kInterval});
  Visit(world, "a");
  World ahead(ShardOptions{.save_interval = kInterval, .session_ttl = kTtl}, 1, world.shared_store());
  ahead.clock().StepWall(-absl::Hours(2));
  ahead.Advance(absl::Hours(2));
  EXPECT_TRUE(Exists(ahead, "a"));
}

TEST(ExpireTest, QuietSessionsAreNotSavedAgainWhereNoneExpire) {
  World world(ShardOptions{.save_interval = kInterval});
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  world.Send(peer, 0, 0, Values(0, 3));
  world.Advance(kInterval);
  const uint64_t saves = world.shard().counters().saves.value();
  for (int i = 0; i < 40; ++i) world.Advance(kTtl);
  world.shard().Disconnect(peer);
  world.Advance(kInterval);
  EXPECT_EQ(world.shard().counters().saves.value(), saves);
}

TEST(ExpireTest, AListLeavesOutWhatHasExpiredAndGoesOn) {
  World world(ShardOptions{.capacity_rows = 1, .save_interval = kInterval});
  Visit(world, "a");
  world.Advance(2 * kTtl);
  Visit(world, "b");
  World other(ShardOptions{.save_interval = kInterval, .session_ttl = kTtl}, 1, world.shared_store());
  other.Settle();  // the first sweep
  store::SessionRecord record = world.store().Load("/a").value();
  record.last_active = other.clock().Now() - 2 * kTtl;
  ASSERT_TRUE(world.store().Put(record).ok());
  const registrar::SessionPage first = other.List("", "", 1).value;
  EXPECT_TRUE(first.sessions.empty());
  const registrar::SessionPage second = other.List("", first.next_page_token, 1).value;
  ASSERT_EQ(second.sessions.size(), 1u);
  EXPECT_EQ(second.sessions[0].session_id, "b");
}

TEST(ExpireTest, ASweepGoesThroughAllPages) {
  World world(ShardOptions{.save_interval = kInterval, .session_ttl = kTtl});
  Visit(world, "a");
  store::SessionRecord record = world.store().Load("/a").value();
  for (int i = 0; i < 2500; ++i) {
    record.key = absl::StrCat("/old", i);
    ASSERT_TRUE(world.store().Put(record).ok());
  }
  world.Advance(kTtl);
  world.Advance(absl::Minutes(1));
  EXPECT_TRUE(absl::IsNotFound(world.store().Load("/old2499").status()));
  EXPECT_TRUE(absl::IsNotFound(world.store().Load("/old0").status()));
  EXPECT_EQ(world.shard().counters().sessions_expired.value(), 2501);
}

}  // namespace
}  // namespace aaren::shard
