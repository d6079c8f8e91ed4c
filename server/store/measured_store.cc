#include "server/store/measured_store.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace aaren::store {
namespace {

int64_t NowNs() { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }

// A missing session, or another writer's, is an answer like any other, not a failure.
bool Failed(const absl::Status& status) {
  return !status.ok() && !absl::IsNotFound(status) && !absl::IsAborted(status);
}
bool Failed(const WriteResult& result) { return Failed(result.status); }
bool Failed(const std::vector<WriteResult>& results) {
  return std::any_of(results.begin(), results.end(), [](const WriteResult& result) { return Failed(result); });
}
template <typename T>
bool Failed(const absl::StatusOr<T>& answer) {
  return Failed(answer.status());
}

}  // namespace

void MeasuredStore::Begin(Operation operation) {
  absl::MutexLock lock(&mutex_);
  counters::Counter& under_way = counters_.operations[operation].under_way;
  under_way.Set(under_way.value() + 1);
}

void MeasuredStore::End(Operation operation, int64_t began_ns, bool failed) {
  absl::MutexLock lock(&mutex_);
  StoreCounters::Operation& counters = counters_.operations[operation];
  counters.under_way.Set(counters.under_way.value() - 1);
  (failed ? counters.failed : counters.done).Add(1);
  counters.seconds.Observe(static_cast<double>(NowNs() - began_ns) * 1e-9);
}

template <typename T>
StateStore::Answer<T> MeasuredStore::Counted(Operation operation, Answer<T> answer) {
  Begin(operation);
  return [this, operation, began_ns = NowNs(), answer = std::move(answer)](T value) mutable {
    End(operation, began_ns, Failed(value));
    answer(std::move(value));
  };
}

void MeasuredStore::ReserveEpochs(uint64_t count, Answer<absl::StatusOr<uint64_t>> answer) {
  store_->ReserveEpochs(count, Counted(kEpochs, std::move(answer)));
}

void MeasuredStore::Find(std::string key, Answer<absl::StatusOr<SessionRecord>> answer) {
  store_->Find(std::move(key), Counted(kFind, std::move(answer)));
}

void MeasuredStore::Load(std::string key, Answer<absl::StatusOr<SessionRecord>> answer) {
  store_->Load(std::move(key), Counted(kLoad, std::move(answer)));
}

void MeasuredStore::Acquire(Acquisition acquisition, Answer<WriteResult> answer) {
  store_->Acquire(std::move(acquisition), Counted(kAcquire, std::move(answer)));
}

void MeasuredStore::Save(std::vector<SaveWrite> saves, Answer<std::vector<WriteResult>> answer) {
  uint64_t bytes = 0;
  // Counted before the call takes the rows away.
  for (const SaveWrite& save : saves) bytes += save.save.rows.size();
  {
    absl::MutexLock lock(&mutex_);
    counters_.saved_bytes.Add(bytes);
  }
  store_->Save(std::move(saves), Counted(kSave, std::move(answer)));
}

void MeasuredStore::Delete(std::string key, std::optional<uint64_t> held_epoch, Answer<WriteResult> answer) {
  store_->Delete(std::move(key), held_epoch, Counted(kDelete, std::move(answer)));
}

void MeasuredStore::List(std::string prefix, std::string after, size_t limit,
                         Answer<absl::StatusOr<std::vector<SessionRecord>>> answer) {
  store_->List(std::move(prefix), std::move(after), limit, Counted(kList, std::move(answer)));
}

void MeasuredStore::TryWrite(Answer<absl::Status> answer) { store_->TryWrite(Counted(kTry, std::move(answer))); }

}  // namespace aaren::store
