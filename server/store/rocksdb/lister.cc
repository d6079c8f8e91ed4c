#include "server/store/rocksdb/lister.h"

#include <pthread.h>

#include <utility>

#include "rocksdb/db.h"

namespace aaren::store {
namespace {

// A walk over 40,000 deleted keys, 10,000 a step (header_cursor.cc), calls for a flush.
constexpr size_t kManyIdleSteps = 4;
// Each flush makes a file, however small: lists in a row must not make a file each.
constexpr std::chrono::seconds kBetweenFlushes(10);

}  // namespace

void Lister::Stop() {
  if (!thread_.joinable()) return;
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  thread_.join();
}

void Lister::Start() {
  thread_ = std::thread([this] { Run(); });
  pthread_setname_np(thread_.native_handle(), "store-lists");
}

void Lister::Use(rocksdb::DB* db) {
  const auto rests = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return !reads_; };
  absl::MutexLock lock(&mutex_);
  db_ = db;
  mutex_.Await(absl::Condition(&rests));
}

void Lister::List(HeaderWalk walk, Answer answer) {
  absl::MutexLock lock(&mutex_);
  waiting_.push_back({std::move(walk), std::move(answer)});
}

void Lister::Run() {
  const auto called = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return stopping_ || !waiting_.empty(); };
  for (;;) {
    mutex_.LockWhen(absl::Condition(&called));
    if (waiting_.empty()) return mutex_.Unlock();
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    rocksdb::DB* const db = db_;
    reads_ = true;
    mutex_.Unlock();
    const bool done = db == nullptr || Step(*db, next);
    {
      absl::MutexLock lock(&mutex_);
      reads_ = false;
      // Behind the rest: lists take turns.
      if (!done) waiting_.push_back(std::move(next));
    }
    if (!done) continue;
    next.answer(db == nullptr ? absl::UnavailableError("the database is not open now") : next.walk.Take());
  }
}

// A compaction takes away deleted keys in files only.
bool Lister::Step(rocksdb::DB& db, Waiting& waiting) {
  const bool done = waiting.walk.Step(db, folder_);
  const auto now = std::chrono::steady_clock::now();
  if (waiting.walk.idle_steps() < kManyIdleSteps || now < next_flush_) return done;
  next_flush_ = now + kBetweenFlushes;
  rocksdb::FlushOptions at_once;
  // The walk goes on meanwhile. The flush begins at once, even where writes have to wait for the flush.
  at_once.wait = false;
  at_once.allow_write_stall = true;
  (void)db.Flush(at_once);
  return done;
}

}  // namespace aaren::store
