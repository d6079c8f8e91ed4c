#ifndef AAREN_SERVER_STORE_REDIS_REDIS_STORE_H_
#define AAREN_SERVER_STORE_REDIS_REDIS_STORE_H_

// A RedisStore keeps saved sessions in a Redis: sessions outlive the server, and several servers share them.
//
// Every write is a script for comparing and writing in one step (redis_scripts.h), over one connection. The connection
// carries many calls at once and comes back after a break (redis_link.h). README.md has the keys.
//
// Errors: Unavailable without a Redis, and for calls under way when the Redis went. ResourceExhausted while the Redis
// is full. DataLoss for damaged sessions, and for no others. Threading: as StateStore; answers come on the link's
// thread.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/store/redis/redis_link.h"
#include "server/store/redis/redis_options.h"
#include "server/store/store.h"

namespace aaren::store {

class RedisStore : public StateStore {
 public:
  // Errors: RedisLink::Open's; InvalidArgument from CheckRedisOptions.
  static absl::StatusOr<std::unique_ptr<RedisStore>> Open(const RedisOptions& options);

  std::string name() const override { return "redis"; }
  bool shared() const override { return true; }
  uint64_t reconnects() const override { return link_->reconnects(); }
  void TryWrite(Answer<absl::Status> answer) override;
  void ReserveEpochs(uint64_t count, Answer<absl::StatusOr<uint64_t>> answer) override;
  void Find(std::string key, Answer<absl::StatusOr<SessionRecord>> answer) override;
  void Load(std::string key, Answer<absl::StatusOr<SessionRecord>> answer) override;
  void Acquire(Acquisition acquisition, Answer<WriteResult> answer) override;
  void Save(std::vector<SaveWrite> saves, Answer<std::vector<WriteResult>> answer) override;
  void Delete(std::string key, std::optional<uint64_t> held_epoch, Answer<WriteResult> answer) override;
  void List(std::string prefix, std::string after, size_t limit,
            Answer<absl::StatusOr<std::vector<SessionRecord>>> answer) override;

 private:
  struct SaveBatch;

  RedisStore(const std::string& prefix, std::unique_ptr<RedisLink> link);
  std::string KeyOf(const std::string& key) const { return sessions_ + key; }
  void BringRows(const std::shared_ptr<SaveBatch>& batch, size_t save);
  void SaveWithRows(const std::shared_ptr<SaveBatch>& batch, size_t save);

  const std::string sessions_, epochs_;  // keys of Redis: prefix of sessions, counter of epochs
  const std::unique_ptr<RedisLink> link_;
};

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_REDIS_REDIS_STORE_H_
