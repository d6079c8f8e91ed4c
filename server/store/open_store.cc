#include "server/store/open_store.h"

#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/store/memory_store.h"
#include "server/store/redis/redis_store.h"

namespace aaren::store {
namespace {

absl::StatusOr<std::unique_ptr<StateStore>> OpenRocksDb(RocksDbOptions options) {
  if (options.folder.empty()) options.folder = DefaultDataFolder();
  if (options.folder.empty())
    return absl::InvalidArgumentError("data_dir: there is no home folder to put it in; give a folder");
  absl::StatusOr<std::unique_ptr<RocksDbStore>> store = RocksDbStore::Open(options);
  if (store.ok()) return *std::move(store);
  return absl::Status(store.status().code(), absl::StrCat("data_dir: ", store.status().message()));
}

absl::StatusOr<std::unique_ptr<StateStore>> OpenRedis(const StoreOptions& options) {
  absl::StatusOr<std::vector<address::Address>> addresses = ParseRedisAddresses(options.redis_addresses);
  if (!addresses.ok()) return addresses.status();
  RedisOptions redis = options.redis;
  redis.addresses = *std::move(addresses);
  absl::StatusOr<std::unique_ptr<RedisStore>> store = RedisStore::Open(redis);
  if (store.ok()) return *std::move(store);
  if (absl::IsInvalidArgument(store.status())) return store.status();
  return absl::Status(store.status().code(), absl::StrCat("redis: ", store.status().message()));
}

}  // namespace

std::string DefaultDataFolder() {
  const char* state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return absl::StrCat(state, "/aaren");
  const char* home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? absl::StrCat(home, "/.local/state/aaren") : "";
}

absl::StatusOr<std::unique_ptr<StateStore>> OpenStore(const StoreOptions& options, memory::MemoryBudget& budget) {
  if (options.kind == "memory") return std::make_unique<MemoryStore>(&budget);
  if (options.kind == "rocksdb") return OpenRocksDb(options.rocksdb);
  if (options.kind == "redis") return OpenRedis(options);
  return absl::InvalidArgumentError(
      absl::StrCat("store: this build has no ", options.kind, "; there are rocksdb, redis and memory"));
}

}  // namespace aaren::store
