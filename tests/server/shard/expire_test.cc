// Sessions that nobody uses any more, where a time to live is set.

#include <gtest/gtest.h>

#include "tests/server/shard/world.h"

namespace aaren {
namespace {

using Event = FakePeer::Event;

constexpr absl::Duration kTtl = absl::Minutes(10);
constexpr absl::Duration kInterval = absl::Milliseconds(500);

void Visit(World& world, const std::string& id) {
  FakePeer peer;
  world.Open(peer, 0, Named(id));
  world.Send(peer, 0, 0, Values(0, 5));
  world.shard().Disconnect(peer);
  world.Advance(kInterval);
}

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

}  // namespace
}  // namespace aaren
