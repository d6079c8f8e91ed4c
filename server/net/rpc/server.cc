#include "server/net/rpc/server.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "server/machine/memory/machine_memory.h"

namespace aaren::rpc {
namespace {

constexpr absl::Duration kLeastPatience = absl::Seconds(1);  // with a store, however small store_grace is
constexpr absl::Duration kLinger = absl::Seconds(1);         // for the last written bytes, at most

// A sanitizer keeps freed memory and adds memory of its own: the process's memory then says nothing about the program.
#ifdef AAREN_SANITIZED
constexpr bool kMemoryIsOurs = false;
#else
constexpr bool kMemoryIsOurs = true;
#endif

// By how many bytes the process holds more than now and `bytes`.
std::function<size_t()> ExcessOver(size_t bytes) {
  if (bytes == 0 || !kMemoryIsOurs) return nullptr;
  return [most = memory::ProcessMemory() + bytes] {
    const size_t held = memory::ProcessMemory();
    return held > most ? held - most : 0;
  };
}

// An exported session can be imported: a session's rows with all allowed channels, and its names.
size_t LargestImport(const models::ModelTable& models, uint32_t max_channels) {
  return max_channels * models.LargestRow() + (4 << 10);
}

accept::HandshakeGate::Options GateOf(const ServerOptions& options) {
  const absl::Duration handshake = options.connections.handshake;
  return {.tls = options.tls,
          .shards = options.shards,
          .within = handshake > absl::ZeroDuration() ? handshake : absl::InfiniteDuration()};
}

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options, const models::ModelTable& models,
                                                      store::StateStore& store, const session::Clock& clock) {
  // Debian's Abseil looks for lock cycles at every lock, also in builds for production: 10-25 % of all time.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  absl::StatusOr<address::Address> address = address::Address::Parse(options.listen);
  if (!address.ok()) return address.status();
  std::unique_ptr<Server> server(new Server(*std::move(address), options, models, store, clock));
  if (absl::Status status = server->Begin(options, models); !status.ok()) return status;
  return server;
}

Server::Server(address::Address address, const ServerOptions& options, const models::ModelTable& models,
               store::StateStore& store, const session::Clock& clock)
    : address_(std::move(address)),
      clock_(clock),
      registrar_(std::make_unique<registrar::Registrar>(store, models, clock, options.transit_bytes,
                                                        std::max(options.store_grace, kLeastPatience))) {
  // Far beyond the limit of the acceptor, who knows the connections that brought the memory.
  if (options.process_bytes > 0) quota_.emplace("aaren").Resize(2 * options.process_bytes);
}

absl::Status Server::Begin(const ServerOptions& options, const models::ModelTable& models) {
  absl::StatusOr<std::unique_ptr<accept::Acceptor>> acceptor =
      accept::Acceptor::Listen(address_, options.max_connections, clock_);
  if (!acceptor.ok()) return acceptor.status();
  acceptor_ = *std::move(acceptor);
  address_.port = acceptor_->port();
  shard::ShardOptions shard_options = options.shard;
  shard_options.ties.watched = watched_.get();
  if (shard_options.advertise.empty() && address::IsForOthers(address_)) shard_options.advertise = address_.ToString();
  StreamLimits limits = options.limits;
  limits.import_bytes = LargestImport(models, shard_options.max_channels);
  std::vector<accept::Acceptor::Shard> shards;
  for (int i = 0; i < options.shards; ++i) {
    const size_t index = static_cast<size_t>(i);
    const LoopOptions loop_options{.index = i,
                                   .core = options.cores.empty() ? -1 : options.cores[index % options.cores.size()],
                                   .shard = shard_options,
                                   .limits = limits,
                                   .connections = options.connections,
                                   .traces = options.traces,
                                   .spans = options.spans,
                                   .message_bytes = options.message_bytes,
                                   .store_grace = options.store_grace,
                                   .quota = quota_.has_value() ? &*quota_ : nullptr,
                                   .credentials = options.credentials,
                                   .callers = options.callers,
                                   .end_all_connections = [this] { acceptor_->EndAll(); }};
    absl::StatusOr<std::unique_ptr<ShardLoop>> loop = ShardLoop::Make(loop_options, models, *registrar_, clock_);
    if (!loop.ok()) return loop.status();
    registrar_->AddShard((*loop)->shard().owner());
    shards.push_back({[loop = loop->get()](int socket) { loop->Take(socket); },
                      [loop = loop->get()] { return loop->busy_ns(); },
                      [loop = loop->get()] { return loop->Relieve(); }});
    loops_.push_back(*std::move(loop));
    endings_.push_back(std::make_unique<cores::Background>());
  }
  // The registrar learns of the shards before it runs, and runs before a shard may ask it.
  registrar_->Start();
  for (const auto& loop : loops_) loop->Start();
  acceptor_->Start(std::move(shards), GateOf(options), ExcessOver(options.process_bytes));
  running_ = true;
  return absl::OkStatus();
}

Server::~Server() {
  (void)Shutdown(absl::Seconds(1));
  registrar_.reset();
}

bool Server::Shutdown(absl::Duration grace) {
  if (!std::exchange(running_, false)) return true;
  // All loops at once: each has the whole grace period.
  for (const auto& loop : loops_) loop->Drain(grace);
  for (const auto& loop : loops_) loop->closed().WaitForNotification();
  acceptor_->Stop();
  ShutDownServers(std::min(kLinger, grace / 40));
  for (const auto& loop : loops_) loop->Stop();
  return std::all_of(loops_.begin(), loops_.end(), [](const auto& loop) { return loop->all_saved(); });
}

// Each loop may wait for clients that do not answer; all loops wait at once. gRPC closes no connection before gRPC has
// written the begun bytes: a client that reads nothing would keep the connection for ever.
void Server::ShutDownServers(absl::Duration linger) {
  std::deque<absl::Notification> ended(loops_.size());
  for (size_t i = 0; i < loops_.size(); ++i) {
    endings_[i]->Post([&loop = *loops_[i], &ended = ended[i]] {
      loop.ShutdownServer();
      ended.Notify();
    });
  }
  const absl::Time end = clock_.Now() + linger;
  for (absl::Notification& one : ended) {
    if (one.WaitForNotificationWithTimeout(end - clock_.Now())) continue;
    acceptor_->EndAll();
    break;
  }
  endings_.clear();
}

void Server::DescribeStreams(int shard, uint64_t after, size_t most,
                             absl::AnyInvocable<void(std::vector<StreamInfo>)> done) const {
  ShardLoop& loop = *loops_[static_cast<size_t>(shard)];
  loop.shard().mailbox().Post(
      [&loop, after, most, done = std::move(done)]() mutable { done(loop.streams().Describe(after, most)); });
}

std::vector<const shard::ShardCounters*> Server::shard_counters() const {
  std::vector<const shard::ShardCounters*> counters;
  for (const auto& loop : loops_) counters.push_back(&loop->shard_counters());
  return counters;
}

std::vector<const StreamCounters*> Server::stream_counters() const {
  std::vector<const StreamCounters*> counters;
  for (const auto& loop : loops_) counters.push_back(&loop->stream_counters());
  return counters;
}

std::vector<const trace::TracerCounters*> Server::trace_counters() const {
  std::vector<const trace::TracerCounters*> counters;
  for (const auto& loop : loops_) {
    if (loop->trace_counters() != nullptr) counters.push_back(loop->trace_counters());
  }
  return counters;
}

}  // namespace aaren::rpc
