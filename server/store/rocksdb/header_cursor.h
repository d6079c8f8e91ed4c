#ifndef AAREN_SERVER_STORE_ROCKSDB_HEADER_CURSOR_H_
#define AAREN_SERVER_STORE_ROCKSDB_HEADER_CURSOR_H_

// A HeaderCursor goes over the headers of a prefix, from key to key: in a database, or in one of its files. It gives
// way after thousands of keys that were deleted, and finds what is behind bytes that cannot be read. Threading: one
// thread at a time.

#include <functional>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "rocksdb/db.h"

namespace aaren::store {

class HeaderCursor {
 public:
  using Source = std::function<rocksdb::Iterator*(const rocksdb::ReadOptions&)>;  // a new one each time

  HeaderCursor(Source source, const std::string& prefix);

  bool Valid() const { return at_ != nullptr && at_->Valid(); }
  rocksdb::Status status() const { return at_ == nullptr ? rocksdb::Status::OK() : at_->status(); }
  std::string key() const { return at_->key().ToString(); }
  absl::string_view value() const { return {at_->value().data(), at_->value().size()}; }
  void Next() { at_->Next(); }

  // An iterator that has met damage does not always meet it again where it is, so there is a new one each time.
  void Seek(const std::string& key);

  // The key at which it gave way, since it met deleted keys alone; empty: it did not.
  std::string GaveWayAt() const;

  // If bytes were met that cannot be read, goes to the first key behind them that can be, and the log tells between
  // which keys they are. `last`: the last key before them. False if nothing is left there, or it was at the end anyway.
  bool SeekBehindDamage(const std::string& last);

 private:
  const Source source_;
  const std::string end_;
  const rocksdb::Slice bound_;
  rocksdb::ReadOptions options_;
  std::unique_ptr<rocksdb::Iterator> at_;  // null: at the end
};

}  // namespace aaren::store

#endif  // AAREN_SERVER_STORE_ROCKSDB_HEADER_CURSOR_H_
