#ifndef AAREN_SERVER_STORE_ROCKSDB_LISTER_H_
#define AAREN_SERVER_STORE_ROCKSDB_LISTER_H_

// A Lister makes pages of sessions on a thread of its own, so that neither an Open nor a save waits for a list, a sweep
// or a count. Waiting lists take turns, step by step. A list that met many deleted keys lets RocksDB sort the deleted
// keys away.
//
// Threading: the store's thread calls Use and List. Answers come on the Lister's thread.

#include <chrono>
#include <deque>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "server/store/rocksdb/folder_lock.h"
#include "server/store/rocksdb/header_list.h"
#include "server/store/store.h"

namespace rocksdb {
class DB;
}

namespace aaren::store {

class Lister {
 public:
  using Answer = StateStore::Answer<HeaderWalk::Page>;

  // `folder` outlives this.
  explicit Lister(const FolderLock& folder) : folder_(folder) {}

  ~Lister() { Stop(); }

  void Start();

  // Answers the waiting lists first.
  void Stop() ABSL_LOCKS_EXCLUDED(mutex_);

  // Sets the database of all further lists. Without a database (null) lists are Unavailable. Returns once nobody reads
  // the database before.
  void Use(rocksdb::DB* db) ABSL_LOCKS_EXCLUDED(mutex_);

  void List(HeaderWalk walk, Answer answer) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Waiting {
    HeaderWalk walk;
    Answer answer;
  };

  void Run() ABSL_LOCKS_EXCLUDED(mutex_);
  bool Step(rocksdb::DB& db, Waiting& waiting);

  const FolderLock& folder_;
  std::chrono::steady_clock::time_point next_flush_{};  // the thread's only
  absl::Mutex mutex_;
  std::deque<Waiting> waiting_ ABSL_GUARDED_BY(mutex_);
  rocksdb::DB* db_ ABSL_GUARDED_BY(mutex_) = nullptr;
  bool reads_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_ROCKSDB_LISTER_H_
