#ifndef AAREN_TESTS_SERVER_SESSIONS_REGISTRAR_SHARED_STORE_H_
#define AAREN_TESTS_SERVER_SESSIONS_REGISTRAR_SHARED_STORE_H_

// The store that several servers of a test share. Threading: one thread.

#include <memory>
#include <string>

#include "server/store/redis/redis_store.h"
#include "tests/server/sessions/shard/world/world.h"
#include "tests/server/store/redis_server.h"

namespace aaren::registrar {

class SharedStore {
 public:
  // "memory", or "redis" with a Redis of its own.
  explicit SharedStore(const std::string& kind) {
    if (kind == "redis" && !store::RedisServer::Installed().empty()) redis_ = std::make_unique<store::RedisServer>();
    memory_->Share();
  }

  bool Lacks(const std::string& kind) const { return kind == "redis" && redis_ == nullptr; }

  // One server's store: a new connection to the Redis, or the common memory.
  std::shared_ptr<shard::ProbedStore> Store() {
    if (redis_ == nullptr) return memory_;
    store::RedisOptions options = redis_->options();
    options.timeout = absl::Seconds(10);
    auto store = std::make_shared<shard::ProbedStore>(store::RedisStore::Open(options).value());
    store->Share();
    return store;
  }

 private:
  std::unique_ptr<store::RedisServer> redis_;
  const std::shared_ptr<shard::ProbedStore> memory_ = std::make_shared<shard::ProbedStore>();
};

}  // namespace aaren::registrar

#endif  // AAREN_TESTS_SERVER_SESSIONS_REGISTRAR_SHARED_STORE_H_
