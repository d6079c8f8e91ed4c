#ifndef AAREN_SERVER_STORE_ROCKSDB_HEADER_LIST_H_
#define AAREN_SERVER_STORE_ROCKSDB_HEADER_LIST_H_

// Pages of the sessions in a database, by their headers alone. Threading: one thread at a time for each walk.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "server/store/rocksdb/folder_lock.h"
#include "server/store/store.h"

namespace rocksdb {
class DB;
}

namespace aaren::store {

// A page of StateStore::List, made in short steps. Sessions with unreadable keys are left out, and the log names the
// keys before and after.
class HeaderWalk {
 public:
  using Page = absl::StatusOr<std::vector<SessionRecord>>;

  HeaderWalk(std::string prefix, const std::string& after, size_t limit);

  // Takes some hundreds of sessions, or passes some thousands of deleted keys. True if the page is complete.
  bool Step(rocksdb::DB& db, const FolderLock& folder);

  // REQUIRES: the page is complete. Unavailable if the database's folder is away, DataLoss if a file is missing.
  Page Take() { return std::move(page_); }

  // The number of steps that met deleted keys alone.
  size_t idle_steps() const { return idle_steps_; }

 private:
  const std::string prefix_, after_;
  const size_t limit_;
  std::string next_;  // the key of the next header
  size_t idle_steps_ = 0;
  Page page_;
};

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_ROCKSDB_HEADER_LIST_H_
