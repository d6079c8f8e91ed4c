// Only sessions with ids drawn by a client end after some silence.

#include "server/sessions/registrar/unnamed_sessions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/server/sessions/shard/world/world.h"

namespace aaren::registrar {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr absl::Duration kHour = absl::Hours(1);
constexpr char kDrawnId[] = "stream-0123456789abcdef";

TEST(IsUnnamedTest, KnowsWhatClientsDraw) {
  for (const char* id :
       {kDrawnId, "evaluate-0123456789abcdef", "evaluate-ffffffffffffffff-0", "stream-0000000000000000-x"}) {
    EXPECT_TRUE(IsUnnamed(id)) << id;
  }
  for (const char* id :
       {"", "stream-", "stream-1", "stream-0123456789abcde", "stream-0123456789abcdeg", "stream-0123456789ABCDEF",
        "stream-0123456789abcdef0", "output-0123456789abcdef", "my-stream-0123456789abcdef", "pump-7"}) {
    EXPECT_FALSE(IsUnnamed(id)) << id;
  }
}

class UnnamedSessionsTest : public ::testing::Test {
 protected:
  // Opens session `id`, sends tokens, saves, and disconnects the stream.
  void Leave(const std::string& id) { Leave("", id); }
  void Leave(const std::string& tenant, const std::string& id) {
    shard::FakePeer peer;
    Begin(peer, id, tenant);
    world_.shard().Disconnect(peer);
    world_.Advance(shard::kInterval);
  }
  void Begin(shard::FakePeer& peer, const std::string& id, const std::string& tenant = "") {
    session::OpenRequest request = shard::Named(id);
    request.tenant = tenant;
    world_.Open(peer, 0, request);
    world_.Send(peer, 0, 0, shard::Values(0, 5));
    world_.Advance(shard::kInterval);
  }
  void Look() { LookAt(world_, sessions_); }
  static void LookAt(shard::World& world, UnnamedSessions& sessions) {
    sessions.Look();
    ASSERT_TRUE(world.RunUntil([&sessions] { return !sessions.looking(); }));
    world.Settle();
  }
  std::vector<std::string> Ids() {
    std::vector<std::string> ids;
    for (const session::SessionInfo& session : world_.List("", "", 1000).value.sessions)
      ids.push_back(session.session_id);
    return ids;
  }

  shard::World world_{shard::ShardOptions{.capacity_rows = 512, .save_interval = shard::kInterval}};
  UnnamedSessions sessions_{world_.registrar(), kHour, world_.clock()};
};

// Another server of the store has a quiet stream with an unnamed session, and its lease has run out.
class UnnamedSessionsOfTwoServersTest : public ::testing::Test {
 protected:
  UnnamedSessionsOfTwoServersTest() {
    store_->Share();
    other_->Open(peer_, 0, shard::Named(kDrawnId));
    other_->Send(peer_, 0, 0, shard::Values(0, 5));
    other_->Advance(shard::kInterval);
  }
  // Looks every hour, for so many hours.
  void LookFor(int hours) {
    for (int i = 0; i < hours; ++i) {
      world_.Advance(kHour);
      if (other_ != nullptr) other_->Advance(kHour);
      sessions_.Look();
      ASSERT_TRUE(world_.RunUntil([&] { return !sessions_.looking(); }));
      world_.Settle();
    }
  }
  bool IsThere() { return store_->Load(absl::StrCat("/", kDrawnId)).ok(); }

