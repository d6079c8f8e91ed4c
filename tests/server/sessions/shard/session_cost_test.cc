// Bytes of a session beside the row, measured in a process with many idle sessions.

#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "server/sessions/queue/attachment.h"
#include "server/sessions/queue/tenant_line.h"
#include "server/sessions/shard/tiers/demoted.h"
#include "tests/server/sessions/shard/world/world.h"

namespace aaren::shard {
namespace {

constexpr size_t kRowBytes = 3456;

class IdleEngine : public FakeEngine {
 public:
  IdleEngine() : FakeEngine(kRowBytes) {}

 private:
  absl::Status Step(absl::Span<const engine::Run>, engine::StateSlab&) const override { return absl::OkStatus(); }
};

// Counts and forgets.
class CountingPeer : public session::Peer {
 public:
  void OnOpened(session::Handle, const session::OpenedReply&) override { ++opened; }
  void OnForecasts(session::Handle, const session::ForecastsReply& reply) override { results += reply.results; }
  void OnAcked(session::Handle, uint64_t, uint64_t) override {}
  void OnOverdue(session::Handle, const session::OverdueReply&) override {}
  void OnClosed(session::Handle, uint64_t, uint64_t) override {}
  void OnFailed(session::Handle, const session::Refusal&, uint64_t) override { ++failed; }
  void OnOpenRefused(session::Handle, uint64_t, const session::Refusal&) override { ++failed; }
  void OnCloseRefused(session::Handle, const session::Refusal&) override { ++failed; }
  bool HasRoom() const override { return true; }
  void OnRoom() override {}

  size_t opened = 0, results = 0, failed = 0;
};

std::unique_ptr<models::ModelTable> IdleModel() {
  auto models = std::make_unique<models::ModelTable>();
  package::ModelPackage package;
  package.name = "idle";
  package.digest = "idle";
  models->Add(std::move(package), std::make_unique<IdleEngine>()).IgnoreError();
  return models;
}

ShardOptions Unsaved() { return ShardOptions{.save_interval = absl::ZeroDuration()}; }

void OpenMany(World& world, CountingPeer& peer, size_t sessions) {
  for (session::Handle handle = 0; handle < sessions; ++handle) {
    while (!world.shard().AdmitsOpen(peer)) world.shard().DrainMailbox();
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

TEST(SessionCostTest, AnIdleSessionTakesItsRowAndLittleMore) {
#ifdef AAREN_SANITIZED
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

TEST(SessionCostTest, ADemotedSessionTakesLessThan96BytesWithItsHandle) {
#ifdef AAREN_SANITIZED
  GTEST_SKIP() << "sanitizers change what memory costs";
#endif
  constexpr size_t kSessions = 1'000'000;
  const std::unique_ptr<models::ModelTable> models = IdleModel();
  CountingPeer peer;
  queue::TenantLine everybody(nullptr);
  queue::Attachment stream(peer, everybody);
  session::Session session;
  session.model = models->models().front().get();
  session.stream = &stream;
  malloc_trim(0);
  const int64_t before = ResidentBytes();
  DemotedTable table;
  for (session::Handle handle = 0; handle < kSessions; ++handle) {
    session.handle = handle;
    session.key = session::CompactKey(absl::StrCat("default/meter", 1'000'000 + uint64_t{handle} * 7919 % kSessions));
    stream.handles.Set(handle, &table.Add(session));
  }
  const double bytes = static_cast<double>(ResidentBytes() - before) / kSessions;
  std::printf("%zu demoted sessions: %.1f bytes each\n", kSessions, bytes);
  EXPECT_EQ(table.size(), kSessions);
  EXPECT_LE(bytes, 96);
}

}  // namespace
}  // namespace aaren::shard
