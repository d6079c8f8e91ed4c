#ifndef AAREN_TESTS_SERVER_STORE_BLOCKING_H_
#define AAREN_TESTS_SERVER_STORE_BLOCKING_H_

// A StateStore's calls, each waiting for the answer.

#include <future>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/store/store.h"

namespace aaren::store {

class BlockingStore {
 public:
  // `store` outlives the BlockingStore.
  explicit BlockingStore(StateStore& store) : store_(store) {}

  absl::StatusOr<uint64_t> ReserveEpochs(uint64_t count) {
    return Await<absl::StatusOr<uint64_t>>([&](auto answer) { store_.ReserveEpochs(count, std::move(answer)); });
  }
  absl::Status TryWrite() {
    return Await<absl::Status>([&](auto answer) { store_.TryWrite(std::move(answer)); });
  }
  absl::StatusOr<SessionRecord> Find(const std::string& key) {
    return Await<absl::StatusOr<SessionRecord>>([&](auto answer) { store_.Find(key, std::move(answer)); });
  }
  absl::StatusOr<SessionRecord> Load(const std::string& key) {
    return Await<absl::StatusOr<SessionRecord>>([&](auto answer) { store_.Load(key, std::move(answer)); });
  }
  WriteResult Acquire(SessionRecord record, uint64_t held_epoch, std::optional<uint64_t> keep_seq = std::nullopt,
                      std::optional<uint64_t> newest_seq = std::nullopt) {
    return Await<WriteResult>([&](auto answer) {
      store_.Acquire({std::move(record), held_epoch, keep_seq, newest_seq}, std::move(answer));
    });
  }
  WriteResult Save(SaveWrite write) {
    std::vector<SaveWrite> writes;
    writes.push_back(std::move(write));
    return Save(std::move(writes)).at(0);
  }
  std::vector<WriteResult> Save(std::vector<SaveWrite> writes) {
    return Await<std::vector<WriteResult>>([&](auto answer) { store_.Save(std::move(writes), std::move(answer)); });
  }
  WriteResult Delete(const std::string& key, std::optional<uint64_t> held_epoch) {
    return Await<WriteResult>([&](auto answer) { store_.Delete(key, held_epoch, std::move(answer)); });
  }
  absl::StatusOr<std::vector<SessionRecord>> List(const std::string& prefix, const std::string& after, size_t limit) {
    return Await<absl::StatusOr<std::vector<SessionRecord>>>(
        [&](auto answer) { store_.List(prefix, after, limit, std::move(answer)); });
  }

  // Replaces any stored record.
  absl::Status Put(SessionRecord record) {
    const absl::StatusOr<SessionRecord> held = Load(record.key);
    return Acquire(std::move(record), held.ok() ? held->epoch : 0).status;
  }

 private:
  template <typename T, typename Call>
  static T Await(Call call) {
    std::promise<T> promise;
    std::future<T> future = promise.get_future();
    call([&promise](T value) { promise.set_value(std::move(value)); });
    return future.get();
  }

  StateStore& store_;
};

}  // namespace aaren::store

#endif  // AAREN_TESTS_SERVER_STORE_BLOCKING_H_
