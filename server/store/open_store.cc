#include "server/store/open_store.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/store/memory_store.h"
#include "server/store/redis/redis_store.h"
#include "server/store/rocksdb/rocksdb_store.h"
#include "server/store/rocksdb/salvage.h"

namespace aaren::store {
namespace {

using config::ServerConfig;

std::string DataFolder(const ServerConfig& config) {
  return config.data_dir().empty() ? DefaultDataFolder() : config.data_dir();
}

absl::StatusOr<std::unique_ptr<StateStore>> OpenRocksDb(const ServerConfig& config, uint64_t memory) {
  RocksDbOptions options;
  options.folder = DataFolder(config);
  if (options.folder.empty())
    return absl::InvalidArgumentError("data_dir: there is no home folder to put it in; give a folder");
  options.durability = config.sync() == ServerConfig::POWER ? Durability::kPower : Durability::kProcess;
  // RocksDB has at most four buffers: a sixteenth of the memory, and a log that the next start reads in about a second.
  options.buffer_bytes = std::clamp<size_t>(memory / 64, 1 << 20, 32 << 20);
  options.accept_loss = config.accept_loss();
  absl::StatusOr<std::unique_ptr<RocksDbStore>> store = RocksDbStore::Open(options);
  if (store.ok()) return *std::move(store);
  return absl::Status(store.status().code(), absl::StrCat("data_dir: ", store.status().message()));
}

absl::StatusOr<std::unique_ptr<StateStore>> OpenRedis(const ServerConfig& config) {
  absl::StatusOr<std::vector<address::Address>> addresses = ParseRedisAddresses(config.redis());
  if (!addresses.ok()) return addresses.status();
  RedisOptions options;
  options.addresses = *std::move(addresses);
  options.password_file = config.redis_password_file();
  options.prefix = config.redis_prefix();
  options.sentinel = config.redis_sentinel();
  options.tls = {config.redis_ca(), config.redis_cert(), config.redis_key()};
  options.timeout = config::ToDuration(config.redis_timeout());
  absl::StatusOr<std::unique_ptr<RedisStore>> store = RedisStore::Open(options);
  if (store.ok()) return *std::move(store);
  // CheckRedisOptions has named the setting already.
  if (absl::IsInvalidArgument(store.status())) return store.status();
  return absl::Status(store.status().code(), absl::StrCat("redis: ", store.status().message()));
}

}  // namespace

std::string DefaultDataFolder() {
  const char* state = std::getenv("XDG_STATE_HOME");
  // The XDG specification has programs ignore relative paths.
  if (state != nullptr && *state == '/') return absl::StrCat(state, "/aaren");
  const char* home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? absl::StrCat(home, "/.local/state/aaren") : "";
}

absl::StatusOr<bool> SalvageStore(const ServerConfig& config, const std::function<void(const std::string&)>& tell) {
  const std::string folder = DataFolder(config);
  std::error_code error;
  if (!std::filesystem::exists(folder + "/rocksdb", error)) {
    return absl::NotFoundError(absl::StrCat("data_dir: there is no database in '", folder, "'"));
  }
  // A running server would write and delete files under the copy.
  const absl::StatusOr<FolderLock> lock = FolderLock::TakeToRead(folder, kFormat);
  if (!lock.ok()) return lock.status();
  const absl::StatusOr<Salvaged> done = Salvage(*lock, config.salvage(), tell);
  if (!done.ok()) return absl::Status(done.status().code(), absl::StrCat("salvage: ", done.status().message()));
  tell(absl::StrCat("copied ", done->copied, " sessions to ", config.salvage(), "; ", done->unreadable,
                    " cannot be read, or not all of them", done->all ? "" : "; others may be missing"));
  return done->all && done->unreadable == 0;
}

absl::StatusOr<std::unique_ptr<StateStore>> OpenStore(const ServerConfig& config, uint64_t memory,
                                                      memory::MemoryBudget& budget) {
  switch (config.store()) {
    case ServerConfig::MEMORY:
      return std::make_unique<MemoryStore>(&budget);
    case ServerConfig::ROCKSDB:
      return OpenRocksDb(config, memory);
    case ServerConfig::REDIS:
      return OpenRedis(config);
  }
  return absl::InvalidArgumentError("store: this build has rocksdb, redis and memory");
}

}  // namespace aaren::store
