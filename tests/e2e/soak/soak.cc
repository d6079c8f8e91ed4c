#include "tests/e2e/soak/soak.h"

#include <algorithm>
#include <atomic>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace aaren::soak {
namespace {

constexpr int kShards = 2;
constexpr int kOwners = 4, kErrands = 4, kRivals = 3, kContested = 10, kForks = 12;
constexpr uint64_t kMemory = 128 << 20;
constexpr uint64_t kMessage = 512 << 10;
constexpr absl::Duration kGrace = absl::Seconds(10);
constexpr absl::Duration kPatience = absl::Minutes(2);  // owners take some seconds alone

// The limits of server/main.cc: for each shard a 64th of the memory for unread replies, half as much for waiting tokens
// (at least a MiB) and for messages handled in part (room for four); gRPC's buffers; and RocksDB's four and its cache,
// a 64th each. A sanitizer keeps freed memory: memory then says nothing.
#ifdef AAREN_SANITIZED
constexpr uint64_t kSwing = uint64_t{1} << 40;
#else
constexpr uint64_t kBuffers = 16 << 20;
constexpr uint64_t kSwing = kBuffers + kMemory / 16 + kShards * ((2 << 20) + 4 * kMessage) + 5 * (kMemory / 64);
#endif

// Takes turns until stopped, on a thread of its own.
class Actor {
 public:
  template <typename Who>
  Actor(World& world, Who& who)
      : thread_([this, &world, &who] {
          while (!stop_ && !world.over()) who.Turn();
        }) {}
  ~Actor() {
    stop_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

std::string Name(const char* who, int number, int kind) { return absl::StrCat(who, "-", number, ".k", kind % kKinds); }

}  // namespace

std::vector<std::string> ServerFlags(const std::string& models, const std::string& data_dir) {
  return {"--listen=127.0.0.1:0",
          "--metrics_listen=127.0.0.1:0",
          data_dir.empty() ? "--store=memory" : "--store=rocksdb",
          absl::StrCat("--data_dir=", data_dir),
          absl::StrCat("--models=", models),
          absl::StrCat("--shards=", kShards),
          "--max_rows=32",
          "--save_interval=50ms",
          absl::StrCat("--tokens_per_item=", kTokensPerItem),
          absl::StrCat("--in_flight_tokens=", kInFlightTokens),
          absl::StrCat("--memory=", kMemory),
          absl::StrCat("--message_bytes=", kMessage),
          "--hello_timeout=2m",  // a busy machine is no broken promise
          absl::StrCat("--grace=", absl::FormatDuration(kGrace))};
}

Soak::Soak(World& world, ServerProcess& server) : world_(world), server_(server), memory_(kSwing) {
  std::vector<std::string> contested, owned;
  for (int i = 0; i < kContested; ++i) contested.push_back(Name("contested", i, i));
  for (int i = 0; i < kForks; ++i) contested.push_back(Name("fork", i, i));
  for (int i = 0; i < kOwners; ++i) {
    std::vector<std::string> ids;
    for (int j = 0; j < kErrands; ++j) ids.push_back(Name("owned", i * kErrands + j, i * kErrands + j));
    owned.insert(owned.end(), ids.begin(), ids.end());
    owners_.push_back(std::make_unique<Owner>(world, i, ids));
  }
  for (int i = 0; i < kRivals; ++i) rivals_.push_back(std::make_unique<Rival>(world, i, contested));
  clerk_ = std::make_unique<Clerk>(world, contested, owned);
}

bool Soak::Run(absl::Duration duration) {
  Storm(duration);
  if (!world_.over()) Calm();
  if (!world_.over()) CheckHappened();
  if (!world_.over()) CheckIdle();
  if (!world_.over()) CheckEmpty();
  if (!world_.over()) EndBusy();
  std::printf("%s\n%s\n", world_.history.Counts().c_str(), memory_.Text().c_str());
  return !world_.over();
}

void Soak::Watch(absl::Duration duration, bool samples) {
  const absl::Time end = absl::Now() + duration;
  while (absl::Now() < end && !world_.over()) {
    absl::SleepFor(absl::Milliseconds(100));
    if (samples) memory_.Sample(server_.ResidentBytes());
    if (server_.Ended()) world_.history.Accuse("", absl::StrCat("the server ended with ", *server_.Ended()));
  }
}

void Soak::Storm(absl::Duration duration) {
  std::vector<std::unique_ptr<Actor>> actors;
  for (const auto& owner : owners_) actors.push_back(std::make_unique<Actor>(world_, *owner));
  for (const auto& rival : rivals_) actors.push_back(std::make_unique<Actor>(world_, *rival));
  actors.push_back(std::make_unique<Actor>(world_, *clerk_));
  Watch(duration, /*samples=*/true);
}

// Owners finish, undisturbed and alone.
void Soak::Calm() {
  world_.calm = true;
  for (const auto& rival : rivals_) rival->Leave();
  std::vector<std::unique_ptr<Actor>> actors;
  for (const auto& owner : owners_) actors.push_back(std::make_unique<Actor>(world_, *owner));
  const absl::Time deadline = absl::Now() + kPatience;
  const auto unfinished = [this] {
    std::string id;
    for (size_t i = 0; id.empty() && i < owners_.size(); ++i) id = owners_[i]->Unfinished();
    return id;
  };
  for (std::string id; !world_.over() && !(id = unfinished()).empty();) {
    Watch(absl::Milliseconds(100), /*samples=*/false);
    if (absl::Now() > deadline) AccuseUnfinished(id);
  }
  actors.clear();
  for (const auto& owner : owners_) owner->Leave();
}

void Soak::AccuseUnfinished(const std::string& id) {
  metrics_ = server_.Metrics();
  world_.history.Accuse(
      id, absl::StrCat("the session never finishes; the server has ", metrics_["aaren_streams"], " streams, ",
                       metrics_["aaren_sessions{state=\"attached\"}"], " attached sessions, ",
                       metrics_["aaren_queued_tokens"], " queued tokens, ", Held("unread_replies"),
                       " bytes of unread replies and ", metrics_["aaren_saves_total{outcome=\"stored\"}"], " saves"));
}

// A storm without events proves nothing.
void Soak::CheckHappened() {
  metrics_ = server_.Metrics();
  for (const char* event : {"evicted", "moved", "rewound", "taken_over", "deleted", "refused"}) {
    const double events = metrics_[absl::StrCat("aaren_session_events_total{event=\"", event, "\"}")];
    world_.history.Count(absl::StrCat("sessions ", event, " (server)"), static_cast<uint64_t>(events));
    if (events == 0) world_.history.Accuse("", absl::StrCat("no session was ", event, ": the storm was too calm"));
  }
  world_.history.Count("forecasts judged", world_.judged);
  memory_.grows() ? world_.history.Accuse("", memory_.Text()) : void();
}

bool Soak::Eventually(const std::function<bool()>& holds) {
  const absl::Time deadline = absl::Now() + absl::Seconds(20);
  for (;;) {
    metrics_ = server_.Metrics();
    if (holds()) return true;
    if (absl::Now() > deadline) return false;
    absl::SleepFor(absl::Milliseconds(50));
  }
}

double Soak::Held(const std::string& use) { return metrics_[absl::StrCat("aaren_held_bytes{use=\"", use, "\"}")]; }

// Without streams the server holds only rows of sessions at rest and their facts, below a KiB each.
void Soak::CheckIdle() {
  const auto row_bytes = static_cast<double>(world_.oracle.engine().row_bytes());
  const auto idle = [&] {
    const double rows = metrics_["aaren_slots{state=\"used\"}"] * row_bytes;
    const double beside = metrics_["aaren_sessions{state=\"detached\"}"] * 1024;
    return metrics_["aaren_streams"] == 0 && metrics_["aaren_sessions{state=\"attached\"}"] == 0 &&
           Held("waiting_tokens") == 0 && Held("unread_replies") == 0 && Held("sessions") >= rows &&
           Held("sessions") <= rows + beside;
  };
  if (!Eventually(idle)) {
    world_.history.Accuse("", absl::StrCat("20 s after the last stream: ", metrics_["aaren_streams"], " streams, ",
                                           Held("waiting_tokens"), " bytes of waiting tokens, ", Held("unread_replies"),
                                           " of unread replies, ", Held("sessions"), " of sessions in ",
                                           metrics_["aaren_slots{state=\"used\"}"], " rows"));
  }
  std::printf("idle: %.0f sessions in %.0f rows hold %.0f bytes, saves %.0f\n",
              metrics_["aaren_sessions{state=\"detached\"}"], metrics_["aaren_slots{state=\"used\"}"], Held("sessions"),
              Held("saves"));
}

// Without sessions nothing is held at all.
void Soak::CheckEmpty() {
  clerk_->DeleteAll();
  if (Eventually([&] { return Held("sessions") == 0 && Held("saves") == 0; })) return;
  world_.history.Accuse("", absl::StrCat("without any session ", Held("sessions"), " bytes of sessions and ",
                                         Held("saves"), " of saves are held"));
}

// Clients that go on in any case, and SIGTERM.
void Soak::EndBusy() {
  world_.calm = false;
  std::vector<std::unique_ptr<Actor>> actors;
  for (const auto& rival : rivals_) actors.push_back(std::make_unique<Actor>(world_, *rival));
  Watch(absl::Seconds(2), /*samples=*/false);
  world_.terminating = true;
  const absl::Time began = absl::Now();
  const std::optional<int> status = server_.Terminate(kGrace + absl::Seconds(2));
  std::printf("SIGTERM while busy: %s after %s\n", status ? absl::StrCat("exit status ", *status).c_str() : "no exit",
              absl::FormatDuration(absl::Now() - began).c_str());
  if (status != 0) world_.history.Accuse("", "SIGTERM while busy: exit status 0 expected within the grace period");
  actors.clear();
  for (const auto& rival : rivals_) rival->Leave();
}

}  // namespace aaren::soak
