#include "server/program/server_options.h"

#include <sys/resource.h>

#include <algorithm>

#include "server/machine/cores/cores.h"
#include "server/machine/memory/machine_memory.h"
#include "server/store/rocksdb/rocksdb_store.h"

namespace aaren::program {
namespace {

using config::ServerConfig;

// How many bytes of the sessions' memory the rows may take. The rest is for sessions not saved yet, and for the facts
// of all sessions; with a store of memory, for the saves.
uint64_t ResidentBytes(const ServerConfig& config, uint64_t memory) {
  const uint64_t most = SessionMemory(memory) / 8 * (config.store() == ServerConfig::MEMORY ? 3 : 7);
  return config.max_resident_bytes() > 0 ? config.max_resident_bytes() : most;
}

void SetLimits(const ServerConfig& config, uint64_t memory, rpc::ServerOptions& options) {
  const auto shards = static_cast<uint64_t>(options.shards);
  // A shard's part of the eighth for unread replies, waiting tokens and unary requests (SessionMemory).
  const uint64_t part = memory / 8 / shards;
  const auto share = [](uint64_t total, uint64_t n) { return static_cast<size_t>((total + n - 1) / n); };
  options.shard.max_queued_bytes = std::clamp<uint64_t>(part / 4, 1 << 20, 8 << 20);
  options.limits.unread_bytes = std::clamp<uint64_t>(part / 2, 1 << 20, 64 << 20);
  // The largest allowed message finds room, whatever the shares are.
  const uint64_t message = config.message_bytes();
  options.limits.input_bytes = std::max<uint64_t>(4 * message, std::min<uint64_t>(part / 4, 64 << 20));
  options.limits.unary_bytes = std::max<uint64_t>(message, std::min<uint64_t>(part / 4, 16 << 20));
  options.transit_bytes = std::clamp<uint64_t>(memory / 64, 1 << 20, 64 << 20);
  options.limits.streams = share(config.max_streams(), shards);
  options.limits.unary_calls = options.limits.watches = share(config.max_unary_calls(), shards);
  options.limits.hello = options.connections.handshake = config::ToDuration(config.hello_timeout());
  options.limits.unread = config::ToDuration(config.unread_timeout());
  options.limits.unused = options.connections.idle = config::ToDuration(config.idle_timeout());
  options.connections.age = config::ToDuration(config.connection_age());
}

// Raises the limit of file descriptors to its maximum. One a connection, and some for everything else.
size_t MostConnections(const ServerConfig& config) {
  constexpr rlim_t kOthers = 128 + store::RocksDbStore::kFiles;
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return config.max_connections();
  files.rlim_cur = files.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &files) != 0) getrlimit(RLIMIT_NOFILE, &files);
  const rlim_t room = files.rlim_cur > 2 * kOthers ? files.rlim_cur - kOthers : files.rlim_cur / 4;
  return static_cast<size_t>(std::min<rlim_t>(config.max_connections(), room));
}

// Memory counted only roughly, and buffers that do not shrink with the memory.
constexpr uint64_t kBesideMemory = 32 << 20;

}  // namespace

absl::StatusOr<std::vector<int>> CoresOf(const ServerConfig& config) {
  if (config.cpus().empty()) return std::vector<int>();
  absl::StatusOr<std::vector<int>> cores = cores::ParseList(config.cpus(), cores::Allowed());
  return cores.ok() ? cores : absl::InvalidArgumentError(absl::StrCat("cpus: ", cores.status().message()));
}

int ShardCount(const ServerConfig& config) {
  if (config.shards() > 0) return static_cast<int>(config.shards());
  const absl::StatusOr<std::vector<int>> cores = CoresOf(config);
  return cores.ok() && !cores->empty() ? static_cast<int>(cores->size()) : cores::Count();
}

uint64_t MemoryOf(const ServerConfig& config) {
  return config.memory() > 0 ? config.memory() : memory::MachineMemory() / 4 * 3;
}

// Shares out the memory: an eighth for gRPC, an eighth for replies not read by clients, waiting tokens and unary
// requests, and an eighth stays free for memory counted only roughly. The rest is for sessions.
uint64_t SessionMemory(uint64_t memory) { return memory / 8 * 5; }

rpc::ServerOptions ToServerOptions(const ServerConfig& config, uint64_t memory, memory::MemoryBudget& budget) {
  rpc::ServerOptions options;
  options.listen = config.listen();
  options.shards = ShardCount(config);
  options.cores = CoresOf(config).value_or(std::vector<int>());
  options.message_bytes = config.message_bytes();
  options.max_connections = MostConnections(config);
  options.store_grace = config::ToDuration(config.store_grace());
  const auto shards = static_cast<uint64_t>(options.shards);
  options.shard.capacity_rows = (config.max_rows() + shards - 1) / shards;
  options.shard.max_resident_bytes = ResidentBytes(config, memory) / shards;
  options.shard.max_channels = config.max_channels();
  options.shard.advertise = config.advertise();
  options.shard.max_tokens_per_item = config.tokens_per_item();
  options.shard.saves_outlast_server = config.store() != ServerConfig::MEMORY;
  options.shard.max_in_flight_tokens = config.in_flight_tokens();
  options.shard.max_undurable_tokens = std::max(config.undurable_tokens(), config.in_flight_tokens());
  options.shard.max_sessions_per_stream = config.max_sessions_per_stream();
  options.shard.save_interval = config::ToDuration(config.save_interval());
  options.shard.session_ttl = config::ToDuration(config.session_ttl());
  options.shard.ties.budget = &budget;
  options.process_bytes = memory + memory / 8 + kBesideMemory;
  SetLimits(config, memory, options);
  return options;
}

}  // namespace aaren::program
