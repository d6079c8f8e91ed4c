#include "server/store/rocksdb/header_list.h"

#include <algorithm>
#include <utility>

#include "rocksdb/db.h"
#include "server/store/held.h"
#include "server/store/rocksdb/header_cursor.h"
#include "server/store/rocksdb/write_group.h"

namespace aaren::store {
namespace {

// A list gives way to the next waiting list after so many sessions.
constexpr size_t kStepSessions = 256;

}  // namespace

HeaderWalk::HeaderWalk(std::string prefix, const std::string& after, size_t limit)
    : prefix_(std::move(prefix)),
      after_(after),
      limit_(limit),
      next_(HeaderKey(std::max(prefix_, after))),
      page_(std::vector<SessionRecord>()) {}

bool HeaderWalk::Step(rocksdb::DB& db, const FolderLock& folder) {
  HeaderCursor at([&db](const rocksdb::ReadOptions& options) { return db.NewIterator(options); }, prefix_);
  std::string last = next_;
  size_t left = kStepSessions;
  for (at.Seek(last); page_->size() < limit_ && (at.Valid() || at.SeekBehindDamage(last)); at.Next()) {
    last = at.key();
    if (left-- == 0) return next_ = last, false;
    const std::string key = last.substr(1);
    // The walk begins at the last key of the page before.
    if (!after_.empty() && key <= after_) continue;
    absl::StatusOr<StoredHeader> header = ParseHeader(key, at.value());
    SessionRecord record;
    if (header.ok()) record = WithoutRows(*header);
    record.key = key;  // the rest of a damaged session is unknown
    page_->push_back(std::move(record));
  }
  if (page_->size() >= limit_ || at.status().ok()) return true;
  const std::string gave_way = at.GaveWayAt();
  // A walk that stays in its place has failed, and must not be tried for ever.
  if (gave_way > next_) {
    ++idle_steps_;
    return next_ = gave_way, false;
  }
  page_ = FromRead(at.status(), folder);
  return true;
}

}  // namespace aaren::store
