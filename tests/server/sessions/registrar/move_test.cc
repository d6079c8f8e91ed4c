// Moves of sessions between shards.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/sessions/shard/world/world.h"

namespace aaren::registrar {
namespace {

using Event = shard::FakePeer::Event;

TEST(MoveTest, GoesOnExactlyInAnotherShard) {
  shard::World world({}, 2);
  shard::FakePeer here, there;
  world.Open(here, 0, shard::Named("a"), 0);
  world.Send(here, 0, 0, shard::Values(0, 5), std::nullopt, 0);
  world.Open(there, 0, shard::Named("a"), 1);
  EXPECT_EQ(here.Last().refusal.status.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(there.Last().opened.next_seq, 5);
  world.Send(there, 0, 5, shard::Values(5, 5), std::nullopt, 1);
  EXPECT_EQ(there.Forecasts(0)[4], world.engine().Forecasts(shard::Values(0, 10))[9]);
  EXPECT_EQ(world.shard(0).counters().slots_used.value(), 0);
  EXPECT_EQ(world.shard(1).counters().slots_used.value(), 1);
  EXPECT_EQ(world.shard(1).counters().sessions_moved.value(), 1);
}

TEST(MoveTest, BackAndForthLosesNothing) {
  shard::World world({}, 2);
  shard::FakePeer peers[2];
  const auto expected = world.engine().Forecasts(shard::Values(0, 40));
  for (uint64_t seq = 0; seq < 40; ++seq) {
    const int shard = static_cast<int>(seq % 2);
    const auto handle = static_cast<session::Handle>(seq);
    world.Open(peers[shard], handle, shard::Named("a"), shard);
    ASSERT_EQ(peers[shard].Last().opened.next_seq, seq);
    world.Send(peers[shard], handle, seq, shard::Values(seq, 1), std::nullopt, shard);
    EXPECT_EQ(peers[shard].Forecasts(handle)[0], expected[seq]);
  }
}

TEST(MoveTest, TakesAllChannels) {
  shard::World world({}, 2);
  shard::FakePeer here, there;
  session::OpenRequest request = shard::Named("a");
  request.channels = 3;
  world.Open(here, 0, request, 0);
  world.Send(here, 0, 0, {1, 2, 3}, std::nullopt, 0);
  world.Open(there, 0, request, 1);
  world.Send(there, 0, 1, {4, 5, 6}, std::nullopt, 1);
  std::vector<float> expected;
  for (const std::vector<float>& values : {std::vector<float>{1, 4}, {2, 5}, {3, 6}}) {
    const auto forecast = world.engine().Forecasts(values)[1];
    expected.insert(expected.end(), forecast.begin(), forecast.end());
  }
  EXPECT_EQ(there.Last().values, expected);
}

TEST(MoveTest, GoesBackInTheNewShardIfTheClientIsBehind) {
  shard::World world(shard::ShardOptions{.save_interval = absl::Milliseconds(500)}, 2);
  shard::FakePeer here, there;
  world.Open(here, 0, shard::Named("a", 0), 0);
  world.Send(here, 0, 0, shard::Values(0, 4), 0, 0);
  world.Advance(absl::Milliseconds(500));
  world.Send(here, 0, 4, shard::Values(4, 4), 4, 0);
  world.Open(there, 0, shard::Named("a", 6), 1);
  EXPECT_EQ(there.Last().opened.next_seq, 4);
  world.Send(there, 0, 4, shard::Values(4, 4), 6, 1);
  EXPECT_EQ(there.Forecasts(0)[3], world.engine().Forecasts(shard::Values(0, 8))[7]);
}

TEST(MoveTest, IsRefusedWithoutDisturbingTheWriterIfTheOtherShardIsFull) {
  shard::World world(shard::ShardOptions{.capacity_rows = 1}, 2);
  shard::FakePeer writer, full;
  world.Open(writer, 0, shard::Named("a"), 0);
  world.Open(full, 0, shard::Named("b"), 1);
  world.Send(full, 0, 0, shard::Values(0, 1), std::nullopt, 1);
  world.Open(full, 1, shard::Named("a"), 1);
  EXPECT_EQ(full.Last().refusal.status.code(), absl::StatusCode::kResourceExhausted);
  world.Send(writer, 0, 0, shard::Values(0, 2), std::nullopt, 0);
  EXPECT_EQ(writer.Last().kind, Event::kForecasts);
}

TEST(MoveTest, IsRefusedWithoutDisturbingTheWriterIfTheOpenIsWrong) {
  shard::World world({}, 2);
  shard::FakePeer writer, other;
  world.Open(writer, 0, shard::Named("a"), 0);
  session::OpenRequest request = shard::Named("a");
  request.mode = session::OpenMode::kCreate;
  world.Open(other, 0, request, 1);
  EXPECT_EQ(other.Last().refusal.status.code(), absl::StatusCode::kAlreadyExists);
  world.Send(writer, 0, 0, shard::Values(0, 2), std::nullopt, 0);
  EXPECT_EQ(writer.Last().kind, Event::kForecasts);
  EXPECT_EQ(world.shard(1).counters().slots_used.value(), 0);
}

TEST(MoveTest, WithoutSavingGoesOnExactly) {
  shard::World world(shard::ShardOptions{.save_interval = absl::ZeroDuration()}, 2);
  shard::FakePeer here, there;
  world.Open(here, 0, shard::Named("a", 0), 0);
  world.Send(here, 0, 0, shard::Values(0, 5), 3, 0);
  world.Open(there, 0, shard::Named("a", 5), 1);
  EXPECT_EQ(there.Last().opened.next_seq, 5);
  EXPECT_FALSE(there.Last().opened.lost.has_value());
  world.Send(there, 0, 5, shard::Values(5, 1), 5, 1);
  EXPECT_EQ(there.Forecasts(0)[0], world.engine().Forecasts(shard::Values(0, 6))[5]);
}

TEST(MoveTest, CarriesOnSavingInTheNewShard) {
  shard::World world(shard::ShardOptions{.save_interval = absl::Milliseconds(500)}, 2);
  shard::FakePeer here, there;
  world.Open(here, 0, shard::Named("a"), 0);
  world.Send(here, 0, 0, shard::Values(0, 4), std::nullopt, 0);
  world.Advance(absl::Milliseconds(500));
  world.Send(here, 0, 4, shard::Values(4, 1), std::nullopt, 0);
  world.Open(there, 0, shard::Named("a"), 1);
  EXPECT_EQ(there.Last().durable_seq, 4);
  world.Advance(absl::Milliseconds(500));
  EXPECT_EQ(there.Last().durable_seq, 5);
  EXPECT_EQ(world.store().Load("/a").value().saves.back().point.seq, 5);
}

}  // namespace
}  // namespace aaren::registrar