  const std::shared_ptr<shard::ProbedStore> store_ = std::make_shared<shard::ProbedStore>();
  const shard::ShardOptions options_{.save_interval = shard::kInterval};
  shard::World world_{options_, 1, store_};
  std::unique_ptr<shard::World> other_ = std::make_unique<shard::World>(options_, 1, store_);
  shard::FakePeer peer_;
  UnnamedSessions sessions_{world_.registrar(), kHour, world_.clock()};
};

TEST_F(UnnamedSessionsOfTwoServersTest, AQuietStreamOfTheOtherKeepsItsSession) {
  LookFor(20);
  ASSERT_TRUE(IsThere());
  other_->Send(peer_, 0, 5, shard::Values(5, 1));
  other_->Advance(shard::kInterval);
  EXPECT_EQ(peer_.Last().durable_seq, 6u);
}

TEST_F(UnnamedSessionsOfTwoServersTest, ASessionOfAServerThatEndedEndsADayLater) {
  other_.reset();
  LookFor(24);
  EXPECT_TRUE(IsThere());
  LookFor(4);
  EXPECT_FALSE(IsThere());
}

TEST_F(UnnamedSessionsTest, EndAfterTheirSilence) {
  Leave(kDrawnId);
  Leave("pump-7");
  world_.Advance(kHour - absl::Minutes(1));
  Look();
  EXPECT_THAT(Ids(), ElementsAre("pump-7", kDrawnId));
  world_.Advance(absl::Minutes(2));
  Look();
  EXPECT_THAT(Ids(), ElementsAre("pump-7"));
}

TEST_F(UnnamedSessionsTest, OneThatAStreamHasOpenStays) {
  shard::FakePeer peer;
  Begin(peer, kDrawnId);
  world_.Advance(3 * kHour);
  Look();
  EXPECT_THAT(Ids(), ElementsAre(kDrawnId));
  world_.Send(peer, 0, 5, shard::Values(5, 1));
  EXPECT_EQ(peer.Last().next_seq, 6);
  world_.shard().Disconnect(peer);
}

TEST_F(UnnamedSessionsTest, OneThatCameBackStays) {
  Leave(kDrawnId);
  world_.Advance(kHour);
  shard::FakePeer peer;
  world_.Open(peer, 0, shard::Named(kDrawnId));
  world_.Send(peer, 0, 5, shard::Values(5, 1));
  world_.shard().Disconnect(peer);
  world_.Advance(absl::Minutes(30));
  Look();
  EXPECT_THAT(Ids(), ElementsAre(kDrawnId));
}

TEST_F(UnnamedSessionsTest, ThoseOfAServerThatWasKilledEndAtTheNextOne) {
  Leave(kDrawnId);
  shard::World restarted(shard::ShardOptions{.save_interval = shard::kInterval}, 1, world_.shared_store());
  restarted.Advance(2 * kHour);
  UnnamedSessions sessions(restarted.registrar(), kHour, restarted.clock());
  LookAt(restarted, sessions);
  EXPECT_THAT(restarted.List("", "", 10).value.sessions, IsEmpty());
}

// A server that was started anew has heard of no tenant yet whom only tokens name.
TEST_F(UnnamedSessionsTest, ThoseOfEveryTenantEnd) {
  const std::vector<std::string> tenants = {"", "acme", "acme-2", "acme.b", "acme0", "b"};
  for (const std::string& tenant : tenants) {
    for (const char* id : {kDrawnId, "evaluate-0123456789abcdef", "pump-7"}) Leave(tenant, id);
  }
  shard::World restarted(shard::ShardOptions{.save_interval = shard::kInterval}, 1, world_.shared_store());
  restarted.Advance(2 * kHour);
  UnnamedSessions sessions(restarted.registrar(), kHour, restarted.clock());
  LookAt(restarted, sessions);
  for (const std::string& tenant : tenants) {
    EXPECT_TRUE(absl::IsNotFound(restarted.store().Load(session::SessionKey(tenant, kDrawnId)).status())) << tenant;
    EXPECT_TRUE(restarted.store().Load(session::SessionKey(tenant, "pump-7")).ok()) << tenant;
  }
}

TEST_F(UnnamedSessionsTest, ThoseThatNoStoreHasEndForEveryTenant) {
  shard::World unsaved(shard::ShardOptions{.save_interval = absl::ZeroDuration()});
  shard::FakePeer peer;
  for (session::Handle handle = 0; handle < 3; ++handle) {
    session::OpenRequest request = shard::Named(kDrawnId);
    request.tenant = absl::StrCat("tenant", handle);
    unsaved.Open(peer, handle, request);
  }
  unsaved.shard().Disconnect(peer);
  unsaved.Advance(2 * kHour);
  ASSERT_EQ(unsaved.shard().counters().sessions_resident.value(), 3u);
  UnnamedSessions sessions(unsaved.registrar(), kHour, unsaved.clock());
  LookAt(unsaved, sessions);
  EXPECT_EQ(unsaved.shard().counters().sessions_resident.value(), 0u);
}

TEST_F(UnnamedSessionsTest, ALookGoesThroughAllPages) {
  shard::FakePeer peer;
  for (session::Handle handle = 0; handle < 205; ++handle) {
    world_.Open(peer, handle, shard::Named(absl::StrCat("evaluate-0123456789abcdef-", handle)));
  }
  world_.Open(peer, 205, shard::Named("evaluate-mine"));
  world_.shard().Disconnect(peer);
  world_.Advance(shard::kInterval);
  world_.Advance(2 * kHour);
  Look();
  EXPECT_THAT(Ids(), ElementsAre("evaluate-mine"));
}

TEST_F(UnnamedSessionsTest, AStoreThatIsAwayIsAskedAgain) {
  Leave(kDrawnId);
  shard::World restarted(shard::ShardOptions{.save_interval = shard::kInterval}, 1, world_.shared_store());
  restarted.Advance(2 * kHour);
  UnnamedSessions sessions(restarted.registrar(), kHour, restarted.clock());
  restarted.store().FailAll(true);
  LookAt(restarted, sessions);
  restarted.store().FailAll(false);
  LookAt(restarted, sessions);
  EXPECT_THAT(restarted.List("", "", 10).value.sessions, IsEmpty());
}

// The wall clock is set while sessions are silent.
class ClockStepTest : public UnnamedSessionsTest {
 protected:
  // A server started on the store of `before`, at the time of `before`.
  struct NextServer {
    explicit NextServer(shard::World& before)
        : world(shard::ShardOptions{.save_interval = shard::kInterval}, 1, before.shared_store()) {
      world.Advance(before.clock().Now() - world.clock().Now());
    }
    size_t LeftAfterLook() {
      LookAt(world, sessions);
      return world.List("", "", 10).value.sessions.size();
    }

