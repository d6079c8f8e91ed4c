// The cost of a session by tier: in memory with its row, in the store with a handle, in the store only. Also the way
// back: from a demoted session's token to its forecast, over RocksDB. The bench is one shard, as in the server, driven
// by this thread. gRPC is left out: gRPC's memory and time belong to a stream, not to a session.

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/machine/memory/machine_memory.h"
#include "server/sessions/models/model_table.h"
#include "server/sessions/models/model_watch.h"
#include "server/sessions/registrar/registrar.h"
#include "server/sessions/session/refusal.h"
#include "server/sessions/shard/shard.h"
#include "server/store/rocksdb/rocksdb_store.h"
#include "tests/bench/bench.h"
#include "tests/bench/bench_size.h"

namespace aaren::bench {

const char kTiersNote[] =
    R"(100,000 sessions (or AAREN_BENCH_SESSIONS) of the bundled model on one stream, one token each.
resident: a row of 8,192 bytes and all beside it, of 20,000 that are never saved.
demoted: by how much less the process holds once the stream has gone.
at rest: by how much more than before the sessions came; what is left of it is RocksDB's own.
promoted: a demoted session's token to its forecast, 1 % of the sessions in random order, one token a millisecond.)";

namespace {

constexpr size_t kResident = 20'000;
constexpr size_t kStayBytes = 8 << 20;  // for rows, while most sessions are demoted
constexpr size_t kBuffer = 32 << 20;
constexpr absl::Duration kTick = absl::Milliseconds(5);
constexpr absl::Duration kPause = absl::Milliseconds(1);  // between two tokens of demoted sessions

size_t Sessions() { return static_cast<size_t>(std::max(BenchSessions(100'000), 1000)); }

class CountingPeer final : public session::Peer {
 public:
  void OnOpened(session::Handle, const session::OpenedReply&) override { ++opened; }
  void OnForecasts(session::Handle, const session::ForecastsReply& reply) override { forecasts += reply.results; }
  void OnAcked(session::Handle, uint64_t, uint64_t) override {}
  void OnOverdue(session::Handle, const session::OverdueReply&) override {}
  void OnClosed(session::Handle, uint64_t, uint64_t) override {}
  void OnFailed(session::Handle, const session::Refusal& refusal, uint64_t) override { failed = refusal.status; }
  void OnOpenRefused(session::Handle, uint64_t, const session::Refusal& refusal) override { failed = refusal.status; }
  void OnCloseRefused(session::Handle, const session::Refusal& refusal) override { failed = refusal.status; }
  bool HasRoom() const override { return true; }
  void OnRoom() override {}

  size_t opened = 0, forecasts = 0;
  absl::Status failed;
};

// A shard with one stream, run by this thread in place of a ShardLoop.
class OneShard {
 public:
  OneShard(size_t resident_bytes, absl::Duration save_interval, const models::ModelTable& models,
           store::StateStore& store)
      : registrar_(std::make_unique<registrar::Registrar>(store, models, session::Clock::System())),
        shard_(0, {.max_resident_bytes = resident_bytes, .save_interval = save_interval}, models, *registrar_) {
    registrar_->AddShard(shard_.owner());
    registrar_->Start();
  }
  ~OneShard() { registrar_.reset(); }  // before the shard, known to the registrar

  void Turn() {
    shard_.DrainMailbox();
    shard_.Step();
    const absl::Time now = session::Clock::System().Now();
    if (now < next_tick_) return;
    next_tick_ = now + kTick;
    shard_.Tick();
  }

  template <typename Done>
  absl::Status RunUntil(Done done) {
    const absl::Time deadline = session::Clock::System().Now() + absl::Minutes(30);
    while (!done()) {
      if (!peer_.failed.ok()) return peer_.failed;
      if (session::Clock::System().Now() > deadline)
        return absl::DeadlineExceededError("the shard does not come to an end");
      Turn();
    }
    return absl::OkStatus();
  }

  absl::Status OpenAndFeed(size_t sessions) {
    for (size_t i = 0; i < sessions; ++i) {
      const auto handle = static_cast<session::Handle>(i);
      while (!shard_.AdmitsOpen(peer_) || !shard_.AdmitsTokens(peer_, 64)) Turn();
      session::OpenRequest request;
      request.session_id = absl::StrCat("sensor-", 1'000'000 + i);
      shard_.Open(peer_, handle, std::move(request));
      Send(handle, 0);
    }
    return RunUntil([&] { return peer_.forecasts == sessions; });
  }

  void Send(session::Handle handle, uint64_t seq) {
    const float value = static_cast<float>(handle % 97);
    session::TokensView tokens;
    tokens.handle = handle;
    tokens.first_seq = seq;
    tokens.values = absl::MakeConstSpan(&value, 1);
    (void)shard_.Tokens(peer_, tokens);
  }

  void Leave() { shard_.Disconnect(peer_); }

  CountingPeer& peer() { return peer_; }
  const shard::ShardCounters& counters() const { return shard_.counters(); }

 private:
  std::unique_ptr<registrar::Registrar> registrar_;
  shard::SessionShard shard_;
  CountingPeer peer_;
  absl::Time next_tick_;
};

double Held() {
  malloc_trim(0);
  return static_cast<double>(memory::ProcessMemory());
}

Row MemoryRow(const char* tier, size_t sessions, double bytes, Cell goal) {
  return {{"measure", std::string("memory")},
          {"tier", std::string(tier)},
          {"sessions", static_cast<int64_t>(sessions)},
          {"bytes_per_session", bytes / static_cast<double>(sessions)},
          {"goal_bytes", std::move(goal)},
          {"p50_us", std::monostate()},
          {"p99_us", std::monostate()}};
}

// Times from the token to its forecast, for demoted sessions chosen at random.
absl::StatusOr<Row> Promote(OneShard& shard, size_t sessions) {
  std::mt19937_64 random(1);
  std::vector<session::Handle> order(sessions);
  for (size_t i = 0; i < sessions; ++i) order[i] = static_cast<session::Handle>(i);
  std::shuffle(order.begin(), order.end(), random);
  order.resize(sessions / 100);
  std::vector<double> micros;
  const uint64_t before = shard.counters().promotions.value();
  for (const session::Handle handle : order) {
    const size_t answered = shard.peer().forecasts;
    const absl::Time sent = absl::Now();
    shard.Send(handle, 1);
    const absl::Status status = shard.RunUntil([&] { return shard.peer().forecasts > answered; });
    if (!status.ok()) return status;
    micros.push_back(absl::ToDoubleMicroseconds(absl::Now() - sent));
    const absl::Time next = sent + kPause;
    while (absl::Now() < next) shard.Turn();
  }
  std::sort(micros.begin(), micros.end());
  const uint64_t promoted = shard.counters().promotions.value() - before;
  return Row{{"measure", std::string("first forecast")},
             {"tier", std::string("promoted")},
             {"sessions", static_cast<int64_t>(promoted)},
             {"bytes_per_session", std::monostate()},
             {"goal_bytes", std::monostate()},
             {"p50_us", micros[micros.size() / 2]},
             {"p99_us", micros[micros.size() * 99 / 100]}};
}

absl::Status MeasureResident(const std::string& folder, const models::ModelTable& models, std::vector<Row>& rows) {
  absl::StatusOr<std::unique_ptr<store::RocksDbStore>> store =
      store::RocksDbStore::Open({.folder = folder, .buffer_bytes = kBuffer});
  if (!store.ok()) return store.status();
  OneShard shard(SIZE_MAX, absl::ZeroDuration(), models, **store);
  const double before = Held();
  if (absl::Status status = shard.OpenAndFeed(kResident); !status.ok()) return status;
  const auto row_bytes = static_cast<double>(models.default_model()->engine->row_bytes());
  rows.push_back(MemoryRow("resident", kResident, Held() - before, 1.1 * row_bytes + 256));
  return absl::OkStatus();
}

absl::Status MeasureDemoted(const std::string& folder, const models::ModelTable& models, std::vector<Row>& rows) {
  const size_t sessions = Sessions();
  absl::StatusOr<std::unique_ptr<store::RocksDbStore>> store =
      store::RocksDbStore::Open({.folder = folder, .buffer_bytes = kBuffer});
  if (!store.ok()) return store.status();
  OneShard shard(kStayBytes, absl::Milliseconds(50), models, **store);
  const double before = Held();
  if (absl::Status status = shard.OpenAndFeed(sessions); !status.ok()) return status;
  const size_t stay = kStayBytes / models.default_model()->engine->row_bytes();
  const auto demoted = [&] { return shard.counters().sessions_demoted.value(); };
  if (absl::Status status = shard.RunUntil([&] { return demoted() + stay >= sessions; }); !status.ok()) return status;
  const absl::StatusOr<Row> promoted = Promote(shard, sessions);
  if (!promoted.ok()) return promoted.status();
  if (absl::Status status = shard.RunUntil([&] { return demoted() + stay >= sessions; }); !status.ok()) return status;
  const double with_handles = Held();
  const size_t held = demoted();
  shard.Leave();
  const double without = Held();
  rows.push_back(MemoryRow("demoted", held, with_handles - without, 96.0));
  rows.push_back(MemoryRow("at rest", sessions, without - before, std::monostate()));
  rows.push_back(*promoted);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<Row>> RunTiersBench() {
  models::ModelTable models;
  if (absl::Status status = models::ModelWatch(models, AAREN_BUNDLED_MODELS).Load(); !status.ok()) return status;
  const std::string folder =
      (std::filesystem::temp_directory_path() / absl::StrCat("aaren_tiers_bench_", getpid())).string();
  std::vector<Row> rows;
  absl::Status status = MeasureResident(folder + "/resident", models, rows);
  if (status.ok()) status = MeasureDemoted(folder + "/demoted", models, rows);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  if (!status.ok()) return status;
  return rows;
}

}  // namespace aaren::bench
