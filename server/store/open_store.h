#ifndef AAREN_SERVER_STORE_OPEN_STORE_H_
#define AAREN_SERVER_STORE_OPEN_STORE_H_

// Makes the store that the settings name. Another kind of store is added here.

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/memory/memory_budget.h"
#include "server/store/redis/redis_options.h"
#include "server/store/rocksdb/rocksdb_store.h"
#include "server/store/store.h"

namespace aaren::store {

struct StoreOptions {
  std::string kind = "memory";  // or "rocksdb" or "redis"
  RocksDbOptions rocksdb;       // folder empty: DefaultDataFolder
  std::string redis_addresses;  // HOST:PORT[,HOST:PORT...], for those of `redis`
  RedisOptions redis;
};

// InvalidArgument for a kind that this build does not have; else as the store's own Open. `budget` outlives the store.
absl::StatusOr<std::unique_ptr<StateStore>> OpenStore(const StoreOptions& options, memory::MemoryBudget& budget);

// aaren/ below $XDG_STATE_HOME, or below ~/.local/state. Empty if there is neither.
std::string DefaultDataFolder();

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_OPEN_STORE_H_