    shard::World world;
    UnnamedSessions sessions{world.registrar(), kHour, world.clock()};
  };
};

TEST_F(ClockStepTest, ResidentSessionsAgeAsBefore) {
  for (const absl::Duration step : {absl::Hours(5), -absl::Hours(5)}) {
    Leave(kDrawnId);
    world_.clock().StepWall(step);
    world_.Advance(kHour - absl::Minutes(1));
    Look();
    EXPECT_THAT(Ids(), ElementsAre(kDrawnId)) << step;
    world_.Advance(absl::Minutes(2));
    Look();
    EXPECT_THAT(Ids(), IsEmpty()) << step;
  }
}

TEST_F(ClockStepTest, SetBackDuringALookEndsNoSession) {
  Leave(kDrawnId);
  sessions_.Look();
  world_.clock().StepWall(-absl::Hours(5));
  ASSERT_TRUE(world_.RunUntil([this] { return !sessions_.looking(); }));
  world_.Settle();
  EXPECT_THAT(Ids(), ElementsAre(kDrawnId));
}

TEST_F(ClockStepTest, StampAheadOfTheNextServersClockCountsFromTheFirstLook) {
  world_.clock().StepWall(absl::Hours(24 * 365));
  Leave(kDrawnId);
  NextServer next(world_);
  EXPECT_EQ(next.LeftAfterLook(), 1u);
  next.world.Advance(kHour - absl::Minutes(1));
  EXPECT_EQ(next.LeftAfterLook(), 1u);
  next.world.Advance(absl::Minutes(2));
  EXPECT_EQ(next.LeftAfterLook(), 0u);
}

TEST_F(ClockStepTest, SessionOpenedAgainIsYoungAgain) {
  world_.clock().StepWall(absl::Hours(24 * 365));
  Leave(kDrawnId);
  NextServer next(world_);
  EXPECT_EQ(next.LeftAfterLook(), 1u);
  world_.Advance(kHour);
  Leave(kDrawnId);
  next.world.Advance(2 * kHour);
  EXPECT_EQ(next.LeftAfterLook(), 1u);
}

TEST_F(ClockStepTest, ServerThatBeganWithAClockAheadSparesTheStamps) {
  Leave(kDrawnId);
  NextServer next(world_);
  next.world.clock().StepWall(-absl::Hours(5));
  next.world.Advance(absl::Hours(5));
  EXPECT_EQ(next.LeftAfterLook(), 1u);
  next.world.Advance(kHour);
  EXPECT_EQ(next.LeftAfterLook(), 0u);
}

}  // namespace
}  // namespace aaren::registrar
