// The whole session layer on a serving engine, the CPU's or a device's (tested_engine.h): the same bits however a
// session's tokens arrive.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "model/engine/cpu/cpu_engine.h"
#include "tests/model/engine/random_package.h"
#include "tests/model/engine/tested_engine.h"
#include "tests/server/sessions/shard/world/world.h"

namespace aaren::shard {
namespace {

constexpr size_t kTokens = 300;

using NewEngine = absl::StatusOr<std::unique_ptr<engine::Engine>> (*)(const package::ModelPackage& package);

std::unique_ptr<models::ModelTable> RealModel(NewEngine new_engine = engine::NewTestedEngine) {
  auto models = std::make_unique<models::ModelTable>();
  package::ModelPackage package = engine::RandomPackage(engine::TinyConfig(), 1);
  package.digest = "random";
  auto engine = new_engine(package);
  EXPECT_TRUE(engine.ok());
  EXPECT_TRUE(models->Add(std::move(package), *std::move(engine)).ok());
  return models;
}

float ValueAt(uint64_t seq) { return seq % 17 == 5 ? std::nanf("") : 3 + std::sin(0.3f * static_cast<float>(seq)); }

std::vector<float> Wave(uint64_t first_seq, size_t count) {
  std::vector<float> values;
  for (size_t i = 0; i < count; ++i) values.push_back(ValueAt(first_seq + i));
  return values;
}

// Sends tokens [first_seq, end) in items of `count`.
void SendWave(World& world, FakePeer& peer, session::Handle handle, uint64_t first_seq, uint64_t end, size_t count) {
  for (uint64_t seq = first_seq; seq < end; seq += count) {
    world.Send(peer, handle, seq, Wave(seq, std::min<size_t>(count, end - seq)), seq);
  }
}

// All forecasts of a session fed by a single item, from the CPU's engine.
std::vector<std::vector<float>> Undisturbed(engine::Refinement refinement = engine::Refinement::kRestricted) {
  World world(ShardOptions{.save_interval = kInterval}, 1, nullptr,
              RealModel([](const auto& package) { return engine::NewCpuEngine(package); }));
  FakePeer peer;
  session::OpenRequest request = Named("a", 0);
  request.output.refinement = refinement;
  world.Open(peer, 0, request);
  SendWave(world, peer, 0, 0, kTokens, kTokens);
  return peer.Forecasts(0);
}

bool SameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

void ExpectSameBits(const std::vector<std::vector<float>>& a, const std::vector<std::vector<float>>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(SameBits(a[i], b[i])) << "token " << i;
}

TEST(RealEngineTest, GivesTheSameBitsForAnySplitAmongManyOthers) {
  World world(ShardOptions{.save_interval = kInterval}, 1, nullptr, RealModel());
  FakePeer peer;
  const size_t splits[] = {1, 7, 64};
  for (session::Handle handle = 0; handle < 3; ++handle) {
    world.Open(peer, handle, Named(handle == 0 ? "one" : handle == 1 ? "seven" : "many", 0));
  }
  for (uint64_t seq = 0; seq < kTokens; ++seq) {
    for (session::Handle handle = 0; handle < 3; ++handle) {
      if (seq % splits[handle] != 0) continue;
      const std::vector<float> values = Wave(seq, std::min<size_t>(splits[handle], kTokens - seq));
      session::TokensView tokens;
      tokens.handle = handle;
      tokens.first_seq = seq;
      tokens.values = values;
      tokens.delivered_seq = seq;
      world.shard().Tokens(peer, tokens);
    }
    if (seq % 11 == 0) world.shard().Step();
  }
  world.Settle();
  const auto expected = Undisturbed();
  for (session::Handle handle = 0; handle < 3; ++handle) ExpectSameBits(peer.Forecasts(handle), expected);
}

TEST(RealEngineTest, GivesTheSameBitsAfterGoingBack) {
  World world(ShardOptions{.save_interval = kInterval}, 2, nullptr, RealModel());
  FakePeer peer, again;
  world.Open(peer, 0, Named("a", 0));
  SendWave(world, peer, 0, 0, 100, 10);
  world.Advance(kInterval);
  SendWave(world, peer, 0, 100, 200, 10);
  world.Open(again, 0, Named("a", 130), 1);
  ASSERT_EQ(again.Last().opened.next_seq, 100);
  for (uint64_t seq = 100; seq < kTokens; seq += 50) world.Send(again, 0, seq, Wave(seq, 50), 130, 1);
  auto expected = Undisturbed();
  expected.erase(expected.begin(), expected.begin() + 100);
  ExpectSameBits(again.Forecasts(0), expected);
}

TEST(RealEngineTest, GivesTheSameBitsAfterExportAndImport) {
  World world(ShardOptions{.save_interval = kInterval}, 1, nullptr, RealModel());
  FakePeer peer;
  world.Open(peer, 0, Named("a", 0));
  SendWave(world, peer, 0, 0, 150, 30);
  const session::Outcome<registrar::Snapshot> snapshot = world.Export("a");
  World elsewhere(ShardOptions{.save_interval = kInterval}, 1, nullptr, RealModel());
  ASSERT_FALSE(elsewhere.Import("b", snapshot.value.bytes, false).refusal.has_value());
  FakePeer other;
  elsewhere.Open(other, 0, Named("b", 150));
  SendWave(elsewhere, other, 0, 150, kTokens, 30);
  auto expected = Undisturbed();
  expected.erase(expected.begin(), expected.begin() + 150);
  ExpectSameBits(other.Forecasts(0), expected);
}

TEST(RealEngineTest, CalibrationIsSwitchedByEachOpenAndLearnsMeanwhile) {
  World world(ShardOptions{.save_interval = kInterval}, 1, nullptr, RealModel());
  FakePeer peer, again;
  session::OpenRequest off = Named("a", 0);
  off.output.refinement = engine::Refinement::kMixed;
  world.Open(peer, 0, off);
  SendWave(world, peer, 0, 0, 200, 20);
  auto uncalibrated = Undisturbed(engine::Refinement::kMixed);
  uncalibrated.resize(200);
  ExpectSameBits(peer.Forecasts(0), uncalibrated);
  world.Open(again, 0, Named("a", 200));
  SendWave(world, again, 0, 200, kTokens, 20);
  auto expected = Undisturbed();
  EXPECT_FALSE(SameBits(expected.back(), Undisturbed(engine::Refinement::kMixed).back()));
  expected.erase(expected.begin(), expected.begin() + 200);
  ExpectSameBits(again.Forecasts(0), expected);
}

}  // namespace
}  // namespace aaren::shard
