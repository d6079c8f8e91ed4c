// A retired model stays loaded as long as a session of the model lives.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "tests/server/sessions/shard/world/tiers.h"

namespace aaren::shard {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Event = FakePeer::Event;

constexpr char kDigest[] = "digest-sum-1";  // the default model's digest

TEST(RetiringTest, ASessionThatIsOpenGoesOnBitForBit) {
  World world(ShardOptions{.save_interval = kInterval});
  const auto expected = world.engine().Forecasts(Values(0, 8));
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  world.Send(peer, 0, 0, Values(0, 5));
  world.models().Retire(kDigest);
  world.Advance(absl::Hours(1));
  EXPECT_THAT(world.models().Unload(), IsEmpty());
  world.Send(peer, 0, 5, Values(5, 3));
  EXPECT_EQ(peer.Forecasts(0), expected);
}

TEST(RetiringTest, ItsModelIsUnloadedWhenItsLastSessionIsDeleted) {
  World world(ShardOptions{.save_interval = kInterval});
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  world.Send(peer, 0, 0, Values(0, 5));
  const std::weak_ptr<const models::LoadedModel> model = world.models().FindDigest(kDigest);
  world.models().Retire(kDigest);
  world.shard().Close(peer, 0, /*delete_session=*/true, std::nullopt);
  world.Settle();
  world.Advance(kInterval);
  EXPECT_THAT(world.models().Unload(), ElementsAre("sum:1"));
  EXPECT_TRUE(model.expired());
}

TEST(RetiringTest, ANewSessionGetsAnotherModel) {
  World world(ShardOptions{.save_interval = kInterval});
  FakePeer peer;
  world.models().Retire(kDigest);
  world.Open(peer, 0, Named("a"));
  EXPECT_EQ(world.Get("a").value.origin.model, "sum:2");
}

TEST(RetiringTest, AClientThatLostItsConnectionFindsItsSession) {
  World world(ShardOptions{.save_interval = kInterval});
  const auto expected = world.engine().Forecasts(Values(0, 8));
  FakePeer peer, again;
  world.Open(peer, 0, Named("a"));
  world.Send(peer, 0, 0, Values(0, 5));
  world.models().Retire(kDigest);
  world.shard().Disconnect(peer);
  world.Advance(absl::Seconds(5));
  EXPECT_THAT(world.models().Unload(), IsEmpty());
  world.Open(again, 0, Named("a"));
  world.Send(again, 0, 5, Values(5, 3));
  EXPECT_EQ(again.Forecasts(0)[2], expected[7]);
}

TEST(RetiringTest, ASessionThatNobodyHasOpenKeepsItsModelNotForLong) {
  World world(ShardOptions{.save_interval = kInterval});
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  world.Send(peer, 0, 0, Values(0, 5));
  world.shard().Disconnect(peer);
  world.models().Retire(kDigest);
  world.Advance(kInterval);
  world.Advance(absl::Minutes(1));
  world.Advance(kInterval);
  EXPECT_THAT(world.models().Unload(), ElementsAre("sum:1"));
}

TEST(RetiringTest, ASessionWhoseModelIsGoneIsRefusedByNameAndStaysInTheStore) {
  World world(ShardOptions{.save_interval = kInterval});
  FakePeer peer, again;
  world.Open(peer, 0, Named("a"));
  world.Send(peer, 0, 0, Values(0, 5));
  world.shard().Disconnect(peer);
  world.models().Retire(kDigest);
  world.Advance(kInterval);
  world.Advance(absl::Minutes(1));
  ASSERT_THAT(world.models().Unload(), ElementsAre("sum:1"));
  world.Open(again, 0, Named("a"));
  EXPECT_EQ(again.Last().kind, Event::kFailed);
  EXPECT_EQ(again.Last().refusal.status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(again.Last().refusal.status.message()), HasSubstr(kDigest));
  EXPECT_EQ(world.Get("a").value.next_seq, 5u);
}

TEST(RetiringTest, ADemotedSessionKeepsItsModelAndComesBack) {
  World world(NoRowsStay());
  const auto expected = world.engine().Forecasts(Values(0, 8));
  FakePeer peer;
  OpenAndRest(world, peer, 0, "a");
  ASSERT_EQ(Demoted(world), 1);
  world.models().Retire(kDigest);
  world.Advance(absl::Hours(1));
  EXPECT_THAT(world.models().Unload(), IsEmpty());
  world.Send(peer, 0, 5, Values(5, 3));
  EXPECT_EQ(peer.Forecasts(0), expected);
  world.shard().Close(peer, 0, /*delete_session=*/true, std::nullopt);
  world.Settle();
  world.Advance(kInterval);
  EXPECT_THAT(world.models().Unload(), ElementsAre("sum:1"));
}

TEST(RetiringTest, AnOpenUnderWayKeepsItsModel) {
  World world(ShardOptions{.save_interval = kInterval});
  const auto expected = world.engine().Forecasts(Values(0, 3));
  FakePeer peer;
  world.shard().Open(peer, 0, Named("a"));
  world.shard().Tick();
  // By now the Open has the model, or gets another model.
  world.models().Retire(kDigest);
  world.models().Unload();
  world.Settle();
  world.Send(peer, 0, 0, Values(0, 3));
  EXPECT_EQ(peer.Forecasts(0), expected);  // both models forecast the same
}

TEST(RetiringTest, AnotherModelOfTheSameIndexStartsAnew) {
  World world(ShardOptions{.save_interval = kInterval});
  FakePeer peer;
  world.Open(peer, 0, Named("a"));
  world.Send(peer, 0, 0, Values(0, 5));
  const int index = world.models().FindDigest(kDigest)->index;
  world.models().Retire(kDigest);
  world.shard().Close(peer, 0, /*delete_session=*/true, std::nullopt);
  world.Settle();
  world.Advance(kInterval);
  ASSERT_THAT(world.models().Unload(), ElementsAre("sum:1"));
  package::ModelPackage package;
  package.name = "new";
  package.version = 1;
  package.config = FakeEngine::Config();
  package.digest = "digest-new-1";
  ASSERT_TRUE(world.models().Add(std::move(package), std::make_unique<FakeEngine>()).ok());
  ASSERT_EQ(world.models().Find("new").value()->index, index);
  session::OpenRequest request = Named("b");
  request.model = "new";
  world.Open(peer, 1, request);
  world.Send(peer, 1, 0, Values(0, 3));
  EXPECT_EQ(peer.Forecasts(1), world.engine("new").Forecasts(Values(0, 3)));
  EXPECT_EQ(world.models().Find("new").value()->sessions(), 1u);
}

TEST(RetiringTest, ALabelThatHasMovedOnNamesAnExistingSession) {
  World world(ShardOptions{.save_interval = kInterval});
  world.models().SetLabels(models::ParseLabels("sum@stable 1").value());
  FakePeer peer, again;
  session::OpenRequest request = Named("a");
  request.model = "sum@stable";
  world.Open(peer, 0, request);
  world.models().SetLabels(models::ParseLabels("sum@stable 2").value());
  world.Open(again, 0, request);
  EXPECT_EQ(again.Last().kind, Event::kOpened);
  EXPECT_EQ(world.Get("a").value.origin.model, "sum:1");
}

}  // namespace
}  // namespace aaren::shard
