#ifndef AAREN_SERVER_STORE_MEASURED_STORE_H_
#define AAREN_SERVER_STORE_MEASURED_STORE_H_

// A MeasuredStore counts and times the calls of another store, from the call to the answer. Threading: as StateStore;
// counters are readable from any thread.

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "server/operate/counters/counter.h"
#include "server/store/store.h"

namespace aaren::store {

struct StoreCounters {
  static constexpr std::array<const char*, 8> kOperations = {"epochs", "find",   "load", "acquire",
                                                             "save",   "delete", "list", "try"};

  struct Operation {
    counters::Counter under_way;  // a level
    counters::Counter done, failed;
    counters::Histogram<counters::kLatencyBounds.size()> seconds{counters::kLatencyBounds};
  };
  std::array<Operation, kOperations.size()> operations;
  counters::Counter saved_bytes;  // bytes of rows
};

class MeasuredStore : public StateStore {
 public:
  explicit MeasuredStore(std::unique_ptr<StateStore> store) : store_(std::move(store)) {}

  const StoreCounters& counters() const { return counters_; }

  std::string name() const override { return store_->name(); }
  bool shared() const override { return store_->shared(); }
  uint64_t reconnects() const override { return store_->reconnects(); }
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
  enum Operation { kEpochs, kFind, kLoad, kAcquire, kSave, kDelete, kList, kTry };

  void Begin(Operation operation) ABSL_LOCKS_EXCLUDED(mutex_);
  void End(Operation operation, int64_t began_ns, bool failed) ABSL_LOCKS_EXCLUDED(mutex_);

  // The answer, counted.
  template <typename T>
  Answer<T> Counted(Operation operation, Answer<T> answer);

  const std::unique_ptr<StateStore> store_;
  absl::Mutex mutex_;       // calls and answers come on two threads; a counter has one writer at a time
  StoreCounters counters_;  // written under mutex_
};

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_MEASURED_STORE_H_
