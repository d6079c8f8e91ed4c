#ifndef AAREN_TESTS_SERVER_STORE_REDIS_REDIS_STORE_FIXTURE_H_
#define AAREN_TESTS_SERVER_STORE_REDIS_REDIS_STORE_FIXTURE_H_

// A Redis for the test, and a store in the Redis. Skips without redis-server.

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/store/redis/redis_store.h"
#include "tests/server/store/blocking.h"
#include "tests/server/store/redis_server.h"

namespace aaren::store {

inline SessionRecord RecordAt(const std::string& key, uint64_t epoch) {
  SessionRecord record;
  record.key = key;
  record.epoch = record.incarnation = epoch;
  return record;
}

inline SaveWrite WriteAt(const std::string& key, uint64_t epoch, uint64_t seq) {
  return {RecordAt(key, epoch), {{seq, {}}, absl::StrCat("rows at ", seq)}, std::nullopt};
}

inline std::string MessageOf(const absl::Status& status) { return std::string(status.message()); }

class RedisStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    if (RedisServer::Installed().empty()) GTEST_SKIP() << "redis-server is not installed";
    redis_ = std::make_unique<RedisServer>();
  }

  // A store in redis_, unless `options` name another Redis.
  BlockingStore Open() { return Open(redis_->options()); }
  BlockingStore Open(const RedisOptions& options) {
    store_.reset();
    absl::StatusOr<std::unique_ptr<RedisStore>> opened = RedisStore::Open(options);
    EXPECT_TRUE(opened.ok()) << opened.status();
    store_ = *std::move(opened);
    return BlockingStore(*store_);
  }

  absl::Status WhyNot(RedisOptions options) const {
    options.start = absl::Milliseconds(500);
    return RedisStore::Open(options).status();
  }

  // Adds a session with a save.
  static void Add(BlockingStore store, const std::string& key) {
    SessionRecord record = RecordAt(key, 1);
    record.saves.push_back({{7, {}}, std::string(1024, 'x')});
    ASSERT_TRUE(store.Acquire(record, 0).status.ok());
  }

  // Until the store does calls again.
  static void AwaitCalls(BlockingStore store) {
    const absl::Time deadline = absl::Now() + absl::Seconds(30);
    while (!store.ReserveEpochs(1).ok()) {
      ASSERT_LT(absl::Now(), deadline);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  std::unique_ptr<RedisServer> redis_;
  std::unique_ptr<RedisStore> store_;
};

}  // namespace aaren::store

#endif  // AAREN_TESTS_SERVER_STORE_REDIS_REDIS_STORE_FIXTURE_H_
