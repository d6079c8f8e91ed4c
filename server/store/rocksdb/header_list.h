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

// One page, as StateStore::List has it, in steps that give way. Sessions whose keys cannot be read are left out, and
// the log tells between which keys they are.
class HeaderWalk {
 public:
  using Page = absl::StatusOr<std::vector<SessionRecord>>;

  HeaderWalk(std::string prefix, const std::string& after, size_t limit);

  // Goes on over some hundreds of sessions, or some thousands of keys that were deleted. True if the page is done.
  bool Step(rocksdb::DB& db, const FolderLock& folder);

  // REQUIRES: it is done. Unavailable if the database's folder is away, DataLoss if it lacks a file.
  Page Take() { return std::move(page_); }

  // How many steps met nothing but deleted keys.
  size_t idle_steps() const { return idle_steps_; }

 private:
  const std::string prefix_, after_;
  const size_t limit_;
  std::string next_;  // the key of a header to go on from
  size_t idle_steps_ = 0;
  Page page_;
};

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_ROCKSDB_HEADER_LIST_H_
