// What a session and a token cost beside the model: bytes of a process with many idle sessions, and nanoseconds from
// Tokens() to the answer with an engine that does nothing.

#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "tests/server/session/world.h"

namespace aaren {
namespace {

constexpr size_t kRowBytes = 3456;

class IdleEngine : public FakeEngine {
 public:
  IdleEngine() : FakeEngine(kRowBytes) {}
  absl::Status Step(absl::Span<const Run>, StateSlab&, Workspace&) const override { return absl::OkStatus(); }
};

// Counts and forgets.
class CountingPeer : public Peer {
 public:
  void OnOpened(Handle, const OpenedReply&) override { ++opened; }
  void OnForecasts(Handle, const ForecastsReply& reply) override { results += reply.results; }
  void OnAcked(Handle, uint64_t, uint64_t) override {}
  void OnClosed(Handle, uint64_t, uint64_t) override {}
  void OnFailed(Handle, const Refusal&, uint64_t) override { ++failed; }

  size_t opened = 0, results = 0, failed = 0;
};

std::unique_ptr<ModelTable> IdleModel() {
  auto models = std::make_unique<ModelTable>();
  ModelPackage package;
  package.name = "idle";
  package.digest = "idle";
  models->Add(std::move(package), std::make_unique<IdleEngine>()).IgnoreError();
  return models;
}

ShardOptions Unsaved() { return ShardOptions{.save_interval = absl::ZeroDuration()}; }

void OpenMany(World& world, CountingPeer& peer, size_t sessions) {
  for (Handle handle = 0; handle < sessions; ++handle) {
    while (world.shard().Full()) world.shard().DrainMailbox();
    world.shard().Open(peer, handle, Named(absl::StrCat("load-session-", handle)));
  }
  world.RunUntil([&] { return peer.opened == sessions; });
}

int64_t ResidentBytes() {
  std::ifstream in("/proc/self/statm");
  int64_t size = 0, resident = 0;
  in >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

// Items of `tokens` tokens for each of 1000 sessions, over and over; nanoseconds an item, the best of some rounds.
double NanosPerItem(uint32_t tokens) {
  constexpr size_t kSessions = 1000;
  World world(Unsaved(), 1, nullptr, IdleModel());
  CountingPeer peer;
  OpenMany(world, peer, kSessions);
  const std::vector<float> values = Values(0, tokens);
  double best = 1e18;
  for (uint64_t round = 0; round < 200; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (Handle handle = 0; handle < kSessions; ++handle) {
      TokensView view;
      view.handle = handle;
      view.first_seq = round * tokens;
      view.values = values;
      world.shard().Tokens(peer, view);
      if (handle % 64 == 63) world.shard().Step();
    }
    while (world.shard().Step() > 0) {
    }
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count() / kSessions);
  }
  EXPECT_EQ(peer.results, 200 * kSessions * tokens);
  EXPECT_EQ(peer.failed, 0);
  return best;
}

TEST(SessionCostTest, AnIdleSessionTakesItsRowAndLittleMore) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers change what memory costs";
#endif
  constexpr size_t kSessions = 100'000;
  World world(Unsaved(), 1, nullptr, IdleModel());
  CountingPeer peer;
  const int64_t before = ResidentBytes();
  OpenMany(world, peer, kSessions);
  const double bytes = static_cast<double>(ResidentBytes() - before) / kSessions;
  std::printf("%zu idle sessions: %.0f bytes each, a row of %zu\n", kSessions, bytes, kRowBytes);
  EXPECT_EQ(peer.opened, kSessions);
  EXPECT_LE(bytes, 1.10 * kRowBytes + 160);
}

TEST(SessionCostTest, AnItemTakesNextToNothing) {
  for (const uint32_t tokens : {1, 8, 64}) {
    const double nanos = NanosPerItem(tokens);
    std::printf("%2u tokens an item: %.0f ns an item, %.1f ns a token\n", tokens, nanos, nanos / tokens);
    EXPECT_GT(nanos, 0);
  }
}

}  // namespace
}  // namespace aaren
