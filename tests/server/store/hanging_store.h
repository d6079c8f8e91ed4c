#ifndef AAREN_TESTS_SERVER_STORE_HANGING_STORE_H_
#define AAREN_TESTS_SERVER_STORE_HANGING_STORE_H_

// A HangingStore is a MemoryStore. While the store hangs, every call is done and the answers are held, like on a disk
// with writes of minutes. Threading: safe.

#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/synchronization/mutex.h"
#include "server/store/memory_store.h"

namespace aaren::store {

class HangingStore : public StateStore {
 public:
  void Hang() ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    hangs_ = true;
  }

  // Answers later calls at once.
  void HoldNoMore() ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    hangs_ = false;
  }

  // Gives the held answers too.
  void GoOn() ABSL_LOCKS_EXCLUDED(mutex_) {
    std::vector<absl::AnyInvocable<void()>> held;
    {
      absl::MutexLock lock(&mutex_);
      hangs_ = false;
      held.swap(held_);
    }
    for (absl::AnyInvocable<void()>& answer : held) answer();
  }

  size_t held() const ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    return held_.size();
  }

  // Refuses TryWrite for lack of room.
  void SetFull(bool full) { full_ = full; }

  std::string name() const override { return "hanging"; }
  void TryWrite(Answer<absl::Status> answer) override {
    if (full_) return answer(absl::ResourceExhaustedError("no room"));
    store_.TryWrite(Held(std::move(answer)));
  }
  void ReserveEpochs(uint64_t count, Answer<absl::StatusOr<uint64_t>> answer) override {
    store_.ReserveEpochs(count, Held(std::move(answer)));
  }
  void Find(std::string key, Answer<absl::StatusOr<SessionRecord>> answer) override {
    store_.Find(std::move(key), Held(std::move(answer)));
  }
  void Load(std::string key, Answer<absl::StatusOr<SessionRecord>> answer) override {
    store_.Load(std::move(key), Held(std::move(answer)));
  }
  void Acquire(Acquisition acquisition, Answer<WriteResult> answer) override {
    store_.Acquire(std::move(acquisition), Held(std::move(answer)));
  }
  void Save(std::vector<SaveWrite> saves, Answer<std::vector<WriteResult>> answer) override {
    store_.Save(std::move(saves), Held(std::move(answer)));
  }
  void Delete(std::string key, std::optional<uint64_t> held_epoch, Answer<WriteResult> answer) override {
    store_.Delete(std::move(key), held_epoch, Held(std::move(answer)));
  }
  void List(std::string prefix, std::string after, size_t limit,
            Answer<absl::StatusOr<std::vector<SessionRecord>>> answer) override {
    store_.List(std::move(prefix), std::move(after), limit, Held(std::move(answer)));
  }

 private:
  template <typename T>
  Answer<T> Held(Answer<T> answer) {
    return [this, answer = std::move(answer)](T value) mutable {
      {
        absl::MutexLock lock(&mutex_);
        if (hangs_) {
          held_.push_back(
              [answer = std::move(answer), value = std::move(value)]() mutable { answer(std::move(value)); });
          return;
        }
      }
      answer(std::move(value));
    };
  }

  MemoryStore store_;
  std::atomic<bool> full_ = false;
  mutable absl::Mutex mutex_;
  bool hangs_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<absl::AnyInvocable<void()>> held_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace aaren::store

#endif  // AAREN_TESTS_SERVER_STORE_HANGING_STORE_H_
