// Several operations on the same session at the same time.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/sessions/registrar/delete/deleted_sessions.h"
#include "tests/server/sessions/shard/world/world.h"

namespace aaren::registrar {
namespace {

using Event = shard::FakePeer::Event;

TEST(RaceTest, ManyOpensOfOneSessionLeaveOneWriter) {
  shard::World world({}, 2);
  shard::FakePeer peers[2];
  constexpr session::Handle kHandles = 20;
  for (session::Handle handle = 0; handle < kHandles; ++handle) {
    world.shard(0).Open(peers[0], handle, shard::Named("a"));
    world.shard(1).Open(peers[1], handle, shard::Named("a"));
  }
  world.Settle();
  uint64_t newest = 0;
  size_t opened = 0, fenced = 0;
  for (const shard::FakePeer& peer : peers) {
    for (const Event& event : peer.events) {
      if (event.kind == Event::kOpened) newest = std::max(newest, event.opened.epoch);
      opened += event.kind == Event::kOpened;
      fenced += event.kind == Event::kFailed;
    }
  }
  EXPECT_EQ(opened, 2 * kHandles);
  EXPECT_EQ(fenced, 2 * kHandles - 1);
  EXPECT_EQ(world.Get("a").value.epoch, newest);
  const uint64_t rows = world.shard(0).counters().slots_used.value() + world.shard(1).counters().slots_used.value();
  EXPECT_EQ(rows, 1);
}

TEST(RaceTest, EachWriterOfManyIsToldTheEpochThatTookTheSession) {
  shard::World world({}, 2);
  shard::FakePeer peers[2];
  for (session::Handle handle = 0; handle < 10; ++handle) {
    for (int shard : {0, 1}) world.shard(shard).Open(peers[shard], handle, shard::Named("a"));
  }
  world.Settle();
  size_t told_nothing = 0;
  for (const shard::FakePeer& peer : peers) {
    for (session::Handle handle = 0; handle < 10; ++handle) {
      const Event& fenced = peer.Last(Event::kFailed, handle);
      if (fenced.refusal.metadata.empty()) {
        ++told_nothing;
        continue;
      }
      const uint64_t own = peer.Last(Event::kOpened, handle).opened.epoch;
      EXPECT_GT(std::stoull(fenced.refusal.metadata[0].second), own);
    }
  }
  EXPECT_EQ(told_nothing, 1u);  // the last writer, with the session
}

session::OpenRequest Attempted(uint64_t writer, uint64_t number) {
  session::OpenRequest request = shard::Named("a");
  request.attempt = {writer, number};
  return request;
}

// A stream may break before the server has read the stream's Open. The next stream's Open may be read first.
TEST(RaceTest, AnOpenReadAfterALaterOneOfItsWriterTakesNothing) {
  for (const int late : {0, 1}) {
    shard::World world({}, 2);
    shard::FakePeer before, now;
    world.Open(now, 0, Attempted(7, 2));
    world.shard(late).Open(before, 0, Attempted(7, 1));
    world.Settle();
    EXPECT_EQ(before.Last().refusal.status.code(), absl::StatusCode::kAborted);
    EXPECT_EQ(before.Last().refusal.reason, "STALE_OPEN");
    EXPECT_EQ(now.Count(Event::kFailed, 0), 0);
    world.Send(now, 0, 0, shard::Values(0, 1));
    EXPECT_EQ(now.Last().kind, Event::kForecasts);
    EXPECT_EQ(world.shard(0).counters().sessions_fenced.value(), 0);
  }
}

TEST(RaceTest, TheLatestAttemptIsRememberedByASessionThatMoves) {
  shard::World world({}, 2);
  shard::FakePeer before, moved, late;
  world.Open(before, 0, Attempted(7, 1));
  world.shard(1).Open(moved, 0, Attempted(7, 3));
  world.Settle();
  world.shard(0).Open(late, 0, Attempted(7, 2));
  world.Settle();
  EXPECT_EQ(late.Last().refusal.reason, "STALE_OPEN");
  EXPECT_EQ(moved.Count(Event::kFailed, 0), 0);
}

TEST(RaceTest, TheLatestAttemptIsRememberedByASessionThatWasEvicted) {
  shard::World world(shard::ShardOptions{.capacity_rows = 1, .save_interval = absl::Milliseconds(500)});
  shard::FakePeer now, other, late, later;
  world.Open(now, 0, Attempted(7, 6));
  world.Send(now, 0, 0, shard::Values(0, 5));
  world.shard().Disconnect(now);
  world.Advance(absl::Seconds(1));
  world.Open(other, 0, shard::Named("b"));
  world.Send(other, 0, 0, shard::Values(0, 1));
  world.shard().Disconnect(other);
  world.Advance(absl::Seconds(1));
  ASSERT_FALSE(world.Get("a").value.resident);
  world.Open(late, 0, Attempted(7, 5));
  EXPECT_EQ(late.Last().refusal.reason, "STALE_OPEN");
  world.Open(later, 0, Attempted(7, 7));
  EXPECT_EQ(later.Last().opened.next_seq, 5);
}

TEST(RaceTest, AnEarlierOpenDoesNotBringADeletedSessionBack) {
  for (const absl::Duration save_interval : {absl::ZeroDuration(), absl::Milliseconds(500)}) {
    shard::World world(shard::ShardOptions{.save_interval = save_interval});
    shard::FakePeer now, late, later;
    world.Open(now, 0, Attempted(7, 6));
    world.shard().Close(now, 0, /*delete_session=*/true, std::nullopt);
    world.Settle();
    world.Open(late, 0, Attempted(7, 5));
    EXPECT_EQ(late.Last().refusal.reason, "STALE_OPEN");
    world.Open(later, 0, Attempted(7, 7));
    EXPECT_EQ(later.Count(Event::kOpened, 0), 1);
  }
}

TEST(RaceTest, AnEarlierOpenDoesNotBringBackASessionThatWasDeletedAtRest) {
  shard::World world(shard::ShardOptions{.capacity_rows = 1, .save_interval = absl::Milliseconds(500)});
  shard::FakePeer now, other, late;
  world.Open(now, 0, Attempted(7, 6));
  world.shard().Disconnect(now);
  world.Advance(absl::Seconds(1));
  world.Open(other, 0, shard::Named("b"));
  ASSERT_FALSE(world.Get("a").value.resident);
  world.Delete("a");
  world.Open(late, 0, Attempted(7, 5));
  EXPECT_EQ(late.Last().refusal.reason, "STALE_OPEN");
}

TEST(DeletedSessionsTest, OnlyTheLastFewThousandAreRemembered) {
  DeletedSessions deleted;
  for (size_t i = 0; i <= DeletedSessions::kMost; ++i) deleted.Add(absl::StrCat(i), {7, 2});
  EXPECT_FALSE(deleted.IsStale("0", {7, 1}));
  EXPECT_TRUE(deleted.IsStale("1", {7, 1}));
  EXPECT_FALSE(deleted.IsStale("1", {7, 2}));
  EXPECT_FALSE(deleted.IsStale("1", {8, 1}));
}

TEST(RaceTest, AnotherWritersNumberOrNoWriterTakesTheSession) {
  shard::World world;
  shard::FakePeer peer;
  world.Open(peer, 0, Attempted(7, 9));
  world.Open(peer, 1, Attempted(8, 1));
  EXPECT_EQ(peer.Count(Event::kOpened, 1), 1);
  world.Open(peer, 2, Attempted(0, 0));
  EXPECT_EQ(peer.Count(Event::kOpened, 2), 1);
  world.Open(peer, 3, Attempted(8, 0));
  EXPECT_EQ(peer.Count(Event::kOpened, 3), 1);
}

TEST(RaceTest, OfCreatesOnlyTheFirstSucceeds) {
  shard::World world({}, 2);
  shard::FakePeer peers[2];
  session::OpenRequest request = shard::Named("a");
  request.mode = session::OpenMode::kCreate;
  for (session::Handle handle = 0; handle < 5; ++handle) {
    for (int shard : {0, 1}) world.shard(shard).Open(peers[shard], handle, request);
  }
  world.Settle();
  size_t opened = 0;
  for (const shard::FakePeer& peer : peers) {
    for (session::Handle handle = 0; handle < 5; ++handle) opened += peer.Count(Event::kOpened, handle);
  }
  EXPECT_EQ(opened, 1);
}

TEST(RaceTest, OpensAndDeletesEndInAConsistentState) {
  shard::World world(shard::ShardOptions{.save_interval = absl::Milliseconds(1)}, 2);
  shard::FakePeer peers[2];
  size_t deletes = 0;
  for (session::Handle handle = 0; handle < 30; ++handle) {
    const int shard = static_cast<int>(handle % 2);
    world.shard(shard).Open(peers[shard], handle, shard::Named("a"));
    const std::vector<float> values = shard::Values(0, 2);
    session::TokensView tokens;
    tokens.handle = handle;
    tokens.values = values;
    world.shard(shard).Tokens(peers[shard], tokens);
    if (handle % 3 == 0)
      world.registrar().Delete("", "a", {}, [&deletes](session::Outcome<std::monostate>) { ++deletes; });
    if (handle % 5 == 0) world.Advance(absl::Milliseconds(2));
  }
  world.registrar().Delete("", "a", {}, [](session::Outcome<std::monostate>) {});
  world.Settle();
  world.Advance(absl::Milliseconds(2));
  EXPECT_TRUE(absl::IsNotFound(world.Get("a").refusal->status));
  EXPECT_TRUE(absl::IsNotFound(world.store().Load("/a").status()));
  EXPECT_EQ(world.shard(0).counters().slots_used.value(), 0);
  EXPECT_EQ(world.shard(1).counters().slots_used.value(), 0);
}

TEST(RaceTest, ADeleteByAnOldWriterDoesNotHitTheNewOne) {
  shard::World world({}, 2);
  shard::FakePeer before, after;
  world.Open(before, 0, shard::Named("a"), 0);
  world.shard(1).Open(after, 0, shard::Named("a"));
  // The registrar gets the later Open before the Close, and the Close names the earlier epoch.
  world.shard(0).Close(before, 0, true, std::nullopt);
  world.Settle();
  EXPECT_EQ(after.Last().kind, Event::kOpened);
  EXPECT_EQ(before.Last().refusal.status.code(), absl::StatusCode::kAborted);
  EXPECT_FALSE(world.Get("a").refusal.has_value());
}

TEST(RaceTest, OperationsOnOneSessionDoNotWaitForAnother) {
  std::atomic<bool> first{false}, second{false};  // set on the registrar's thread
  shard::World world({}, 2);
  shard::FakePeer peer, other;
  world.Open(peer, 0, shard::Named("a"), 0);
  world.Open(other, 0, shard::Named("b"), 1);
  // Shard 0 does not run: calls for session "a" wait.
  world.registrar().Get("", "a", [&first](session::Outcome<session::SessionInfo>) { first = true; });
  world.registrar().Get("", "b", [&second](session::Outcome<session::SessionInfo>) { second = true; });
  const absl::Time deadline = absl::Now() + absl::Minutes(1);
  while (!second && absl::Now() < deadline) world.shard(1).DrainMailbox();
  EXPECT_TRUE(second);
  EXPECT_FALSE(first);
  EXPECT_TRUE(world.RunUntil([&first] { return first.load(); }));
}

}  // namespace
}  // namespace aaren::registrar
