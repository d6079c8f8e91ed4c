// An Import with a model's name continues a session with another model.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "model/engine/cpu/cpu_engine.h"
#include "tests/model/engine/random_package.h"
#include "tests/server/sessions/shard/world/world.h"

namespace aaren::registrar {
namespace {

constexpr uint64_t kTokens = 40;  // few enough for a row to remember each value

// Two models with different weights: "old" and "new".
std::unique_ptr<models::ModelTable> TwoModels() {
  auto models = std::make_unique<models::ModelTable>();
  for (const char* name : {"old", "new"}) {
    package::ModelPackage package = engine::RandomPackage(engine::TinyConfig(), *name == 'o' ? 1 : 2);
    package.name = package.digest = name;
    auto engine = engine::NewCpuEngine(package);
    EXPECT_TRUE(engine.ok());
    EXPECT_TRUE(models->Add(std::move(package), *std::move(engine)).ok());
  }
  return models;
}

std::vector<float> Wave(uint64_t first_seq, size_t count) {
  std::vector<float> values;
  for (uint64_t seq = first_seq; seq < first_seq + count; ++seq) {
    values.push_back(seq % 17 == 5 ? std::nanf("") : 3 + std::sin(0.3f * static_cast<float>(seq)));
  }
  return values;
}

session::OpenRequest WithModel(const std::string& id, const std::string& model) {
  session::OpenRequest request = shard::Named(id);
  request.model = model;
  return request;
}

class MigrateTest : public testing::Test {
 protected:
  MigrateTest() {
    world_.Open(writer_, 0, WithModel("a", "old"));
    world_.Send(writer_, 0, 0, Wave(0, kTokens));
  }

  session::Outcome<session::SessionInfo> Migrate(const std::string& model, std::optional<uint64_t> epoch = {}) {
    return world_.Import("a", {.snapshot = world_.Export("a").value.bytes, .model = model, .over = {true, epoch}});
  }

  shard::World world_{shard::ShardOptions{.save_interval = shard::kInterval}, 1, nullptr, TwoModels()};
  shard::FakePeer writer_;
};

TEST_F(MigrateTest, SessionKeepsItsPlaceAndHasTheOtherModel) {
  const session::SessionInfo info = Migrate("new").value;
  EXPECT_EQ(info.next_seq, kTokens);
  EXPECT_EQ(info.origin.model, "new:1");
  EXPECT_EQ(world_.Get("a").value.origin.package_digest, "new");
}

TEST_F(MigrateTest, ForecastsAreThoseOfTheOtherModelAfterTheSameValues) {
  Migrate("new");
  shard::FakePeer peer, other;
  world_.Open(peer, 0, WithModel("a", ""));
  ASSERT_EQ(peer.Last().opened.next_seq, kTokens);
  world_.Send(peer, 0, kTokens, Wave(kTokens, 30));
  world_.Open(other, 0, WithModel("b", "new"));
  world_.Send(other, 0, 0, Wave(0, kTokens + 30));
  auto expected = other.Forecasts(0);
  expected.erase(expected.begin(), expected.begin() + kTokens);
  EXPECT_EQ(peer.Forecasts(0), expected);
}

TEST_F(MigrateTest, LongSessionTakesWhatItsRowsKnow) {
  world_.Send(writer_, 0, kTokens, Wave(kTokens, 4000 - kTokens));
  EXPECT_EQ(Migrate("new").value.next_seq, 4000u);
  shard::FakePeer peer;
  world_.Open(peer, 0, WithModel("a", "new"));
  world_.Send(peer, 0, 4000, Wave(4000, 10));
  EXPECT_EQ(peer.Forecasts(0).size(), 10u);
}

// The session has 4000 tokens, and the new model's rows have folded fewer.
TEST_F(MigrateTest, SessionOfBothModelsIsSavedRestoredAndCopiedLikeAnyOther) {
  world_.Send(writer_, 0, kTokens, Wave(kTokens, 4000 - kTokens));
  Migrate("new");
  const session::Outcome<session::SessionInfo> copy = world_.Import("b", world_.Export("a").value.bytes, false);
  ASSERT_FALSE(copy.refusal.has_value()) << copy.refusal->status;
  EXPECT_EQ(copy.value.next_seq, 4000u);
  shard::World restarted(shard::ShardOptions{.save_interval = shard::kInterval}, 1, world_.shared_store(), TwoModels());
  shard::FakePeer peer;
  restarted.Open(peer, 0, WithModel("a", ""));
  EXPECT_EQ(peer.Last().opened.next_seq, 4000u);
}

TEST_F(MigrateTest, RowsOfTheSameModelAreTakenAsTheyAre) {
  Migrate("old");
  shard::FakePeer peer, other;
  world_.Open(peer, 0, WithModel("a", ""));
  world_.Send(peer, 0, kTokens, Wave(kTokens, 30));
  world_.Open(other, 0, WithModel("b", "old"));
  world_.Send(other, 0, 0, Wave(0, kTokens + 30));
  auto expected = other.Forecasts(0);
  expected.erase(expected.begin(), expected.begin() + kTokens);
  EXPECT_EQ(peer.Forecasts(0), expected);
}

TEST_F(MigrateTest, UnknownModelIsNamedAndTheSessionStays) {
  const session::Outcome<session::SessionInfo> refused = Migrate("newest");
  ASSERT_TRUE(refused.refusal.has_value());
  EXPECT_EQ(refused.refusal->reason, "MODEL_NOT_FOUND");
  world_.Send(writer_, 0, kTokens, Wave(kTokens, 1));
  EXPECT_EQ(writer_.Forecasts(0).size(), kTokens + 1);
}

TEST_F(MigrateTest, SessionThatWasOpenedMeanwhileStays) {
  const uint64_t seen = world_.Get("a").value.epoch;
  shard::FakePeer peer;
  world_.Open(peer, 0, WithModel("a", ""));
  const session::Outcome<session::SessionInfo> refused = Migrate("new", seen);
  ASSERT_TRUE(refused.refusal.has_value());
  EXPECT_EQ(refused.refusal->reason, "FENCED");
  world_.Send(peer, 0, kTokens, Wave(kTokens, 1));
  EXPECT_EQ(peer.Forecasts(0).size(), 1u);
}

TEST_F(MigrateTest, SessionAtRestThatWasOpenedMeanwhileStays) {
  const uint64_t seen = world_.Get("a").value.epoch;
  const std::string snapshot = world_.Export("a").value.bytes;
  world_.Advance(shard::kInterval);
  shard::World restarted(shard::ShardOptions{.save_interval = shard::kInterval}, 1, world_.shared_store(), TwoModels());
  EXPECT_TRUE(restarted.Import("a", {snapshot, "new", {true, seen + 1}}).refusal.has_value());
  EXPECT_EQ(restarted.Get("a").value.origin.model, "old:1");
  EXPECT_FALSE(restarted.Import("a", {snapshot, "new", {true, seen}}).refusal.has_value());
  EXPECT_EQ(restarted.Get("a").value.origin.model, "new:1");
}

TEST_F(MigrateTest, SessionThatIsGoneIsNotMade) {
  const uint64_t seen = world_.Get("a").value.epoch;
  const std::string snapshot = world_.Export("a").value.bytes;
  shard::World empty(shard::ShardOptions{.save_interval = shard::kInterval}, 1, nullptr, TwoModels());
  EXPECT_EQ(empty.Import("a", {snapshot, "new", {true, seen}}).refusal->reason, "SESSION_NOT_FOUND");
}

}  // namespace
}  // namespace aaren::registrar
